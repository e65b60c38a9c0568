import CairnIndex
import CairnStore
import CairnZone

/// Makes copies of entries that somebody might alter or take away, where they are found again by
/// the digest that the entry behind them names. It owns nothing.
struct EntryCopies {
  private let replica: ZoneReplica

  init(_ replica: ZoneReplica) { self.replica = replica }

  private var header: ZoneHeader { replica.header }
  private var keys: Keyring { replica.keys }
  private var folder: ZoneFolder { replica.folder }
  private var store: any ObjectStore { replica.store }
  private var zone: ZoneID { replica.zone }
  private var index: IndexFile { replica.index }

  /// Puts copies of entries whose authors aren't in the zone any more, or whose devices are
  /// revoked: they may still alter or remove what they put there, and must not stop those who come
  /// later.
  /// - Throws: `CloudError` if the container can't be used now.
  func putAllOfFormerMembers() throws {
    guard header.kind == .owned, !header.isPurged else { return }
    let (members, revoked) = (header.members, header.revokedDevices)
    let places = try index.read { db in
      try IndexedZone(db, zone: zone, header: header).uncopied(except: members, revoked)
    }
    var done: [UInt64] = []
    for place in places where try put(of: place) { done.append(place) }
    guard !done.isEmpty else { return }
    try index.write { db in
      try IndexedZone(db, zone: zone, header: header).noteCopied(done)
    }
  }

  /// Puts a copy of an entry that was folded here, unless there is one.
  /// - Returns: whether a copy stands in the container now; false if the bytes aren't kept.
  /// - Throws: `CloudError`.
  func put(of sequence: UInt64) throws -> Bool {
    let (bytes, digest) = try index.read { db in
      let state = try IndexedZone(db, zone: zone, header: header)
      return (try state.kept(at: sequence), try state.digest(at: sequence))
    }
    guard let digest, let bytes = try bytes ?? replica.entry(with: digest, at: sequence) else {
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
      try store.remove(place, ifIts: bytes, upTo: LogCopies.limit)
      return true
    } catch {
      guard error.isWorthRetrying else { return false }
      throw error
    }
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
