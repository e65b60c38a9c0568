import CairnIdentity
import CairnStore
import CairnZone

/// The next entries of a log, as stored. It decides how many positions are read ahead, and that a
/// position only counts as free if it was read after the one before it. It must not judge the
/// entries.
///
/// For a distant store, the first batch requests the last known entry and the next position, and
/// the second one the position behind it and the end-of-epoch record. While entries come, each
/// batch requests twice as many as the one before.
struct EntryReader {
  /// The maximum number of entries, and of their bytes, in one transaction.
  private static let most = (entries: 64, bytes: 8 << 20)

  private let replica: ZoneReplica
  /// The number of positions in the next batch.
  private var reach = 1
  /// The epoch of the requested positions.
  private var epoch: UInt64
  /// The epoch whose end cut a batch short.
  private var told: UInt64 = 0

  /// Requests the last known entry and the next position.
  init(_ replica: ZoneReplica) throws {
    self.replica = replica
    epoch = max(replica.header.epoch, 1)
    replica.ahead.drop()
    guard replica.ahead.width > 1, replica.header.kind == .owned else { return }
    let last = replica.header.sequence
    let other = try last > 0 ? replica.place(last) : mark
    replica.ahead.ask([other, place(last + 1)].compactMap { $0 })
  }

  /// The next entries, up to a position. Nothing counts before the position behind it was read.
  /// - Throws: `CloudError` if the container cannot be read.
  mutating func read(upTo last: UInt64) throws -> LogBatch {
    var batch = LogBatch()
    var bytes = 0
    guard replica.header.kind == .owned else { return try nextOfPublic() }
    if epoch != max(replica.header.epoch, 1) {
      replica.ahead.drop()
      (reach, epoch) = (1, max(replica.header.epoch, 1))
    }
    defer { replica.ahead.dropFree(except: mark) }
    // The first position of the batch that answered.
    var first = replica.header.sequence + 1
    while true {
      let sequence = replica.header.sequence + UInt64(batch.entries.count) + 1
      guard sequence <= last || !batch.entries.isEmpty else { return batch }
      if replica.ahead.width == 1 || !isForeseen(sequence) {
        first = sequence
        ask(sequence, upTo: last)
      }
      batch.behind = try replica.find(sequence)
      if batch.behind == .nothing, sequence > first {
        // It may have been free before the entry in front of it came.
        replica.ahead.drop()
        (reach, first) = (1, sequence)
        ask(sequence, upTo: last)
        batch.behind = try replica.find(sequence)
      }
      guard batch.behind != .nothing else { return batch }
      guard !isOver(batch), sequence <= last, batch.entries.count < Self.most.entries,
        bytes < Self.most.bytes
      else {
        if let key = place(sequence) { replica.ahead.giveBack(batch.behind, key) }
        return batch
      }
      bytes += batch.behind.bytes?.count ?? 0
      batch.entries.append(LogBatch.Placed(sequence: sequence, found: batch.behind))
    }
  }

  /// Returns whether a batch found an end-of-epoch record: then the epoch is read from there, and
  /// nothing is requested twice. A missing record counts only behind the last entry, and is
  /// requested again there.
  private mutating func isOver(_ batch: LogBatch) -> Bool {
    guard replica.ahead.width > 1, let mark, let found = replica.ahead.take(mark),
      found.bytes != nil, told != epoch
    else { return false }
    replica.ahead.giveBack(found, mark)
    guard !batch.entries.isEmpty else { return false }
    told = epoch
    return true
  }

  /// The next entry of a public log: only it names the position behind it.
  private func nextOfPublic() throws -> LogBatch {
    let sequence = replica.header.sequence + 1
    let found = try replica.find(sequence)
    return LogBatch(
      entries: found == .nothing
        ? [] : [LogBatch.Placed(sequence: sequence, found: found)])
  }

  private mutating func ask(_ sequence: UInt64, upTo last: UInt64) {
    guard replica.ahead.width > 1 else { return }
    let count = min(UInt64(reach), max(last, sequence) - sequence + 1)
    var keys = (sequence..<sequence + count).compactMap { place($0) }
    if reach == 1, let mark { keys.append(mark) }
    replica.ahead.ask(keys)
    reach = min(2 * reach, replica.ahead.width)
  }

  private func isForeseen(_ sequence: UInt64) -> Bool {
    replica.cursor.expected.entries[sequence] != nil
      || place(sequence).map { replica.ahead.knows($0) } ?? false
  }

  private func place(_ sequence: UInt64) -> ObjectKey? {
    replica.keys[epoch].map { replica.folder.place(sequence, $0) }
  }

  private var mark: ObjectKey? { replica.keys[epoch].map { replica.folder.end(of: $0) } }
}
