import CairnStore
import CairnZone

/// The next entries of a log, as they stand. It decides how far ahead is asked, and that nothing is
/// taken for free that may have been looked at before the place in front of it; what the entries
/// are worth, it must not know.
///
/// Where answers come from afar, the first flight asks for the last entry that was read and the
/// next place, the second one for the place behind that and the mark of the epoch's end; as long as
/// entries come, each flight asks for twice as many as the one before.
struct NextEntries {
  /// Entries as they were found, one after the other, and what stands behind the last.
  struct Batch {
    var entries: [ZoneReplica.Placed] = []
    var behind = ZoneReplica.Found.nothing
  }

  /// The most entries, and the most bytes of them, that are folded in one transaction.
  private static let most = (entries: 64, bytes: 8 << 20)

  private let replica: ZoneReplica
  /// How many places the next flight asks for.
  private var reach = 1
  /// In which epoch places were asked for.
  private var epoch: UInt64
  /// The epoch of which a batch ended early since it is over.
  private var told: UInt64 = 0

  /// Asks for the last entry that was read and for the next place.
  init(_ replica: ZoneReplica) throws {
    self.replica = replica
    epoch = max(replica.header.epoch, 1)
    replica.ahead.drop()
    guard replica.ahead.width > 1, replica.header.kind == .owned else { return }
    let last = replica.header.sequence
    let other = try last > 0 ? replica.place(last) : mark
    replica.ahead.ask([other, place(last + 1)].compactMap { $0 })
  }

  /// The next entries, at most up to a place. Nothing is believed before the place behind it was
  /// looked at.
  /// - Throws: `CloudError` if the container can't be read.
  mutating func read(upTo last: UInt64) throws -> Batch {
    var batch = Batch()
    var bytes = 0
    guard replica.header.kind == .owned else { return try nextOfPublic() }
    if epoch != max(replica.header.epoch, 1) {
      replica.ahead.drop()
      (reach, epoch) = (1, max(replica.header.epoch, 1))
    }
    defer { replica.ahead.dropFree(except: mark) }
    // The first place of the flight that answered.
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
        // It may have been free before the one in front of it came.
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
      batch.entries.append(ZoneReplica.Placed(sequence: sequence, found: batch.behind))
    }
  }

  /// Whether a flight has found a mark that the epoch is over: then it is read from there, and
  /// nothing is asked for twice. That there is none counts only behind the last entry, and is asked
  /// again there.
  private mutating func isOver(_ batch: Batch) -> Bool {
    guard replica.ahead.width > 1, let mark, let found = replica.ahead.take(mark),
      found.bytes != nil, told != epoch
    else { return false }
    replica.ahead.giveBack(found, mark)
    guard !batch.entries.isEmpty else { return false }
    told = epoch
    return true
  }

  /// The next entry of a public log: it alone tells where the one behind it stands.
  private func nextOfPublic() throws -> Batch {
    let sequence = replica.header.sequence + 1
    let found = try replica.find(sequence)
    return Batch(
      entries: found == .nothing
        ? [] : [ZoneReplica.Placed(sequence: sequence, found: found)])
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
    replica.course.entries[sequence] != nil
      || place(sequence).map { replica.ahead.knows($0) } ?? false
  }

  private func place(_ sequence: UInt64) -> ObjectKey? {
    replica.keys[epoch].map { replica.folder.place(sequence, $0) }
  }

  private var mark: ObjectKey? { replica.keys[epoch].map { replica.folder.end(of: $0) } }
}
