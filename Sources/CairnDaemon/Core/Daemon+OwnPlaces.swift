import CairnCloud
import CairnControl
import CairnFolders
import CairnStore

/// What this home uses itself, and therefore nobody mirrors or shares: its own files, the
/// container, and each mirrored folder but as what it is.
extension Daemon {
  private static let ownFiles = "Cairn's own files"
  private static let ownContainer = "the container"

  /// The home's folders that hold what is secret, or made again.
  private var ownFolders: [String] {
    let data = WatchRoots.parent(of: Array(home.lock.utf8))
    let all = [home.root, home.keys, home.index, home.rescue, home.logs, home.runtime]
    return all.compactMap { $0 } + [String(decoding: data, as: UTF8.self)]
  }

  /// What no mount mirrors, whatever stands in its folder.
  var offLimits: OffLimits {
    let reason = "Cairn's own files, the keys among them, are never mirrored"
    let containerReason = "the container is never mirrored: it would go into itself for ever"
    let id = container.id
    var places = ownFolders.map { OffLimits.Place(Array($0.utf8), because: reason) }
    if let folder = configuration.location.folder {
      places.append(OffLimits.Place(Array(folder.utf8), because: containerReason))
    }
    return OffLimits(
      places,
      mark: OffLimits.Mark(name: Array(ContainerFile.key.utf8), because: containerReason) { bytes in
        do { return try ContainerFile(bytes).id == id } catch {
          // A file of that name, and no container's.
          return false
        }
      })
  }

  /// Refuses what is inside of, around or equal to what Cairn uses already.
  func checkPlace(_ path: Control.Path) throws {
    let views = MountViews.now()
    let place = Whereabouts(path.bytes, views)
    for mount in allMounts {
      let other = Whereabouts(mount.path, views)
      if let how = Self.relation(place, other) {
        throw Self.taken(path, how, "a folder that is mirrored already", mount.path)
      }
    }
    var taken = ownFolders.map { (Array($0.utf8), Self.ownFiles) }
    if let folder = configuration.location.folder {
      taken.append((Array(folder.utf8), Self.ownContainer))
    }
    for (other, what) in taken {
      guard let how = Self.relation(place, Whereabouts(other, views)) else { continue }
      throw Self.taken(path, how, what, other)
    }
  }

  /// How the first lies to the second, in words; nil if neither is in the other.
  static func relation(_ place: Whereabouts, _ other: Whereabouts) -> String? {
    place.isInside(other) ? "inside of" : other.isInside(place) ? "around" : nil
  }

  private static func taken(
    _ path: Control.Path, _ how: String, _ what: String, _ other: [UInt8]
  ) -> ControlError {
    let isOwn = what == ownFiles || what == ownContainer
    return ControlError(
      isOwn ? .invalidArguments : .alreadyMirrored,
      "\(path) is \(how) \(what) (\(Control.Path(other))).", remedy: "Name another folder.",
      path: path)
  }
}
