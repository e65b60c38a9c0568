import CairnIndex
import CairnStore
import CairnZone

/// Entries that somebody altered or took away, and where they are found again: among copies, by the
/// digest that the entry behind them names.
extension ZoneReplica {
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
  func standing(_ digest: Bytes32, at sequence: UInt64) throws -> [UInt8]? {
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
    var author: Author
    var entry: [UInt8]
  }

  /// The entry that ended the epoch in force, if there is one that stands in its place: the log
  /// isn't at its end then, whatever was taken away before it.
  /// - Parameter holds: whether it is an error if something else holds the name of the mark;
  ///   otherwise it is none.
  /// - Returns: what the mark tells; nil if it tells nothing.
  /// - Throws: `CloudError` if something else holds the name of the mark.
  func endOfEpoch(holds: Bool = true) throws -> EpochEnd? {
    guard header.kind == .owned, let key = keys[max(header.epoch, 1)] else { return nil }
    let mark = folder.end(of: key)
    let found = try find(at: mark)
    if found == .nothing { return nil }
    guard let bytes = found.bytes, let copies = LogCopies(bytes), let entry = copies.entries.last,
      try raises(entry, at: copies.place, key)
    else {
      guard holds else { return nil }
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
      return EpochEnd(
        sequence: copies.place, previous: commit.previous, author: commit.author, entry: entry)
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
