import CairnZone
import Synchronization

/// The data that the mounts of one index have of each other: their folders, and the nodes that left
/// them in the last seconds. With it, a mount can tell whether a new entry was moved there from
/// another mount. A cache of hints; a lost one costs a copy, never bytes.
final class Neighbours: Sendable {
  /// A mounted folder.
  struct Folder: Hashable, Sendable {
    var path: [UInt8]
    /// The mark at its root, and the folder that it is in.
    var mark: [UInt8]
    var staging: FileNameBytes
    var device: UInt64
    var part: ZonePart
  }

  /// A node that is no longer at its place.
  struct Gone: Sendable {
    var mount: Int64
    var row: NodeRow
    var path: [FileNameBytes]
    /// The time by the engine's clock.
    var time: Int64
  }

  /// A former place: a folder, and the path in it.
  struct Origin: Sendable {
    var folder: Folder
    var path: [FileNameBytes]
    var record: RecordID
  }

  private struct State {
    var folders: [Int64: Folder] = [:]
    var gone: [Gone] = []
    var files: [ZonePart: FileStat] = [:]
  }

  /// The time for which a departed node is remembered.
  static let memory = 10 * .second
  /// The maximum number of nodes at once. More of them are a tree that is deleted or moved name by
  /// name.
  static let limit = 10_000
  private let state = Mutex(State())

  func attached(_ mount: Int64, _ folder: Folder) {
    state.withLock { $0.folders[mount] = folder }
  }

  func detached(_ mount: Int64) {
    state.withLock { state in
      state.folders[mount] = nil
      state.gone.removeAll { $0.mount == mount }
    }
  }

  /// Returns the other mounts on that file system.
  func others(than mount: Int64, device: UInt64) -> [Int64] {
    state.withLock { state in
      state.folders.filter { $0.key != mount && $0.value.device == device }.map(\.key)
    }
  }

  /// Returns whether another mount shows a part of the same zone.
  func hasParts(of zone: ZoneID, otherThan mount: Int64) -> Bool {
    state.withLock { state in
      state.folders.contains { $0.key != mount && $0.value.part.zone == zone }
    }
  }

  /// Returns the time of the last departure from another mount's folder below that path; nil if
  /// there was none in the last seconds.
  func lastLeft(below path: [UInt8], otherThan mount: Int64) -> Int64? {
    let prefix = path + [UInt8(ascii: "/")]
    return state.withLock { state in
      var last: Int64?
      for gone in state.gone
      where gone.mount != mount && state.folders[gone.mount]?.path.starts(with: prefix) == true {
        last = max(last ?? gone.time, gone.time)
      }
      return last
    }
  }

  /// Notes which file a single-file mount has at its name, by the decision of the mount around it.
  /// - Returns: Whether that is new.
  func decide(_ part: ZonePart, is file: FileStat) -> Bool {
    state.withLock { state in
      let isKnown = state.files[part].map { file.isSameInode(as: $0) } ?? false
      state.files[part] = file
      return !isKnown
    }
  }

  /// Returns whether the mount around a single-file mount decided that this is its file.
  func isDecided(_ part: ZonePart, is file: FileStat) -> Bool {
    state.withLock { $0.files[part].map { file.isSameInode(as: $0) } ?? false }
  }

  func folder(of mount: Int64) -> Folder? { state.withLock { $0.folders[mount] } }

  /// Remembers nodes that left their places, unless no other mount would ask for them.
  func left(_ nodes: [Gone], now: Int64) {
    state.withLock { state in
      state.gone.removeAll { now - $0.time > Self.memory }
      guard state.folders.count > 1 else { return }
      state.gone += nodes.prefix(max(0, Self.limit - state.gone.count))
    }
  }

  /// Returns the node with that inode that left another mount in the last seconds.
  func recentlyGone(_ stat: FileStat, from mounts: [Int64], now: Int64) -> Gone? {
    state.withLock { state in
      state.gone.last { gone in
        now - gone.time <= Self.memory && mounts.contains(gone.mount)
          && gone.row.isSameInode(as: stat)
      }
    }
  }
}

extension FolderIndex {
  /// Returns the known place of this file or directory in another mount, now or in the last
  /// seconds.
  func origin(of stat: FileStat, otherThan mount: Int64, now: Int64) throws -> Neighbours.Origin? {
    let others = neighbours.others(than: mount, device: stat.device)
    guard !others.isEmpty, stat.inode != 0 else { return nil }
    for other in others {
      let known = try read(other) { tree in
        try tree.nodes(inode: stat.inode).first { $0.isSameInode(as: stat) }
          .flatMap { row in try tree.path(of: row.id).map { ($0, row.id) } }
      }
      if let (path, record) = known, let folder = neighbours.folder(of: other) {
        return Neighbours.Origin(folder: folder, path: path, record: record)
      }
    }
    guard let gone = neighbours.recentlyGone(stat, from: others, now: now),
      let folder = neighbours.folder(of: gone.mount)
    else { return nil }
    return Neighbours.Origin(folder: folder, path: gone.path, record: gone.row.id)
  }
}
