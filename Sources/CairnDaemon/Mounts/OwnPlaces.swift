import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnStore

/// The paths that this home uses itself, and that nobody mirrors or shares: its own files, the
/// containers, and the mirrored folders, except as mirrors.
struct OwnPlaces {
  let one: OpenContainer
  let home: HomePlaces

  init(_ one: OpenContainer, _ home: HomePlaces) { (self.one, self.home) = (one, home) }

  static let ownFiles = "Cairn's own files"
  static let ownContainer = "the container"

  /// The home's folders with secrets or caches.
  var folders: [String] {
    let data = WatchRoots.parent(of: Array(one.home.lock.utf8))
    let home = one.home
    let all = [home.root, home.keys, home.index, home.rescue, home.logs, home.runtime]
    return all.compactMap { $0 } + [String(decoding: data, as: UTF8.self)]
  }

  /// The directories that no mount mirrors inside its folder.
  var offLimits: OffLimits {
    let reason = "Cairn's own files, the keys among them, are never mirrored"
    let containerReason = "the container is never mirrored: it would go into itself for ever"
    let id = one.container.id
    var places = folders.map { OffLimits.Place(Array($0.utf8), because: reason) }
    places += home.containers.map { OffLimits.Place($0, because: containerReason) }
    return OffLimits(
      places,
      mark: OffLimits.Mark(name: Array(ContainerFile.key.utf8), because: containerReason) { bytes in
        do { return try ContainerFile(bytes).id == id } catch {
          // A file of that name, but no container's.
          return false
        }
      })
  }
}
