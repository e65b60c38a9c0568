public import CairnPlan
import CairnReplica
public import CairnZone

/// The state of one path of a mount, and the reason that it waits.
public struct Explanation: Sendable {
  /// The entry on the disk.
  public enum Seen: Hashable, Sendable {
    case nothing, file, directory, symlink
    /// A socket, FIFO or device.
    case special
    /// The mount point of another file system.
    case otherFileSystem
    /// Kept out of the zone by the pattern `rule` of a file with that path in the folder; by a
    /// built-in pattern if `file` is nil.
    case ignored(rule: [UInt8], file: [UInt8]?)
    /// Cairn's own, by its name.
    case own
    /// The parent directory is unreadable.
    case unreadable(String)
  }

  /// The entry on the disk.
  public var seen = Seen.nothing
  /// The record, or the id of the future one.
  public var record: RecordID?
  /// A Boolean value that indicates whether the zone has the record at this path.
  public var isInZone = false
  /// A Boolean value that indicates whether it isn't selected for this device.
  public var isLeftOut = false
  /// The changes here since both sides agreed.
  public var local: NodeChanges = []
  /// The changes in the zone since both sides agreed.
  public var remote: NodeChanges = []
  /// The reason that it waits; nil if unknown, or it doesn't wait.
  public var waiting: String?
  /// A Boolean value that indicates whether it was deleted here, and its deletion waits for the
  /// person's confirmation.
  public var isHeld = false
  /// Its problem.
  public var problem: PathProblem?
  /// The files that were set aside from here.
  public var rescued: [MountReport.Rescued] = []
}

/// Explains the state of a path of a mount; it only reads.
///
/// It uses these parts of the state: `held`, `identity`, `read`, `report`, `retries`, `root`,
/// `scanner`, `scope`, `zone`.
struct PathInquiry {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Explains the state of a path of this mount; it only reads.
  func explain(_ path: [UInt8]) throws -> Explanation {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    var found = Explanation()
    found.problem = state.report.allProblems.first { $0.path == path }
    found.rescued = state.report.rescued.filter { $0.of == path }
    try state.zone.read { view in
      let records = ScopedRecords(view, state.scope)
      try state.read { tree in
        guard let id = try Self.record(at: names, tree, records) else { return }
        let row = try tree.node(id)
        let remote = try records.node(id)
        found.record = id
        found.isInZone = remote != nil
        found.isLeftOut =
          try remote != nil && row?.local == nil && !SelectedRecords(view, state.scope).contains(id)
        found.local = NodeChanges(from: row?.synced, to: row?.local?.node)
        found.remote = NodeChanges(from: row?.synced, to: remote)
        found.waiting = state.retries[id].wait?.explanation
      }
    }
    if state.held.since != nil, found.local.contains(.deleted) {
      found.isHeld = try DeletionGate(state).waitingDeletions().contains { $0.id == found.record }
    }
    found.seen = try seen(names, isKnown: found.record != nil)
    return found
  }

  /// Returns the record at a path: in the folder, or, if it has no entry with that name, in the
  /// zone.
  private static func record(
    at names: [FileNameBytes], _ tree: FolderTree, _ records: ScopedRecords
  ) throws -> RecordID? {
    var id = RecordID.root
    for bytes in names {
      guard let name = FileName(bytes) else { return nil }
      let place = Place(parent: id, name: name)
      guard let next = try tree.child(at: place)?.id ?? records.child(at: place) else { return nil }
      id = next
    }
    return id
  }

  private func seen(_ names: [FileNameBytes], isKnown: Bool) throws -> Explanation.Seen {
    guard let root = state.root, let identity = state.identity, let last = names.last else {
      return .directory
    }
    guard !names.contains(Staging.folder), last != LocalRules.fileName else { return .own }
    let above = Array(names.dropLast())
    do throws(FolderError) {
      guard let stat = try FileStat.at(root.openDirectory(above), last) else { return .nothing }
      guard stat.kind != .other else { return .special }
      guard stat.device == identity.device else { return .otherFileSystem }
      // Rules apply to entries that aren't mirrored yet; an ignored directory hides its contents.
      for depth in names.indices where !isKnown {
        let entry = depth < above.count ? FileStat(kind: .directory) : stat
        guard let name = FileName(names[depth]) else { continue }
        let rule = try state.scanner?.ignores.rule(
          ignoring: name, in: Array(names.prefix(depth)), entry)
        if let rule { return .ignored(rule: rule.pattern, file: rule.file) }
      }
      switch stat.kind {
      case .file, .other: return .file
      case .directory: return .directory
      case .symlink: return .symlink
      }
    } catch {
      return error.code == .notFound ? .nothing : .unreadable(error.reason)
    }
  }
}
