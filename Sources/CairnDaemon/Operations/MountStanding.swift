import CairnControl
import CairnFolders
import CairnPlan
import CairnZone
import Synchronization

/// How the names of a mount stand, for one question about many of them: what is the same for all is
/// looked up once. It must not know who asks.
struct MountStanding {
  /// How the mount as a whole stands.
  let whole: Control.EntryState
  private let troubled: Set<[UInt8]>
  /// Conflict copies that stand there, and the names that they are versions of.
  private let disputed: Set<[UInt8]>
  private let isHeld: Bool
  private let unmirrored: UnmirroredNames

  init(_ mount: Mount) {
    let snapshot = mount.snapshot.withLock { $0 }
    isHeld = snapshot.held != nil
    troubled = Set(snapshot.problems.map(\.path))
    let copies = snapshot.conflicts.filter { mount.absolute($0).exists }
    disputed = Set(copies + copies.compactMap { Self.original(of: $0) })
    unmirrored = UnmirroredNames(of: mount.folder)
    whole =
      switch (snapshot.failure, snapshot.held, snapshot.progress) {
      case (.some, _, _): .problem
      case (nil, .some, _): .held
      case (nil, nil, let progress) where progress.pendingLocal > 0: .sending
      case (nil, nil, let progress) where progress.pendingRemote > 0: .receiving
      default: .synced
      }
  }

  /// How something stands that the zone has, or is to have.
  func state(of entry: FolderReader.Entry) -> Control.EntryState {
    if troubled.contains(entry.path) { return .problem }
    if entry.isDeletedHere { return isHeld ? .held : .sending }
    guard entry.isSynced else { return entry.isLocal ? .sending : .receiving }
    return disputed.contains(entry.path) ? .conflict : .synced
  }

  /// How something stands that neither the index nor the zone has; nil if nothing is there that is
  /// mirrored.
  func state(ofUnknown path: [UInt8]) -> Control.EntryState? {
    if troubled.contains(path) { return .problem }
    return switch unmirrored.reason(path) {
    case .ignored: .ignored
    case .unseen: .sending
    case nil: nil
    }
  }

  /// The path that a conflict copy is a version of.
  private static func original(of copy: [UInt8]) -> [UInt8]? {
    let start = (copy.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
    let name = FileName(Array(copy[start...])).flatMap { nameBeforeConflict($0) }
    return name.map { copy[..<start] + $0.bytes }
  }
}
