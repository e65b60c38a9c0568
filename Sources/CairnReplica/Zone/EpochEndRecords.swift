import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// The end-of-epoch records: copies of the entries that raised epochs, which everybody finds who
/// only has the epoch's key. It decides which records count; it owns nothing.
public struct EpochEndRecords {
  private let replica: ZoneReplica

  /// Creates a value for a replica.
  public init(_ replica: ZoneReplica) { self.replica = replica }

  private var header: ZoneHeader { replica.header }
  private var keys: Keyring { replica.keys }
  private var folder: ZoneFolder { replica.folder }
  private var store: any ObjectStore { replica.store }
  private var zone: ZoneID { replica.zone }
  private var index: IndexFile { replica.index }

  /// The entry that ended the epoch in force, if it is in its position.
  /// - Returns: the content of the record; nil if there is none.
  /// - Throws: `CloudError` if another object has the record's name.
  func end() throws -> EpochEndRecord.End? {
    let record = try record()
    guard case .garbage(let found) = record else { return record.end }
    throw try LogReader(replica).error(of: replica.cursor.holdByGarbage(found, header))
  }

  /// Reads the record of the epoch in force, and its entry.
  /// - Throws: `CloudError` if the container cannot be read.
  func record() throws -> EpochEndRecord {
    guard header.kind == .owned, let key = keys[max(header.epoch, 1)] else { return .free }
    let found = try replica.find(at: folder.end(of: key))
    if found == .nothing { return .free }
    guard let bytes = found.bytes, let copies = LogCopies(bytes), let entry = copies.entries.last,
      try raises(entry, at: copies.place, key)
    else { return .garbage(found) }
    guard copies.place > header.sequence,
      try replica.find(at: folder.place(copies.place, key)).bytes == entry
    else { return .unproven }
    do {
      let commit = try replica.open(entry, at: copies.place, keys: keys).commit
      guard commit.nextKey != nil else { return .unproven }
      let signed = SignedEntry(
        sequence: copies.place, previous: commit.previous, author: commit.author,
        isRevoked: replica.people.hasRevoked(commit.author))
      let digest = EntryCodec.digest(of: entry)
      return .counts(
        EpochEndRecord.End(signed: signed, entry: LogEntry(digest: digest, bytes: entry)))
    } catch is EntryRefused {
      return .unproven
    }
  }

  /// The known keys, and those of later epochs that records give to this person. A holder of an old
  /// key may forge such a record, so its key only says where to look for other proof. The entries
  /// that raised the epochs may be deleted.
  /// - Throws: `CloudError` if the container cannot be read.
  func knownKeys() throws -> Keyring {
    var known = keys
    while let last = known.latest {
      guard
        let copies = try replica.find(at: folder.end(of: last)).bytes.flatMap({ LogCopies($0) }),
        let entry = copies.entries.last
      else { break }
      do {
        guard let next = try replica.opened(entry, at: copies.place, known)?.newKey,
          next.epoch > last.epoch
        else { break }
        known.insert(next)
      } catch is EntryRefused {
        break
      }
    }
    return known
  }

  /// Returns whether an entry is signed, belongs to the epoch, and raises it: nothing else ends an
  /// epoch, in its position or not.
  private func raises(_ entry: [UInt8], at sequence: UInt64, _ key: ZoneKey) throws -> Bool {
    do {
      let commit = try replica.open(entry, at: sequence, keys: keys).commit
      return commit.epoch == key.epoch && commit.nextKey != nil
    } catch let refused as EntryRefused {
      return !refused.isFinal
    }
  }

  /// Puts the end-of-epoch record, unless it exists.
  func put(of epoch: UInt64, _ entry: [UInt8], at sequence: UInt64) throws {
    guard header.kind == .owned, let key = keys[epoch] else { return }
    do {
      guard try store.size(of: folder.end(of: key)) == nil else { return }
      _ = try store.puts(
        folder.end(of: key), LogCopies(entries: [entry], place: sequence).encoded())
    } catch {
      // A reader without write access loses nothing without it, and garbage in its place is
      // reported.
      guard error.isWorthRetrying else { return }
      throw CloudError(error)
    }
  }

  /// Puts the record for the last ended epoch, unless it exists, once another entry follows the one
  /// that raised it. While that is the last entry, its author may still have to take it back.
  /// - Throws: `CloudError` if the container cannot be used; then it is put the next time.
  func putOfLastRaise() throws {
    guard let (epoch, sequence) = replica.ended, header.sequence > sequence else { return }
    if let bytes = try replica.kept(at: sequence) ?? replica.fetch(sequence) {
      try put(of: epoch, bytes, at: sequence)
    }
    replica.ended = nil
  }

  /// Puts the records of all ended epochs, unless they exist. With the keys in their entries they
  /// lead a returning reader to the newest epoch.
  /// - Returns: whether all known records exist now.
  /// - Throws: `CloudError` if the container cannot be used.
  @discardableResult
  public func putAll() throws -> Bool {
    let raised = try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      replica.ended = try state.lastRaise() ?? replica.ended
      return try state.log.raises().map {
        ($0, try state.log.epoch(at: $0), try state.keptEntries.bytes(at: $0))
      }
    }
    var isMarked = true
    for case (let place, let epoch?, let bytes) in raised {
      guard let key = keys[epoch] else { continue }
      if let bytes = try bytes ?? replica.fetch(place) { try put(of: epoch, bytes, at: place) }
      do { isMarked = try store.size(of: folder.end(of: key)) != nil && isMarked } catch {
        throw CloudError(error)
      }
    }
    return isMarked
  }
}
