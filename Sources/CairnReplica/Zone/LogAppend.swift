import CairnDiagnostics
import CairnIdentity
import CairnStore
import CairnZone

/// Puts an entry at the next position of a log, and checks again before it counts, because others
/// may have acted since the checks before the put. It decides whether the entry counts or is taken
/// back; it owns nothing.
struct LogAppend {
  private let replica: ZoneReplica

  init(_ replica: ZoneReplica) { self.replica = replica }

  private var header: ZoneHeader { replica.header }

  /// Puts an entry, and ensures that everybody reads it there.
  /// - Throws: `CloudError`, with `.serverRecordChanged` if the log continued differently: then the
  ///   entry is not there, or somebody built on it.
  func put(_ bytes: [UInt8], at sequence: UInt64, rekey: Bool) throws {
    guard let key = try replica.place(sequence) else {
      throw header.kind == .owned ? ZoneReplica.shutOut : noPlace(behind: header.sequence)
    }
    // Until everything is checked again, nobody relies on the last check.
    replica.looks.forgetEnd()
    do {
      guard try replica.store.puts(key, bytes) else {
        // `pull` reports the object that is there; if it sees none, it is garbage.
        guard try replica.find(at: key) == .nothing else { throw ZoneReplica.moved }
        throw heldByNoObject(sequence, key).error
      }
    } catch let error as StoreError {
      throw CloudError(error)
    }
    guard header.kind == .owned else { return }
    replica.looks.begin(after: replica.hints.count)
    do { try checkStanding(bytes, at: sequence, key) } catch let error as CloudError {
      // The entry is already there: a lost answer must not count as a conflict.
      guard error.isWorthRetrying, error != ZoneReplica.moved else { throw error }
      try checkStanding(bytes, at: sequence, key)
    }
    Diagnostics.log.debug(
      "entry stored",
      [.value("zone", replica.zone), .value("sequence", sequence), .value("bytes", bytes.count)])
    if rekey { try EpochEndRecords(replica).put(of: max(header.epoch, 1), bytes, at: sequence) }
  }

  /// Ensures that an own entry that was just put is where everybody reads it. Otherwise it fell
  /// into a hole that somebody made, and is taken back. One check is not enough: a partial read
  /// proves no loss, and another reader of the entry would lose its base.
  private func checkStanding(_ bytes: [UInt8], at sequence: UInt64, _ key: ObjectKey) throws {
    defer { replica.ahead.drop() }
    if try reaches(bytes, at: sequence, key) || reaches(bytes, at: sequence, key) { return }
    try takeBack(sequence)
  }

  /// Returns whether everybody reaches an own entry: the entry before and the own one are there,
  /// and nobody has written behind it, or ended the epoch, after another entry in its position. One
  /// batch requests all of these.
  private func reaches(_ bytes: [UInt8], at sequence: UInt64, _ key: ObjectKey) throws -> Bool {
    replica.ahead.drop()
    replica.ahead.ask(try looked(around: sequence, key))
    if header.sequence > 0, try replica.entry(with: header.head, at: header.sequence) == nil {
      // Nothing is put back below a log start, and only entries that counted there were kept.
      switch try SnapshotBootstrap(replica).counts(EntryCodec.digest(of: bytes), at: sequence) {
      case let counts?:
        // Nobody has looked behind the entry.
        replica.looks.begin(after: nil)
        return counts
      case nil: guard try putsBackHead() else { return false }
      }
    }
    guard try stands(bytes, at: key) || stands(bytes, at: key) else { throw ZoneReplica.moved }
    let named = try namedBehind(sequence)
    let isBuiltOn = named == EntryCodec.digest(of: bytes)
    let isEnded = try EpochEndRecords(replica).end().map { $0.signed.sequence > sequence } ?? false
    guard isEnded || !(isBuiltOn || named == nil) else { return true }
    // An entry that others built on stays; the log says whether it counts.
    guard !isBuiltOn else { throw ZoneReplica.moved }
    return false
  }

  /// The keys to check after a put: the entry before, the own one, the next one, and the
  /// end-of-epoch record.
  private func looked(around sequence: UInt64, _ key: ObjectKey) throws -> [ObjectKey] {
    guard replica.ahead.width > 1 else { return [] }
    let before = header.sequence > 0 ? try replica.place(header.sequence) : nil
    let mark = replica.keys[max(header.epoch, 1)].map { replica.folder.end(of: $0) }
    return [before, key, try replica.place(sequence + 1), mark].compactMap { $0 }
  }

  /// Returns whether our entry is there: its beginning is unique.
  private func stands(_ bytes: [UInt8], at key: ObjectKey) throws -> Bool {
    guard bytes.count >= Prefetch.portion else {
      return try replica.find(at: key) == .bytes(bytes)
    }
    do throws(StoreError) {
      let part = 0..<Prefetch.portion
      return try replica.store.get(key, range: part)?.elementsEqual(bytes[part]) ?? false
    } catch {
      throw CloudError(error)
    }
  }

  /// Puts the last known entry back if it is missing, or a spare copy of it if another object is
  /// there.
  /// - Returns: false if the entry before it is missing, too, because then the container lost more;
  ///   or if another device's entry is there, because then the log continued differently.
  private func putsBackHead() throws -> Bool {
    let (place, kept) = (header.sequence, try replica.kept(at: header.sequence))
    if try place > LogConsistency(replica).lowestNeeded,
      let before = try replica.digest(at: place - 1),
      try replica.entry(with: before, at: place - 1) == nil
    {
      return false
    }
    guard let kept, let key = try replica.place(place) else { return true }
    do throws(StoreError) {
      if try replica.store.puts(key, kept) { return true }
    } catch {
      guard !error.isWorthRetrying else { throw CloudError(error) }
    }
    guard try !LogReader(replica).displacesOthers(kept, at: place) else { return false }
    _ = try SpareEntries(replica).put(of: place)
    return true
  }

  /// Removes an own entry that nobody reads, so that it is made again.
  /// - Throws: always: the state of the log before it, or that it continued differently.
  private func takeBack(_ sequence: UInt64) throws {
    if let key = try replica.place(sequence) {
      do { try replica.store.delete(key) } catch { throw CloudError(error) }
    }
    // Earlier results are old now.
    replica.ahead.drop()
    replica.cursor.owesBehind = true
    try LogConsistency(replica).checkHead()
    throw ZoneReplica.moved
  }

  /// The digest that a signed entry behind a position names for it; nil if there is none.
  private func namedBehind(_ sequence: UInt64) throws -> Bytes32? {
    guard let bytes = try replica.fetch(sequence + 1) else { return nil }
    // What nobody signed is reported by a reader.
    replica.looks.begin(after: nil)
    do {
      let commit = try replica.open(bytes, at: sequence + 1, keys: replica.keys).commit
      return header.believes(commit.author) ? commit.previous : nil
    } catch is EntryRefused { return nil }
  }

  /// The error if the last entry, or the chain, locks a name that is not one of this person's.
  private func noPlace(behind sequence: UInt64) -> CloudError {
    CloudError(
      .assetNotAvailable,
      "what you publish can't go on: the place that entry \(sequence) of its log names isn't one "
        + "of yours",
      remedy: "see in `cairn device list` which of your devices isn't in your hands: the entry is "
        + "by it, and its object has to be taken out of \(replica.folder.log)")
  }

  private func heldByNoObject(_ sequence: UInt64, _ key: ObjectKey) -> LogTrouble {
    var found = LogTrouble(.held, agreed: sequence - 1, seen: sequence)
    found.object = key.description
    found.owner = replica.store.owner(of: key)
    found.reason = "is no regular file"
    replica.trouble = found
    return found
  }
}
