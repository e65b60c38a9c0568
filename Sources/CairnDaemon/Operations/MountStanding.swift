import CairnControl
import CairnFolders
import CairnPlan
import CairnZone
import Synchronization

/// The states of the names in a mount, for one request about many of them: common data is looked up
/// once. The caller is unknown here.
struct MountStanding {
  /// The state of the mount as a whole.
  let whole: Control.EntryState
  private let troubled: Set<[UInt8]>
  /// The existing conflict copies, and the original names of these.
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

  /// Returns the state of an entry that the zone has, or will have.
  func state(of entry: FolderReader.Entry) -> Control.EntryState {
    if troubled.contains(entry.path) { return .problem }
    if entry.isDeletedHere { return isHeld ? .held : .sending }
    guard entry.isSynced else {
      return entry.isLocal ? .sending : entry.isSelected ? .receiving : .notSelected
    }
    return disputed.contains(entry.path) ? .conflict : .synced
  }

  /// Returns the state of an entry that neither the index nor the zone has; nil if there is none,
  /// or it isn't mirrored.
  func state(ofUnknown path: [UInt8]) -> Control.EntryState? {
    if troubled.contains(path) { return .problem }
    return switch unmirrored.reason(path) {
    case .ignored: .ignored
    case .unseen: .sending
    case nil: nil
    }
  }

  /// Returns the original path of a conflict copy.
  private static func original(of copy: [UInt8]) -> [UInt8]? {
    let start = (copy.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
    let name = FileName(Array(copy[start...])).flatMap { nameBeforeConflict($0) }
    return name.map { copy[..<start] + $0.bytes }
  }
}
