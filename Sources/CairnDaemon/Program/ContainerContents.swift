import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnZone

/// Says whether a container has something that a request names. It knows no operation.
struct ContainerContents: Sendable {
  let one: OpenContainer
  let mounts: Mounts
  let programs: ProgramTable

  /// Returns whether a path is in a mirrored folder.
  func has(_ path: Control.Path) -> Bool { mounts.find(path.bytes) != nil }

  /// Returns whether a path is in a folder that was mirrored, or among the rescued files. Another
  /// container may mirror that folder now.
  func had(_ path: Control.Path) -> Bool {
    mounts.ended.refusal(at: path) != nil
      || WatchRoots.isInside(path.bytes, Array(one.home.rescue.utf8))
  }

  /// Returns whether a mirrored folder is at a path or below it.
  func hasBelow(_ path: Control.Path) -> Bool {
    mounts.all.contains { WatchRoots.isInside($0.path, path.bytes) }
  }

  /// Returns whether it has the zone with an id, or with one that begins so.
  func hasZone(_ text: String) -> Bool {
    if mounts.ended.refusal(ofZone: text) != nil { return true }
    // An index that can't be read has no zones; the container's own operations report it.
    if let id = ZoneID(hexadecimal: text) { return (try? one.container.zone(id)) != nil }
    let databases = [one.container.privateDatabase, one.container.sharedDatabase]
    // As above.
    return databases.contains { database in
      (try? database.zones())?.contains { $0.id.begins(with: text) } ?? false
    }
  }

  /// Returns whether a link leads to it, or whether it has an invitation with an id.
  func hasInvitation(_ text: String) -> Bool {
    if let container = Self.container(ofLink: text) {
      return container == one.container.id.description
    }
    if mounts.ended.link(leftAs: text) != nil { return true }
    // An unreachable container shows no invitations; its own operations report that.
    return (try? one.container.participation.link(invitedBy: text)) != nil
  }

  /// Returns whether this person has a drop box with an id there, or with one that begins so.
  func hasDropBox(_ text: String) -> Bool {
    // An account that can't be read has no boxes; the container's own operations report it.
    (try? one.container.drops.boxes())?.contains {
      beginsAsTyped(hexadecimal($0.id.bytes), text)
    } ?? false
  }

  /// Returns whether one of these files waits in a drop box there, by its id or its beginning.
  func hasAnyDrop(_ texts: [String]) -> Bool {
    // A container that can't be read has no files; its own operations report it.
    (try? one.container.drops.survey())?.drops.contains { drop in
      texts.contains { beginsAsTyped(hexadecimal(drop.id.bytes), $0) }
    } ?? false
  }

  /// Returns whether it knows a program by its secret.
  func hasProgram(_ secret: String) -> Bool { programs.knows(secret) }

  /// Returns the id of the container of a link; nil for a text that is no link.
  static func container(ofLink text: String) -> String? {
    // A text without a link may be the id of an invitation.
    (try? ShareLink(parsing: text))?.container.description
  }
}
