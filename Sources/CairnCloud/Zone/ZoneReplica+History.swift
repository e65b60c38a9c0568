import CairnStore
import CairnZone
import GRDB

/// Compares the log in the container with what was read of it here.
extension ZoneReplica {
  /// Makes sure that the last entry that was read still stands in the container, before anything is
  /// read or written behind it.
  /// - Throws: `CloudError` that says what the container lost, if it did.
  func checkHistory() throws {
    trouble = try isHeadInPlace() ? nil : look()
    if let trouble { throw trouble.error }
  }

  private func isHeadInPlace() throws -> Bool {
    // Of a zone that its owner ended, the log goes some day.
    guard header.sequence > 0, !header.isPurged else { return true }
    guard let bytes = try fetch(header.sequence) else { return false }
    return EntryCodec.digest(of: bytes) == header.head
  }

  /// Makes sure that no entry stands behind the end of the log: there would be a gap, and what is
  /// put into it would hide what is missing from everybody who comes later. Rubbish, which anybody
  /// can put there, is no sign of a gap.
  func checkNothingBehind(thoroughly: Bool) throws {
    let next = header.sequence + 1
    var isGap = false
    for place in try placesBehind(next, thoroughly: thoroughly) where !isGap {
      guard let bytes = try fetch(place) else { continue }
      do {
        _ = try open(bytes, at: place, keys: keys)
        isGap = true
      } catch is EntryRefused {
        continue
      }
    }
    // Somebody may have written both since the last look.
    guard isGap, try fetch(next) == nil else { return }
    let found = LogTrouble(.damaged, agreed: header.sequence, seen: next)
    trouble = found
    throw found.error
  }

  private func placesBehind(_ next: UInt64, thoroughly: Bool) throws -> [UInt64] {
    do throws(StoreError) {
      guard thoroughly else {
        return try store.size(of: Self.key(zone, next + 1)) == nil ? [] : [next + 1]
      }
      return try store.list("zones/\(zone)/log/", after: Self.key(zone, next), limit: 16)
        .compactMap { $0.description.split(separator: "/").last.flatMap { UInt64($0) } }
    } catch {
      throw CloudError(error)
    }
  }

  /// Finds the place up to which the container agrees, and tells what happened behind it.
  private func look() throws -> LogTrouble? {
    let seen = header.sequence
    var agreed = seen
    var others: [UInt64: [UInt8]] = [:]
    while agreed > 0 {
      if let bytes = try fetch(agreed) {
        let known = try index.read { db in
          try IndexedZone(db, zone: zone, header: header).digest(at: agreed)
        }
        if EntryCodec.digest(of: bytes) == known { break }
        if others.count >= 64 { others.removeValue(forKey: others.keys.max() ?? 0) }
        others[agreed] = bytes
      }
      agreed -= 1
    }
    guard agreed < seen else { return nil }
    let isLonger = try hasEntries(after: seen)
    guard !others.isEmpty || isLonger else {
      return LogTrouble(.lostEnd, agreed: agreed, seen: seen)
    }
    return LogTrouble(
      try leadsElsewhere(after: agreed) ? .twoHistories : .damaged, agreed: agreed, seen: seen)
  }

  /// What this device signed and this run didn't write, after the log was read to its end, somebody
  /// else wrote with the same keys.
  func noticeClone(_ commit: Commit, at sequence: UInt64) {
    guard hasReadAll, commit.author == account.author, commit.run != people.use.run else {
      return
    }
    people.use.notice(ClonedDevice(zone: zone, sequence: sequence))
  }

  func hasEntries(after sequence: UInt64) throws -> Bool {
    do {
      return try !store.list("zones/\(zone)/log/", after: Self.key(zone, sequence), limit: 1)
        .isEmpty
    } catch {
      throw CloudError(error)
    }
  }

  /// Whether somebody went on from the entry at `agreed` in another way than we have read: a signed
  /// entry follows it, or follows what stands in its place. Otherwise an entry is only damaged.
  private func leadsElsewhere(after agreed: UInt64) throws -> Bool {
    let known = try index.read { db in
      try IndexedZone(db, zone: zone, header: header).digest(at: agreed)
    }
    guard var previous = known else { return false }
    var place = agreed + 1
    while let bytes = try fetch(place) {
      do {
        if try open(bytes, at: place, keys: keys).commit.previous == previous { return true }
        return false
      } catch is EntryRefused {
        // Rubbish, or an entry that was altered: what follows it tells which.
        previous = EntryCodec.digest(of: bytes)
        place += 1
      }
    }
    return false
  }

  /// How each place of the log that was read here stands in the container now.
  enum Standing: Hashable, Sendable { case there, missing, altered }

  /// The places whose entries aren't those that were read here, in their order.
  func differences(_ progress: (UInt64) -> Void = { _ in }) throws -> [(UInt64, Standing)] {
    var found: [(UInt64, Standing)] = []
    guard header.sequence > 0 else { return [] }
    for place in 1...header.sequence {
      progress(place)
      guard let bytes = try fetch(place) else {
        found.append((place, .missing))
        continue
      }
      let known = try index.read { db in
        try IndexedZone(db, zone: zone, header: header).digest(at: place)
      }
      if EntryCodec.digest(of: bytes) != known { found.append((place, .altered)) }
    }
    return found
  }
}
