import CairnPlan
import CairnZone
import Synchronization

/// The transfers of a mount: what the executor reads and stores, or fetches and stages, beside the
/// sync cycle, and the fetched files that wait for their steps. A record has at most one transfer.
/// A fetched file may wait while the person's own edit of the same record is stored. It knows
/// neither the disk nor the zone.
final class Transfers {
  /// A transfer that was handed out, and whose result hasn't been taken.
  struct UnderWay {
    /// The version that is transferred.
    enum Version: Hashable {
      /// A file in the folder, as the last scan found it.
      case local(NodeRow.Local)
      /// A content of the zone.
      case remote(ContentID)

      /// The direction of its bytes.
      var way: TransferWork.Way {
        if case .local = self { .upload } else { .download }
      }

      /// Returns whether both have the same bytes.
      func isSame(as other: Version) -> Bool {
        switch (self, other) {
        case (.local(let local), .local(let other)): local.isSameVersion(as: other)
        default: self == other
        }
      }
    }

    var version: Version
    var token: TransferToken
    /// A Boolean value that indicates whether it transfers this record only, so that it can be
    /// cancelled when the record changes.
    var isAlone: Bool
  }

  /// A complete file in the staging folder, for a step of a later plan.
  struct Staged {
    var name: FileNameBytes
    /// The node for which it was staged.
    var node: Node
    /// A Boolean value that indicates whether it has no write bits.
    var isReadOnly: Bool
    var size: UInt64
    var token: TransferToken
  }

  /// The most records that are handed out at once. A large folder is transferred in parts, so that
  /// neither memory nor the first commit depends on its size.
  static let limit = 8_192

  private(set) var underWay: [RecordID: UnderWay] = [:]
  private(set) var staged: [RecordID: Staged] = [:]
  /// The large files that are fetched in part, or wait for their steps: the intent log's rows.
  private(set) var partial: [RecordID: PartialFile] = [:]
  /// The finished bytes of interrupted transfers, which their next attempts don't transfer again.
  private var kept: [RecordID: (version: UnderWay.Version, bytes: Int64)] = [:]
  /// The bytes that downloads under way were handed out for.
  private var expected: UInt64 = 0
  /// The records that a person wants before all others.
  private(set) var first: Set<RecordID> = []
  /// The outcomes of merges, by record, until the record is planned again.
  private var merges: [RecordID: (versions: MergeJob.Versions, outcome: MergeJob.Outcome)] = [:]
  /// The new directories that are built in the staging folder.
  var newDirectories = NewDirectories()
  /// The records that changed since the rules were checked.
  private var unchecked: Set<RecordID> = []
  /// A Boolean value that indicates whether a record had two transfers at once.
  private var wasDoubled = false
  private let executor: any TransferExecutor
  private let results: TransferResults

  /// Creates a value without transfers. `onResult` is called after each result, on any thread.
  init(_ executor: any TransferExecutor, _ onResult: @escaping @Sendable () -> Void) {
    self.executor = executor
    results = TransferResults(onResult)
  }

  /// Returns whether so many more records may be handed out now.
  func hasRoom(for count: Int) -> Bool { underWay.count + count <= Self.limit }

  /// A Boolean value that indicates whether anything is under way.
  var isActive: Bool { !underWay.isEmpty }

  /// Returns whether a record is being transferred.
  func has(_ id: RecordID) -> Bool { underWay[id] != nil }

  /// Returns whether a record is being transferred, or waits for files of a new directory.
  func keepsWaiting(_ id: RecordID) -> Bool { has(id) || newDirectories.isWaiting(id) }

  /// Returns whether the bytes of a record are being fetched.
  func isFetching(_ id: RecordID) -> Bool { underWay[id]?.version.way == .download }

  /// The records whose bytes are being fetched.
  var fetched: Set<RecordID> {
    Set(underWay.lazy.filter { $0.value.version.way == .download }.map(\.key))
  }

  /// Returns the state of a record's transfer, for people.
  func explanation(of id: RecordID) -> String? {
    guard let known = underWay[id] else {
      return newDirectories.isWaiting(id) ? "waits for other files to be received" : nil
    }
    let isSent = if case .local = known.version { true } else { false }
    guard known.token.hasBegun else { return "waits for other files to be transferred" }
    return isSent ? "is being sent" : "is being received"
  }

  /// The reported bytes of files that the index still counts as waiting.
  var told: (sent: Int64, received: Int64) {
    var told: (sent: Int64, received: Int64) = (0, 0)
    // Several records may have one transfer.
    var tokens: Set<ObjectIdentifier> = []
    for known in underWay.values where tokens.insert(ObjectIdentifier(known.token)).inserted {
      if case .local = known.version {
        told.sent += known.token.told
      } else {
        told.received += known.token.told
      }
    }
    for (version, bytes) in kept.values {
      if case .local = version { told.sent += bytes } else { told.received += bytes }
    }
    return (told.sent, told.received + stagedBytes)
  }

  /// The bytes that downloads under way will still write, at most.
  var unwritten: UInt64 {
    let tokens = underWay.values.filter { $0.version.way == .download }.map(\.token)
    let written = UInt64(
      clamping: Dictionary(tokens.map { (ObjectIdentifier($0), $0.told) }) { first, _ in first }
        .values.reduce(0, +))
    return expected - min(expected, written)
  }

  private var stagedBytes: Int64 { staged.values.reduce(0) { $0 + Int64($1.size) } }

  // MARK: Handing out and taking in

  /// Gives a transfer to the executor.
  func handOut(
    _ way: TransferWork.Way, _ records: Set<RecordID>, size: UInt64, memory: Int,
    _ body: @escaping @Sendable () -> TransferResult
  ) {
    executor.carryOut(
      TransferWork(
        mount: number, way: way, size: size, memory: memory, records: records,
        isFirst: !records.isDisjoint(with: first)
      ) { [results] in results.post(body()) })
  }

  /// The number of the mount for the executor.
  private var number: Int { Int(bitPattern: ObjectIdentifier(results)) }

  /// Moves records to the front: those that wait for their turn, and those that are handed out
  /// later.
  func hurry(_ records: Set<RecordID>) {
    first.formUnion(records)
    executor.hurry(records, of: number)
  }

  /// Returns the files with those first that a person wants before all others.
  func inOrder<File>(_ files: [File], _ id: (File) -> RecordID) -> [File] {
    guard !first.isEmpty else { return files }
    return files.filter { first.contains(id($0)) } + files.filter { !first.contains(id($0)) }
  }

  /// Forgets a person's wishes: nothing waits any more.
  func forgetFirst() { first = [] }

  /// Takes the results so far.
  func takeResults() -> [TransferResult] { results.take() }

  /// Notes a transfer that is handed out.
  func begin(_ id: RecordID, _ transfer: UnderWay, size: UInt64 = 0) {
    if underWay.updateValue(transfer, forKey: id) != nil { wasDoubled = true }
    unchecked.insert(id)
    if case .remote = transfer.version { expected += size }
  }

  /// Notes the end of a transfer.
  /// - Returns: false if nobody waits for its result, because it was cancelled with the folder.
  func end(_ id: RecordID, _ token: TransferToken, size: UInt64 = 0) -> Bool {
    guard let known = underWay[id], known.token === token else { return false }
    underWay[id] = nil
    newDirectories.end(id)
    first.remove(id)
    if case .remote = known.version { expected -= min(size, expected) }
    return true
  }

  /// Notes the finished bytes of an interrupted transfer.
  func keep(_ id: RecordID, _ version: UnderWay.Version, _ bytes: Int64) {
    kept[id] = bytes > 0 ? (version, bytes) : nil
  }

  /// Creates the token of a transfer. It continues with the finished bytes of an interrupted one;
  /// those of another version are taken back.
  /// - Parameters:
  ///   - way: The direction of the bytes.
  ///   - alone: The record and its version, if only one record is transferred.
  ///   - board: The board for reports.
  ///   - clock: The engine's clock.
  /// - Returns: The token.
  func token(
    _ way: TransferWork.Way, alone: (id: RecordID, version: UnderWay.Version)?,
    _ board: WorkBoard, _ clock: any MountClock
  ) -> TransferToken {
    guard let (id, version) = alone, let known = kept.removeValue(forKey: id) else {
      return TransferToken(way, board, clock)
    }
    let earlier = TransferToken(known.version.way, board, clock, kept: known.bytes)
    guard known.version.isSame(as: version) else {
      earlier.loseAll()
      return TransferToken(way, board, clock)
    }
    return earlier
  }

  /// Forgets the finished bytes of versions that nobody needs any more.
  /// - Returns: Their numbers.
  func dropKept(
    unless isNeeded: (RecordID, UnderWay.Version) throws -> Bool
  ) rethrows -> (sent: Int64, received: Int64) {
    var dropped: (sent: Int64, received: Int64) = (0, 0)
    for (id, known) in kept where try !isNeeded(id, known.version) {
      kept[id] = nil
      if case .local = known.version {
        dropped.sent += known.bytes
      } else {
        dropped.received += known.bytes
      }
    }
    return dropped
  }

  /// The finished bytes of a record's interrupted transfer.
  func finished(of id: RecordID) -> Int64 { kept[id]?.bytes ?? 0 }

  /// A Boolean value that indicates whether an interrupted transfer has finished bytes.
  var hasKept: Bool { !kept.isEmpty }

  /// Notes a complete file.
  /// - Returns: The file whose place it takes.
  func stage(_ id: RecordID, _ file: Staged) -> Staged? {
    unchecked.insert(id)
    return staged.updateValue(file, forKey: id)
  }

  /// Notes the large file of a record in the intent log; nil if there is none any more.
  func note(_ file: PartialFile?, of id: RecordID) {
    partial[id] = file
    if file != nil { unchecked.insert(id) }
  }

  /// Notes the outcome of a merge of a record's versions.
  func note(_ outcome: MergeJob.Outcome, of id: RecordID, _ versions: MergeJob.Versions) {
    merges[id] = (versions, outcome)
  }

  /// Takes the outcome of a merge; nil if there is none of these versions.
  func takeMerge(of id: RecordID, _ versions: MergeJob.Versions) -> MergeJob.Outcome? {
    guard let merge = merges.removeValue(forKey: id), merge.versions == versions else { return nil }
    return merge.outcome
  }

  /// Takes the complete file of a record for a step.
  func takeStaged(_ id: RecordID) -> Staged? { staged.removeValue(forKey: id) }

  /// Cancels the transfers of versions that nobody needs any more.
  /// - Parameter isNeeded: Decides about a record that has a transfer of its own that has begun.
  ///   Others find out themselves.
  func cancel(unless isNeeded: (RecordID, UnderWay.Version) throws -> Bool) rethrows {
    for (id, known) in underWay where known.isAlone && known.token.hasBegun {
      if try !isNeeded(id, known.version) { known.token.cancel() }
    }
  }

  /// Cancels everything: the folder is closed, or opened again.
  func cancelAll() {
    for known in underWay.values { known.token.cancel() }
    (underWay, staged, expected) = ([:], [:], 0)
    (kept, merges) = ([:], [:])
    newDirectories = NewDirectories()
    // The next start of the folder loads them again.
    partial = [:]
  }

  // MARK: Invariants

  /// Checks the rules that hold between any two sync cycles, for the records that changed since the
  /// last check.
  /// - Returns: The rule that is broken; nil if none is.
  func findBrokenRule() -> String? {
    defer { unchecked = [] }
    for id in unchecked {
      guard let file = staged[id] else { continue }
      if isFetching(id) { return "\(id) is being fetched, and its file is here" }
      if let partial = partial[id], partial.name != file.name {
        return "\(id) has two files in the staging folder"
      }
    }
    if wasDoubled { return "a record is transferred twice" }
    if underWay.count > Self.limit { return "too many transfers at once" }
    if let rule = newDirectories.brokenRule { return rule }
    return underWay.isEmpty && expected != 0 ? "bytes are expected of nobody" : nil
  }
}

/// The results of transfers, from the threads of an executor to the sync cycle.
final class TransferResults: Sendable {
  private let results = Mutex<[TransferResult]>([])
  private let onResult: @Sendable () -> Void

  /// `onResult` is called after each result, on the thread of the transfer.
  init(_ onResult: @escaping @Sendable () -> Void) { self.onResult = onResult }

  func post(_ result: TransferResult) {
    results.withLock { $0.append(result) }
    onResult()
  }

  func take() -> [TransferResult] {
    results.withLock { results in
      defer { results = [] }
      return results
    }
  }
}

/// The result of one transfer.
enum TransferResult: Sendable {
  case sent(UploadJob.Result)
  case received(DownloadJob.Result)
  case merged(MergeJob.Result)
}
