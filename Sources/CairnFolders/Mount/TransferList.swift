import CairnPlan
import CairnReplica
import CairnZone

/// A file whose bytes are transferred, or wait for that.
public struct TransferStanding: Sendable {
  /// The path, relative to the folder.
  public var path: [UInt8]
  /// The direction of the bytes.
  public var way: TransferWork.Way
  /// The number of finished bytes.
  public var done: Int64
  /// The size of the file in bytes.
  public var size: Int64
  /// The number of bytes per second since its begin, if it is known.
  public var bytesPerSecond: Int64?
  /// The reason that it waits; nil if it is under way.
  public var reason: String?
}

/// Lists the transfers of a mount, and moves some to the front.
///
/// It uses these parts of the state: `read`, `retries`, `transfers`, `zone`.
struct TransferList {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Returns up to `limit` transfers, those under way first, and the number of the others.
  func list(limit: Int) throws -> (transfers: [TransferStanding], more: Int) {
    var found: [TransferStanding] = []
    var more = 0
    let active = state.transfers.underWay.filter(\.value.token.hasBegun).map(\.key).sorted()
    try state.zone.read { view in
      try state.read { tree in
        let seen = Set(active)
        for id in active + (try tree.dirty(limit: .max)).filter({ !seen.contains($0) }) {
          guard let (way, size) = try bytes(of: id, tree, view) else { continue }
          guard found.count < limit else {
            more += 1
            continue
          }
          let token = state.transfers.underWay[id].flatMap { $0.isAlone ? $0.token : nil }
          let path = try tree.path(of: id) ?? PendingRecords.path(of: id, in: view)
          found.append(
            TransferStanding(
              path: joined(path), way: way,
              done: min(size, token?.told ?? state.transfers.finished(of: id)), size: size,
              bytesPerSecond: token?.bytesPerSecond,
              reason: seen.contains(id) ? nil : PendingRecords(state).explanation(of: id)))
        }
      }
    }
    return (found, more)
  }

  /// The direction and the size of the bytes that a record waits for; nil if it waits for none.
  private func bytes(
    of id: RecordID, _ tree: FolderTree, _ view: ZoneView
  ) throws -> (way: TransferWork.Way, size: Int64)? {
    let row = try tree.node(id)
    if let row, let local = row.local, try Uploads(state).isUnread(row, in: view) {
      return (.upload, Int64(clamping: local.size))
    }
    // What both sides had is not fetched: a person has changed or deleted it since.
    guard let (content, size) = try view.content(of: id), try tree.content(of: id) != content,
      row?.synced?.kind != .file(content)
    else { return nil }
    return (.download, Int64(clamping: size))
  }

  /// Moves what waits at a path, or below it, to the front.
  /// - Returns: The number of files.
  func hurry(_ path: [UInt8]) throws -> Int {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    let ids = try state.zone.read { view in
      try state.read { tree in
        try tree.dirty(limit: .max).filter { id in
          guard try bytes(of: id, tree, view) != nil else { return false }
          return try (tree.path(of: id) ?? PendingRecords.path(of: id, in: view))
            .starts(with: names)
        }
      }
    }
    guard !ids.isEmpty else { return 0 }
    for id in ids where state.retries[id].wait?.reason == .transfer { state.retries.release(id) }
    state.transfers.hurry(Set(ids))
    return ids.count
  }
}
