import CairnCloud
import CairnControl
import CairnFolders
import CairnZone

/// How a folder or file inside of a mirrored folder is shared by itself.
struct NestedShares {
  let mirrors: Mirrors
  let shares: Shares
  let places: Places
  let settling: Settling

  private var mounts: Mounts { mirrors.mounts }
  private var events: EventLog { mirrors.events }

  /// Shares something inside of a mirrored folder.
  func share(
    _ path: Control.Path, _ outer: Mount, title: String?, _ stream: ResponseStream
  ) throws -> Control.ShareReply {
    try places.checkUnshared(path)
    guard outer.zone.scope == .private, outer.zone.header.share == nil else {
      throw Places.alreadyShared(path, outer)
    }
    guard path.isFile || path.isFolder else {
      throw ControlError(
        .invalidArguments, "\(path) is neither a folder nor a file.",
        remedy: "Name one that exists.", path: path)
    }
    try settling.settleBriefly([outer], stream)
    guard let (mount, relative) = mounts.find(path.bytes), mount === outer else {
      throw ControlError(
        .serverRecordChanged, "\(path) became something else in the meantime.",
        remedy: "Look at `cairn status`, and say the same again.", path: path)
    }
    let title = title ?? path.title
    let nesting = try outer.ask { try $0.nest(relative, title: title) }
    guard let zone = try mirrors.one.container.zone(nesting.part.zone) else {
      throw ControlError(
        .interrupted, "The daemon is ending.", remedy: "Start it; `cairn share list` shows more.")
    }
    events.add(
      .shareSaved, mount: mounts.first(of: zone.id), path: path.bytes, text: "shared as “\(title)”")
    return Control.ShareReply(share: try shares.describe(zone), created: true)
  }
}
