import CairnDiagnostics
import CairnPlan
import CairnReplica
import CairnZone
import Synchronization

/// Reads changed files of the folder into chunks of the zone, and stores these. It runs on a thread
/// of an executor, and has no access to the state of the mount.
struct UploadJob: Sendable {
  /// A file to read, as the last scan found it.
  struct File: Sendable {
    var row: NodeRow
    var local: NodeRow.Local
    var path: [FileNameBytes]
    /// The time since which it has looked the same while it was open for writing.
    var quiet: OpenFileState?
    var id: RecordID { row.id }
  }

  /// The outcome for one file.
  enum Outcome: Sendable {
    /// Its bytes are in the zone's chunks.
    case read(Content, FileStat)
    /// It isn't the file of the last scan any more.
    case isAnother
    /// Somebody has it open for writing.
    case isOpen(OpenFileState)
    /// It changed while it was read. A torn version is never committed.
    case changed
    /// It is unreadable.
    case failed(FolderError)
  }

  /// The outcomes of all files that were tried.
  struct Result: Sendable {
    var files: [File]
    var token: TransferToken
    var outcomes: [(file: File, outcome: Outcome)] = []
    /// The error that ended it early. Then the container may lack the bytes of some files.
    var error: (any Error)?
    /// Chunks of other devices that were read back.
    var sound: [ChunkName] = []

    /// The number of bytes of all files that were read.
    var bytesRead: Int {
      outcomes.reduce(0) { sum, outcome in
        guard case .read(let content, _) = outcome.outcome else { return sum }
        return sum + Int(content.size)
      }
    }
  }

  let files: [File]
  let root: Descriptor
  let zone: Zone
  let lenders: [Zone]
  let lanes: Int
  let clock: any MountClock
  let token: TransferToken
  /// Chunks of other devices that were read back before.
  let sound: Set<ChunkName>

  var size: UInt64 { files.reduce(0) { $0 + $1.local.size } }

  /// Reads and stores all of the files.
  func run() -> Result {
    var result = Result(files: files, token: token)
    // The bytes of files that were read in vain.
    let lost = Mutex(0)
    do {
      try token.begin()
      let tell = { [token] (stored: Int) in token.set(max(0, stored - lost.withLock { $0 })) }
      let earlier = try earlierContents()
      try zone.ingestAll(lanes: lanes, borrowingFrom: lenders, onStored: tell) { ingest in
        for file in files {
          try token.check()
          let (outcome, count) = try read(file, after: earlier[file.id], ingest)
          result.outcomes.append((file, outcome))
          if case .read = outcome { continue }
          lost.withLock { $0 += count }
        }
      }
      token.set(result.bytesRead)
      result.sound = try readBack(result)
    } catch {
      result.error = error
    }
    return result
  }

  /// The contents that changed files have in the zone, as far as they may grow.
  private func earlierContents() throws -> [RecordID: Content] {
    let changed = files.filter { file in
      guard case .file? = file.row.synced?.kind else { return false }
      return file.local.size > Self.small
    }
    guard !changed.isEmpty else { return [:] }
    return try zone.read { view in
      try changed.reduce(into: [:]) { $0[$1.id] = try view.record($1.id)?.content }
    }
  }

  /// The size in bytes up to which a file is stored whole after each change.
  private static let small: UInt64 = 8 << 10

  /// Reads a file.
  /// - Returns: The outcome, and the number of bytes that were read.
  private func read(
    _ file: File, after earlier: Content?, _ ingest: Zone.Ingest
  ) throws -> (Outcome, Int) {
    var count = 0
    let outcome = try read(file, after: earlier, ingest, &count)
    return (outcome, count)
  }

  private func read(
    _ file: File, after earlier: Content?, _ ingest: Zone.Ingest, _ bytesRead: inout Int
  ) throws -> Outcome {
    do {
      let open = try root.openFile(file.path)
      let before = try FileStat.of(open)
      guard file.row.isSameInode(as: before), file.row.hasSameBytes(as: before) else {
        return .isAnother
      }
      if open.isOpenForWriting {
        let quiet = OpenFileState(
          file.quiet, size: before.size, modified: before.modified, clock.now)
        guard quiet.isLongEnough(clock.now) else { return .isOpen(quiet) }
      }
      let content = try ingest(after: earlier) { buffer in
        try token.check()
        let count = try open.read(into: buffer)
        bytesRead += count
        return count
      }
      let after = try FileStat.of(open)
      guard before == after, content.size == after.size else { return .changed }
      Diagnostics.transfer.debug(
        "read", [.value("record", file.id), .value("bytes", content.size)])
      return .read(content, before)
    } catch let error as FolderError {
      return error.code == .notFound ? .isAnother : .failed(error)
    }
  }

  /// Reads the chunks back that aren't stored because the zone has them from another person.
  private func readBack(_ result: Result) throws -> [ChunkName] {
    var checked: [ChunkName] = []
    let found = try zone.read { view in
      try result.outcomes.compactMap { file, outcome -> [ChunkName: UserID]? in
        guard case .read(let content, _) = outcome else { return nil }
        return try view.newlyBorrowed(by: content, of: file.id)
      }
    }
    for chunks in found where !chunks.isEmpty {
      let borrowed = chunks.keys.filter { !sound.contains($0) }
      guard !borrowed.isEmpty else { continue }
      let spoiled = try zone.spoiled(borrowed)
      checked += borrowed.filter { !spoiled.contains($0) }
    }
    return checked
  }
}

extension ZoneView {
  /// Returns the chunks of a record's new content that the zone has from others, and their people.
  func newlyBorrowed(
    by content: Content, of id: RecordID
  ) throws -> [ChunkName: UserID] {
    let found = try borrowed(by: content)
    guard !found.isEmpty else { return found }
    let before = Set(try record(id)?.content?.chunks ?? [])
    return found.filter { !before.contains($0.key) }
  }
}
