import CairnIndex
import CairnStore
import CairnZone

/// Entries that somebody altered or took away, and where they are found again: among copies, by the
/// digest that the entry behind them names.
extension ZoneReplica {
  /// How many places are looked at behind one that holds no valid entry.
  private static let lookAhead: UInt64 = 9

  /// What is to be had for a place where no valid entry stands.
  enum WayRound { case found, missing, nothing }

  /// Finds the entries that belong at a place where no valid one stands, so that the fold can go
  /// on with them. What a device has signed gives way only to another entry by the same device:
  /// nobody else could have exchanged it.
  /// - Returns: whether they were found, or are missing, or nothing says that there are any.
  /// - Throws: `CloudError` if the container can't be read.
  func goRound(_ stopped: Stopped) throws -> WayRound {
    guard header.kind == .owned, copied[stopped.sequence] == nil,
      let proof = try proof(behind: stopped.sequence)
    else { return .nothing }
    let run: [UInt64: [UInt8]]
    do { run = try copies(of: proof.digest, at: proof.sequence, from: header) ?? [:] } catch {
      guard let problem = error as? EntryProblem, !problem.isFinal else { throw error }
      // What only a newer Cairn can read isn't missing where it stands.
      let stands = try stopped.holder != .rubbish && find(stopped.sequence) != .nothing
      return stands ? .nothing : .missing
    }
    guard run[stopped.sequence] != nil else {
      return stopped.commit == nil ? .missing : .nothing
    }
    guard try !displacesOthers(run) else { return .nothing }
    guard try fill(run) else { return .missing }
    for (place, bytes) in run { copied[place] = bytes }
    return .found
  }

  /// Whether a run of entries would take the place of one that stands and is another device's: only
  /// its own device could have exchanged it.
  private func displacesOthers(_ run: [UInt64: [UInt8]]) throws -> Bool {
    for (place, bytes) in run {
      do {
        let epoch = try EntryCodec.header(of: bytes).epoch
        guard let key = keys[epoch], let standing = try find(at: folder.place(place, key)).bytes,
          standing != bytes
        else { continue }
        let theirs = try open(standing, at: place, keys: keys).commit.author
        let ours = try EntryCodec.reopen(bytes, zone: zone, sequence: place, keys: keys).author
        if theirs != ours { return true }
      } catch is EntryProblem {
        continue
      } catch is EntryRefused {
        // Nobody's entry: that is what copies are for.
        continue
      }
    }
    return false
  }

  /// Puts entries that copies tell of into their places where these are free: a slow writer, who
  /// looked before, must not fall into one. What stands there altered, a copy stands in for.
  /// - Returns: whether no place is free any more; false if this person can't put anything there.
  private func fill(_ run: [UInt64: [UInt8]]) throws -> Bool {
    for (place, bytes) in run.sorted(by: { $0.key < $1.key }) {
      do {
        guard let key = keys[try EntryCodec.header(of: bytes).epoch] else { return false }
        let name = folder.place(place, key)
        if try find(at: name) == .nothing { _ = try store.puts(name, bytes) }
      } catch let error as StoreError {
        guard error.isWorthRetrying else { return false }
        throw CloudError(error)
      } catch is EntryProblem {
        return false
      }
    }
    return true
  }

  /// Whether a signed entry stands behind a place: then something is missing there.
  func standsBehind(_ sequence: UInt64) throws -> Bool {
    guard header.kind == .owned else { return false }
    return try proof(behind: sequence) != nil
  }

  /// A place, and the digest that the entry there must have.
  struct Proof {
    var sequence: UInt64
    var digest: Bytes32
  }

  /// The nearest entry behind a place that stands and names the one before it; or what whoever let
  /// this person in said of the log.
  private func proof(behind sequence: UInt64) throws -> Proof? {
    for place in sequence + 1...sequence + Self.lookAhead {
      for key in keys.all.reversed() where key.epoch >= max(header.epoch, 1) {
        guard let bytes = try find(at: folder.place(place, key)).bytes else { continue }
        do {
          let commit = try open(bytes, at: place, keys: keys).commit
          guard commit.epoch == key.epoch, header.believes(commit.author) else { continue }
          return Proof(sequence: place - 1, digest: commit.previous)
        } catch is EntryRefused {
          continue
        }
      }
    }
    if let end = try endOfEpoch(), end.sequence > sequence { return end.proof }
    guard let anchor, anchor.sequence >= sequence else { return nil }
    return Proof(sequence: anchor.sequence, digest: anchor.digest)
  }

  /// The entries that lead from what is folded to the one with that digest, all from copies or from
  /// their places; nil if one of them isn't to be had. Throws `EntryProblem` if a newer Cairn wrote
  /// one.
  private func copies(
    of digest: Bytes32, at sequence: UInt64, from header: ZoneHeader
  ) throws -> [UInt64: [UInt8]]? {
    var run: [UInt64: [UInt8]] = [:]
    var (place, wanted) = (sequence, digest)
    while place > header.sequence {
      guard let bytes = try entry(with: wanted, at: place) else { return nil }
      run[place] = bytes
      do throws(EntryProblem) {
        // Who signed it is checked when it is folded.
        wanted = try EntryCodec.reopen(bytes, zone: zone, sequence: place, keys: keys).previous
      } catch {
        guard error.isFinal else { throw error }
        return nil
      }
      place -= 1
    }
    return wanted == header.head ? run : nil
  }

  /// The entry with that digest, from its place or from a copy.
  func entry(with digest: Bytes32, at sequence: UInt64) throws -> [UInt8]? {
    if let bytes = try standing(digest, at: sequence) { return bytes }
    guard header.kind == .owned else { return nil }
    do { return try LogCopies.find(digest, in: folder, store, keys) } catch {
      throw CloudError(error)
    }
  }

  /// The entry with that digest, if it stands at its place. Of what isn't folded yet, the epoch may
  /// be any that is known.
  private func standing(_ digest: Bytes32, at sequence: UInt64) throws -> [UInt8]? {
    let places: [ObjectKey]
    if sequence <= header.sequence {
      places = try place(sequence).map { [$0] } ?? []
    } else {
      places = keys.all.filter { $0.epoch >= max(header.epoch, 1) }
        .map { folder.place(sequence, $0) }
    }
    for place in places {
      if let bytes = try find(at: place).bytes, EntryCodec.digest(of: bytes) == digest {
        return bytes
      }
    }
    return nil
  }

  // MARK: The end of an epoch

  /// The entry that raised an epoch, as its mark tells.
  struct EpochEnd {
    var sequence: UInt64
    var previous: Bytes32
    var proof: Proof { Proof(sequence: sequence - 1, digest: previous) }
  }

  /// The entry that ended the epoch in force, if there is one that stands in its place: the log
  /// isn't at its end then, whatever was taken away before it.
  /// - Throws: `CloudError` if something else holds the name of the mark.
  func endOfEpoch() throws -> EpochEnd? {
    guard header.kind == .owned, let key = keys[max(header.epoch, 1)] else { return nil }
    let mark = folder.end(of: key)
    let found = try find(at: mark)
    if found == .nothing { return nil }
    guard let bytes = found.bytes, let copies = LogCopies(bytes), let entry = copies.entries.last,
      try raises(entry, at: copies.place, key)
    else {
      throw try hold(
        Stopped(
          sequence: header.sequence + 1, reason: "It marks no end of an epoch.", found: found,
          holder: .rubbish),
        by: mark
      ).error
    }
    guard copies.place > header.sequence,
      try find(at: folder.place(copies.place, key)).bytes == entry
    else { return nil }
    do {
      let commit = try open(entry, at: copies.place, keys: keys).commit
      guard commit.nextKey != nil else { return nil }
      return EpochEnd(sequence: copies.place, previous: commit.previous)
    } catch is EntryRefused {
      return nil
    }
  }

  /// Whether an entry is one of an epoch that somebody signed and that raises it: nothing else ends
  /// one, whether it stands in a place or not.
  private func raises(_ entry: [UInt8], at sequence: UInt64, _ key: ZoneKey) throws -> Bool {
    do {
      let commit = try open(entry, at: sequence, keys: keys).commit
      return commit.epoch == key.epoch && commit.nextKey != nil
    } catch let refused as EntryRefused {
      return !refused.isFinal
    }
  }

  /// Puts the mark that an epoch has ended, unless it is there.
  func putEnd(of epoch: UInt64, _ entry: [UInt8], at sequence: UInt64) throws {
    guard header.kind == .owned, let key = keys[epoch] else { return }
    do {
      guard try store.size(of: folder.end(of: key)) == nil else { return }
      _ = try store.puts(
        folder.end(of: key), LogCopies(entries: [entry], place: sequence).encoded())
    } catch {
      // Whoever may not write is no worse off without it, and rubbish in its place is told of.
      guard error.isWorthRetrying else { return }
      throw CloudError(error)
    }
  }

  // MARK: Making copies

  /// Puts copies of entries whose authors aren't in the zone any more, or whose devices are
  /// revoked: they may still alter or remove what they put there, and must not stop those who come
  /// later.
  /// - Throws: `CloudError` if the container can't be used now.
  func copyEntriesOfFormerMembers() throws {
    guard header.kind == .owned, !header.isPurged else { return }
    let (members, revoked) = (header.members, header.revokedDevices)
    let places = try index.read { db in
      try IndexedZone(db, zone: zone, header: header).uncopied(except: members, revoked)
    }
    var done: [UInt64] = []
    for place in places where try putCopy(of: place) { done.append(place) }
    guard !done.isEmpty else { return }
    try index.write { db in
      try IndexedZone(db, zone: zone, header: header).noteCopied(done)
    }
  }

  /// Puts a copy of an entry that was folded here, unless there is one.
  /// - Returns: whether a copy stands in the container now; false if the bytes aren't kept.
  /// - Throws: `CloudError`.
  func putCopy(of sequence: UInt64) throws -> Bool {
    let (bytes, digest) = try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      return (try state.kept(at: sequence), try state.digest(at: sequence))
    }
    guard let digest, let bytes = try bytes ?? entry(with: digest, at: sequence) else {
      return false
    }
    let object = LogCopies(entries: [bytes], place: sequence).encoded()
    // Under the key of its own epoch for those who know no newer one; under the newest for all
    // whom a former member with the old key may hinder.
    let own = try index.read { db in
      try IndexedZone(db, zone: zone, header: header).epoch(at: sequence)
    }
    var isPut = false
    for epoch in Set([own ?? header.epoch, max(header.epoch, 1)]) {
      guard let key = keys[epoch] else { continue }
      isPut = try put(object, asCopyOf: digest, key) || isPut
    }
    return isPut
  }

  private func put(_ object: [UInt8], asCopyOf digest: Bytes32, _ key: ZoneKey) throws -> Bool {
    let places = (0..<ZoneFolder.copies).map { folder.copy(of: digest, $0, key) }
    do throws(StoreError) {
      for place in places where try takes(object, at: place) { return true }
      // Who knows the key can fill all names before: with what is no copy, and may go.
      for place in places where try clear(place, of: digest) {
        if try takes(object, at: place) { return true }
      }
      return false
    } catch {
      throw CloudError(error)
    }
  }

  /// Puts a copy; false if something else stands there, whatever it is.
  private func takes(_ object: [UInt8], at place: ObjectKey) throws(StoreError) -> Bool {
    do throws(StoreError) { return try store.puts(place, object) } catch {
      guard error.isWorthRetrying else { return false }
      throw error
    }
  }

  /// Takes away what stands under the name of a copy and is none of the entry with that digest.
  /// - Returns: whether the name may be free now.
  private func clear(_ place: ObjectKey, of digest: Bytes32) throws(StoreError) -> Bool {
    do throws(StoreError) {
      var bytes: [UInt8]?
      do throws(StoreError) { bytes = try store.get(place, upTo: LogCopies.limit) } catch {
        guard error.code == .corrupt else { throw error }
      }
      if let entry = bytes.flatMap({ LogCopies($0)?.entries.last }),
        EntryCodec.digest(of: entry) == digest
      {
        return true
      }
      try store.remove(place, ifIts: bytes)
      return true
    } catch {
      guard error.isWorthRetrying else { return false }
      throw error
    }
  }
}

/// A place of a log and the digest of the entry there, as somebody who had read it says: whoever
/// they let in must come by the same.
public struct LogAnchor: Hashable, Sendable {
  /// The place.
  public var sequence: UInt64
  /// The digest of the entry there.
  public var digest: Bytes32

  /// Joins the two.
  public init(sequence: UInt64, digest: Bytes32) {
    self.sequence = sequence
    self.digest = digest
  }
}

extension ZoneHeader {
  /// Whether what a device puts behind a place says anything of that place: its person may write or
  /// administer. What others sign there says nothing, or who may only read could call any log
  /// damaged. Before anything is folded nobody's rights are known.
  func believes(_ author: Author) -> Bool {
    guard genesis != nil else { return true }
    let rights = rights(of: author.user)
    return !revokedDevices.contains(author)
      && (rights.contains(.write) || rights.contains(.administer))
  }
}
