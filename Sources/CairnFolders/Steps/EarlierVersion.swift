import CairnPlan
import CairnReplica
import CairnZone
import Synchronization

/// The file in the folder that a received version replaces. Chunks that both versions have are read
/// from it, and not from the container.
///
/// It uses these parts of the state: `read`, `root`, `zone`.
struct EarlierVersion {
  /// The opened file; it is opened by the transfer, and only if a chunk of it is needed.
  private final class File: Sendable {
    private enum State { case closed, open(Descriptor), unusable }

    private let root: Descriptor
    private let path: [FileNameBytes]
    private let row: NodeRow
    private let opened = Mutex(State.closed)

    init(_ root: Descriptor, _ path: [FileNameBytes], _ row: NodeRow) {
      (self.root, self.path, self.row) = (root, path, row)
    }

    /// The bytes of a part; nil if the file isn't the one of the last scan any more.
    func read(_ part: KnownChunks.Part) -> [UInt8]? {
      let file = opened.withLock { state -> Descriptor? in
        if case .closed = state { state = open() }
        guard case .open(let file) = state else { return nil }
        return file
      }
      return file?.read(part.size, at: part.offset)
    }

    private func open() -> State {
      do throws(FolderError) {
        let file = try root.openFile(path)
        return row.isStill(try FileStat.of(file)) ? .open(file) : .unusable
      } catch {
        // The chunks are fetched instead.
        return .unusable
      }
    }
  }

  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// The size in bytes up to which a content of one chunk is fetched as a whole: it may have grown
  /// from the file in the folder, but asking for that costs as much.
  private static let small: UInt64 = 32 << 10

  /// Returns the chunks of a new content that the record's file in the folder has; nil if it has
  /// none.
  func known(_ id: RecordID, _ content: Content) throws -> KnownChunks? {
    guard content.chunks.count > 1 || content.size > Self.small, let root = state.root,
      let (row, path) = try state.read({ tree -> (NodeRow, [FileNameBytes])? in
        guard let row = try tree.node(id), let path = try tree.path(of: id) else { return nil }
        return (row, path)
      }), case .file(let old?) = row.local?.node.kind,
      let parts = try state.zone.read({ try $0.parts(of: old, for: content) }), !parts.isEmpty
    else { return nil }
    let file = File(root, path, row)
    return KnownChunks(parts: parts) { file.read($0) }
  }
}
