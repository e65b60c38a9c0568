import CairnContainer
import CairnControl
import CairnFolders
import CairnReplica
import CairnZone

/// Sharing of folders and files inside of mirrored folders: each by itself, several together, or in
/// an existing share.
struct NestedShares {
  let mirrors: Mirrors
  let shares: Shares
  let places: Places
  let settling: Settling

  private var mounts: Mounts { mirrors.mounts }
  private var events: EventLog { mirrors.events }
  private var container: Container { mirrors.one.container }

  /// Returns the mirrored folder around a path; nil if there is none, or it is one itself.
  /// - Throws: `ControlError` if nothing in that folder, or not this entry, can be shared.
  func outer(of path: Control.Path) throws -> Mount? {
    guard let (outer, relative) = mounts.find(path.bytes), !relative.isEmpty else { return nil }
    guard outer.zone.scope == .private, outer.zone.header.share == nil else {
      throw Places.alreadyShared(path, outer)
    }
    guard path.isFile || path.isFolder else {
      guard path.exists else {
        throw path.missing(.invalidArguments, "Name a folder or a file that exists.")
      }
      throw ControlError(
        .invalidArguments, "\(path) is neither a folder nor a file.",
        remedy: "Name a folder or a file.", path: path)
    }
    return outer
  }

  /// Shares an entry inside of a mirrored folder by itself, or several together.
  func share(
    _ paths: [Control.Path], title: String?, _ stream: ResponseStream
  ) throws -> Control.ShareReply {
    for path in paths { try places.checkUnshared(path) }
    let title = title ?? paths[0].title
    let zone = try zone(of: nest(paths, into: .new(title: title, isShared: true), stream))
    events.add(
      .shareSaved, mount: mounts.first(of: zone.id)?.id, path: paths[0].bytes,
      text: "shared as “\(title)”")
    return Control.ShareReply(share: try shares.describe(zone), created: true)
  }

  /// Moves entries inside of one mirrored folder to another zone; their paths here stay.
  func nest(
    _ paths: [Control.Path], into target: NestingTarget, _ stream: ResponseStream
  ) throws -> [Nesting] {
    guard let outer = try outer(of: paths[0]) else { throw Self.changed(paths[0]) }
    try settling.settleBriefly([outer], stream)
    let inner = try paths.map { path in
      guard let (mount, relative) = mounts.find(path.bytes), mount === outer, !relative.isEmpty
      else { throw Self.changed(path) }
      return relative
    }
    guard case .zone(let zone) = target else {
      return try outer.ask { try $0.nest(inner, into: target) }
    }
    // Where that whole zone is mirrored, these must not appear a second time.
    let records = try outer.ask { engine in try inner.compactMap { try engine.record(at: $0) } }
    return try mounts.leavingOut(records.map { ZonePart(zone.id, base: $0) }) {
      try outer.ask { try $0.nest(inner, into: target) }
    }
  }

  /// Returns the zone to which they went.
  func zone(of nestings: [Nesting]) throws -> Zone {
    guard let id = nestings.first?.part.zone, let zone = try container.zone(id) else {
      throw ControlError(
        .interrupted, "The daemon is ending.", remedy: "Start it; `cairn share list` shows more.")
    }
    return zone
  }

  private static func changed(_ path: Control.Path) -> ControlError {
    ControlError(
      .serverRecordChanged, "\(path) became something else in the meantime.",
      remedy: "Look at `cairn status`, and say the same again.", path: path)
  }
}
