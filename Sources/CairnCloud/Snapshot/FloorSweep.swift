import CairnIndex
import CairnStore
import CairnZone

/// What the floor in force of a zone lets go, once its time is over. It is made only where the
/// container tells of that floor and its snapshot can be read to the last part.
struct FloorSweep {
  private let zone: Zone
  private let container: Container
  private let checkpoint: UInt64
  /// Stands for the floor where it is noted since when it is known to be whole: the name of its
  /// checkpoint's entry, which never goes itself while the floor is in force.
  let whole: ObjectKey
  /// What tells of floors that are lower, or of earlier epochs, and the parts of their snapshots
  /// alone.
  let unneeded: [ObjectKey]

  /// - Returns: nil if nothing may go.
  /// - Throws: `CloudError` if the container can't be read.
  init?(_ zone: Zone, _ container: Container) throws {
    guard let floor = zone.header.floor else { return nil }
    let floors = Floors(folder: zone.folder, store: zone.store)
    let keys = zone.keyring()
    let all = try floors.told(keys)
    guard let told = all.first(where: { $0.checkpoint == floor.checkpoint }),
      let snapshot = try floors.read(told), snapshot.digest == floor.digest,
      snapshot.past == floor.past
    else { return nil }
    // Reading all of a snapshot day after day, for nothing, would be dear. What an interruption
    // leaves of its parts goes after the next floor.
    guard try Self.isOwed(of: zone) || all.count > 1 else { return nil }
    let reader = SnapshotReader(
      folder: zone.folder, store: zone.store, key: told.key, keys: keys)
    guard let parts = try reader.wholeParts(of: snapshot) else { return nil }
    self.zone = zone
    self.container = container
    checkpoint = floor.checkpoint
    whole = zone.folder.place(floor.checkpoint, told.key)
    unneeded =
      all.filter { $0.checkpoint < floor.checkpoint || $0.key.epoch < told.key.epoch }
      .map(\.object)
      + (try floors.parts()).filter { !parts.contains($0) }
  }

  /// Whether entries below the floor of a zone may stand there yet, as far as this device knows.
  static func isOwed(of zone: Zone) throws -> Bool {
    guard let floor = zone.header.floor else { return false }
    return try zone.exclusively { try BelowFloor($0) }.next < floor.checkpoint
  }

  /// Counts the entries that may go and stand there yet.
  /// - Returns: how many.
  /// - Throws: `CloudError` if the container can't be read.
  func count(_ count: inout EntryCount) throws -> Int {
    let before = count.entries
    try Self.count(zone, below: checkpoint, &count)
    return count.entries - before
  }

  /// Counts the entries of a zone below a place that stand in the container.
  /// - Throws: `CloudError` if the container can't be read.
  static func count(_ zone: Zone, below end: UInt64, _ count: inout EntryCount) throws {
    let places = try zone.exclusively { try BelowFloor($0) }
    guard places.next < end else { return }
    for place in places.next..<end {
      if let entry = try places.standing(place, in: zone.store) { count.add(entry.size) }
    }
  }

  /// Deletes the entries below the floor, the lowest first: where one can't be deleted, all behind
  /// it stay, so that nobody takes a place for free that was taken.
  /// - Throws: `CloudError` if the container can't be used.
  func throwAway(_ report: inout GarbageReport) throws {
    let places = try zone.exclusively { try EpochMarks($0).putAll() ? BelowFloor($0) : nil }
    guard let places, places.next < checkpoint else { return }
    for place in places.next..<checkpoint {
      if let entry = try places.standing(place, in: zone.store) {
        guard try container.upkeep.discard(entry.key) else {
          report.refused.append(entry.key.description)
          break
        }
        report.deletedEntries.add(entry.size)
      }
      for copy in try places.copies(of: place, in: zone.store) {
        if try !container.upkeep.discard(copy) { report.refused.append(copy.description) }
      }
      if place % 1_000 == 0 || place + 1 == checkpoint { try note(place) }
    }
  }

  private func note(_ place: UInt64) throws {
    try zone.exclusively { replica in
      try replica.index.write { db in
        let state = try IndexedZone(db, zone: zone.id, header: replica.header)
        var query = try state.query("INSERT OR REPLACE INTO swept (zone, sequence) VALUES (?, ?)")
        query.bind(Int64(place))
        try query.run()
      }
    }
  }
}

/// The names that entries below a floor may have.
private struct BelowFloor: Sendable {
  /// The first place whose entry may stand there yet, and may go.
  let next: UInt64
  private let folder: ZoneFolder
  private let keys: Keyring
  private let index: IndexFile
  private let header: ZoneHeader

  init(_ replica: ZoneReplica) throws {
    (folder, keys, index) = (replica.folder, replica.keys, replica.index)
    header = replica.header
    let swept = try replica.index.read { db in
      var query = try IndexedZone(db, zone: replica.zone, header: replica.header).query(
        "SELECT sequence FROM swept WHERE zone = ?")
      return try query.next() ? UInt64(query.integer(0)) : 0
    }
    next = swept + 1
  }

  /// What stands at a place. Where the epoch isn't known, it may have been any.
  func standing(
    _ place: UInt64, in store: any ObjectStore
  ) throws -> (key: ObjectKey, size: UInt64)? {
    let epoch = try index.read { db in
      try IndexedZone(db, zone: folder.zone, header: header).epoch(at: place)
    }
    let own = epoch.flatMap { $0 > 0 ? keys[$0] : nil }
    do throws(StoreError) {
      for key in own.map({ [$0] }) ?? keys.all {
        let object = folder.place(place, key)
        if let size = try store.size(of: object) { return (object, UInt64(size)) }
      }
      return nil
    } catch {
      throw CloudError(error)
    }
  }

  /// The copies of an entry of which this device knows that there are any.
  func copies(of place: UInt64, in store: any ObjectStore) throws -> [ObjectKey] {
    let digest = try index.read { db in
      let state = try IndexedZone(db, zone: folder.zone, header: header)
      return try state.isCopied(place) ? try state.digest(at: place) : nil
    }
    guard let digest else { return [] }
    do throws(StoreError) {
      var found: [ObjectKey] = []
      for key in keys.all {
        for number in 0..<ZoneFolder.copies {
          let copy = folder.copy(of: digest, number, key)
          guard try store.size(of: copy) != nil else { break }
          found.append(copy)
        }
      }
      return found
    } catch {
      throw CloudError(error)
    }
  }
}

extension IndexedZone {
  /// Whether this device knows of a copy of an entry.
  fileprivate func isCopied(_ place: UInt64) throws -> Bool {
    var query = try query("SELECT 1 FROM entry WHERE zone = ? AND sequence = ? AND copied != 0")
    query.bind(Int64(place))
    return try has(query)
  }
}
