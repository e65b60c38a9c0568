import CairnIndex
import CairnStore
import CairnZone

/// The marks that epochs have ended: copies of the entries that raised them, where everybody finds
/// them who has the epoch's key and nothing newer. It decides which marks count; it owns nothing.
struct EpochMarks {
  private let replica: ZoneReplica

  init(_ replica: ZoneReplica) { self.replica = replica }

  private var header: ZoneHeader { replica.header }
  private var keys: Keyring { replica.keys }
  private var folder: ZoneFolder { replica.folder }
  private var store: any ObjectStore { replica.store }
  private var zone: ZoneID { replica.zone }
  private var index: IndexFile { replica.index }

  /// The entry that raised an epoch, as its mark tells.
  struct End {
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
  func end(holds: Bool = true) throws -> End? {
    guard header.kind == .owned, let key = keys[max(header.epoch, 1)] else { return nil }
    let mark = folder.end(of: key)
    let found = try replica.find(at: mark)
    if found == .nothing { return nil }
    guard let bytes = found.bytes, let copies = LogCopies(bytes), let entry = copies.entries.last,
      try raises(entry, at: copies.place, key)
    else {
      guard holds else { return nil }
      throw try LogCheck(replica).hold(
        ZoneReplica.Stopped(
          sequence: header.sequence + 1, reason: "It marks no end of an epoch.", found: found,
          holder: .rubbish),
        by: mark
      ).error
    }
    guard copies.place > header.sequence,
      try replica.find(at: folder.place(copies.place, key)).bytes == entry
    else { return nil }
    do {
      let commit = try replica.open(entry, at: copies.place, keys: keys).commit
      guard commit.nextKey != nil else { return nil }
      return End(
        sequence: copies.place, previous: commit.previous, author: commit.author, entry: entry)
    } catch is EntryRefused {
      return nil
    }
  }

  /// Whether nothing at all stands under the name of the mark of the epoch in force.
  /// - Throws: `CloudError` if the container can't be read.
  func isFree() throws -> Bool {
    guard let key = keys[max(header.epoch, 1)] else { return true }
    return try replica.find(at: folder.end(of: key)) == .nothing
  }

  /// Says that the mark of the end of the epoch in force holds the next place, if it is by somebody
  /// who may not end it: where nothing leads to it, that is what is wrong.
  /// - Throws: `CloudError` if so.
  func refuseUnfounded() throws {
    guard let end = try end(holds: false), let key = keys[max(header.epoch, 1)],
      !header.rights(of: end.author.user).contains(.administer)
    else { return }
    let mark = folder.end(of: key)
    throw try LogCheck(replica).hold(
      ZoneReplica.Stopped(
        sequence: header.sequence + 1,
        reason: "It marks the end of an epoch by somebody who may not end it.",
        found: replica.find(at: mark), holder: .rubbish),
      by: mark
    ).error
  }

  /// The keys that are known, and those of later epochs that marks hand to this person. Whoever has
  /// an old key may forge such a mark: a key out of one only says where to look for what is proven
  /// otherwise. The entries that raised the epochs needn't stand any more.
  /// - Throws: `CloudError` if the container can't be read.
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

  /// Whether an entry is one of an epoch that somebody signed and that raises it: nothing else ends
  /// one, whether it stands in a place or not.
  private func raises(_ entry: [UInt8], at sequence: UInt64, _ key: ZoneKey) throws -> Bool {
    do {
      let commit = try replica.open(entry, at: sequence, keys: keys).commit
      return commit.epoch == key.epoch && commit.nextKey != nil
    } catch let refused as EntryRefused {
      return !refused.isFinal
    }
  }

  /// Puts the mark that an epoch has ended, unless it is there.
  func put(of epoch: UInt64, _ entry: [UInt8], at sequence: UInt64) throws {
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

  /// Puts the mark of the epoch that ended last, unless it is there, once something stands behind
  /// the entry that raised it: as long as that is the last one, its author may still have to take
  /// it back.
  /// - Throws: `CloudError` if the container can't be used; then it is put the next time.
  func putOfLastRaise() throws {
    guard let (epoch, sequence) = replica.ended, header.sequence > sequence else { return }
    if let bytes = try replica.kept(at: sequence) ?? replica.fetch(sequence) {
      try put(of: epoch, bytes, at: sequence)
    }
    replica.ended = nil
  }

  /// Puts the marks of all epochs that are over, unless they are there: with the keys that their
  /// entries hand out they lead whoever was away to the newest one.
  /// - Returns: whether all that this device knows of stand now.
  /// - Throws: `CloudError` if the container can't be used.
  @discardableResult
  func putAll() throws -> Bool {
    let raised = try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      replica.ended = try state.lastRaise() ?? replica.ended
      return try state.raises().map { ($0, try state.epoch(at: $0), try state.kept(at: $0)) }
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
