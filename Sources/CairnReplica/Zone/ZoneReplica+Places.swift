import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// The positions of entries, the objects there, and the kept entries.
extension ZoneReplica {
  /// The key of a position of the log; nil if the key of its epoch is unknown here.
  public func place(_ sequence: UInt64) throws -> ObjectKey? {
    if sequence <= header.sequence {
      if folder.kind == .owned, sequence == header.sequence {
        return try lastEpoch().flatMap { keys[$0] }.map { folder.place(sequence, $0) }
      }
      return try index.read { db in
        try IndexedZone(db, zone: zone, header: header).log.place(of: sequence, in: folder, keys)
      }
    }
    if header.kind == .public { return sequence == header.sequence + 1 ? try openPlace() : nil }
    return keys[max(header.epoch, 1)].map { folder.place(sequence, $0) }
  }

  /// The epoch of the last replayed entry's seal; nil if that was never read here.
  private func lastEpoch() throws -> UInt64? {
    if let last, last.head == header.head { return last.epoch }
    let epoch = try index.read { db in
      try IndexedZone(db, zone: zone, header: header).log.epoch(at: header.sequence)
    }
    last = epoch.map { (header.head, $0) }
    return epoch
  }

  /// The key of a public log's next position, as its last entry locks it; nil for other logs, and
  /// if it is unknown here.
  func openPlace() throws -> ObjectKey? { try open?.next(after: header) }

  /// The object that counts at a position: the known entry for it, or else the stored object.
  func find(_ sequence: UInt64) throws -> LogObject {
    if let bytes = cursor.expected.entries[sequence] { return .bytes(bytes) }
    let found = try place(sequence).map { try find(at: $0) } ?? .nothing
    guard let digest = cursor.expected.digests[sequence],
      found.bytes.map({ EntryCodec.digest(of: $0) }) != digest,
      let bytes = try entry(with: digest, at: sequence),
      try LogReader(self).fill(sequence, with: bytes)
    else { return found }
    cursor.expected.entries[sequence] = bytes
    return .bytes(bytes)
  }

  /// The object under a key.
  func find(at key: ObjectKey) throws -> LogObject {
    if let known = ahead.take(key) { return known }
    do throws(StoreError) {
      return try store.get(key, upTo: EntryCodec.limit).map { .bytes($0) } ?? .nothing
    } catch {
      guard error.code == .corrupt else { throw CloudError(error) }
      return .rubbish(error.cause)
    }
  }

  /// The bytes at a position, if there are any.
  func fetch(_ sequence: UInt64) throws -> [UInt8]? {
    try place(sequence).flatMap { try find(at: $0).bytes }
  }

  /// The entry with that digest, from its position or from a spare copy.
  func entry(with digest: Bytes32, at sequence: UInt64) throws -> [UInt8]? {
    if let bytes = try standing(digest, at: sequence) { return bytes }
    guard header.kind == .owned else { return nil }
    if let bytes = try copy(of: digest, keys) { return bytes }
    // Under the old keys somebody may have occupied all its names.
    let later = try EpochEndRecords(self).knownKeys().all.filter { keys[$0.epoch] == nil }
    return later.isEmpty ? nil : try copy(of: digest, Keyring(later))
  }

  private func copy(of digest: Bytes32, _ keys: Keyring) throws -> [UInt8]? {
    do { return try LogCopies.find(digest, in: folder, store, keys) } catch {
      throw CloudError(error)
    }
  }

  /// The entry with that digest, if it is in its position. For an entry that is not replayed yet,
  /// any known epoch is possible.
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

  // MARK: What was read

  /// The bytes of a known entry, if they are kept.
  func kept(at place: UInt64) throws -> [UInt8]? {
    try index.read { db in
      try IndexedZone(db, zone: zone, header: header).keptEntries.bytes(at: place)
    }
  }

  /// The digest of a known entry; nil if there is none.
  func digest(at place: UInt64) throws -> Bytes32? {
    try index.read { db in
      try IndexedZone(db, zone: zone, header: header).log.digest(at: place)
    }
  }
}

extension ZoneReplica {
  /// The topic of the epoch in force; nil if its key is not known here.
  var bellTag: UInt32? {
    guard folder.kind == .owned else { return BellTag.ofPublic(zone) }
    return keys[max(header.epoch, 1)].map { BellTag.of(zone, $0) }
  }
}
