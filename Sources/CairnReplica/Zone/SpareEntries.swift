import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// Makes spare copies of entries that somebody might alter or remove. They are found by the digest
/// in the following entry. It owns nothing.
struct SpareEntries {
  private let replica: ZoneReplica

  init(_ replica: ZoneReplica) { self.replica = replica }

  private var header: ZoneHeader { replica.header }
  private var keys: Keyring { replica.keys }
  private var folder: ZoneFolder { replica.folder }
  private var store: any ObjectStore { replica.store }
  private var zone: ZoneID { replica.zone }
  private var index: IndexFile { replica.index }

  /// Puts spare copies of entries by former members and revoked devices. They may still alter or
  /// remove their entries, and must not stop later readers.
  /// - Throws: `CloudError` if the container cannot be used now.
  func putAllOfFormerMembers() throws {
    guard header.kind == .owned, !header.isPurged else { return }
    let (members, revoked) = (header.members, header.revokedDevices)
    let places = try index.read { db in
      // Nothing is copied below a log start.
      try IndexedZone(db, zone: zone, header: header).log.uncopied(
        from: header.floor?.checkpoint ?? 0, except: members, revoked)
    }
    var done: [UInt64] = []
    for place in places where try put(of: place) { done.append(place) }
    guard !done.isEmpty else { return }
    try index.write { db in
      try IndexedZone(db, zone: zone, header: header).log.noteCopied(done)
    }
  }

  /// Puts a spare copy of an entry that was replayed here, unless there is one.
  /// - Returns: whether a copy is in the container now; false if the bytes are not kept.
  /// - Throws: `CloudError`.
  func put(of sequence: UInt64) throws -> Bool {
    let (bytes, digest) = try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      return (try state.keptEntries.bytes(at: sequence), try state.log.digest(at: sequence))
    }
    guard let digest, let bytes = try bytes ?? replica.entry(with: digest, at: sequence) else {
      return false
    }
    let object = LogCopies(entries: [bytes], place: sequence).encoded()
    // Under the key of its own epoch for readers without a newer one, and under the newest for all
    // others, because a former member with the old key may interfere.
    let own = try index.read { db in
      try IndexedZone(db, zone: zone, header: header).log.epoch(at: sequence)
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
      // A holder of the key can occupy all names before, with objects that are no copies and may be
      // removed.
      for place in places where try clear(place, of: digest) {
        if try takes(object, at: place) { return true }
      }
      return false
    } catch {
      throw CloudError(error)
    }
  }

  /// Puts a copy; false if any other object is there.
  private func takes(_ object: [UInt8], at place: ObjectKey) throws(StoreError) -> Bool {
    do throws(StoreError) { return try store.puts(place, object) } catch {
      guard error.isWorthRetrying else { return false }
      throw error
    }
  }

  /// Removes an object with the name of a copy that is no copy of the entry with that digest.
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
      try store.remove(place, ifIts: bytes, upTo: LogCopies.limit)
      return true
    } catch {
      guard error.isWorthRetrying else { return false }
      throw error
    }
  }
}
