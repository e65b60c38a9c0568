import CairnIdentity
import CairnIndex
import CairnReplica
import CairnStore
import CairnZone

/// The objects that a zone's log start makes unneeded, after the grace period. It is created only
/// if the container has the pointer to that log start, and its snapshot can be read completely.
///
/// It uses these parts of the container: `upkeep`.
struct FloorSweep {
  private let zone: Zone
  private let container: Container
  private let checkpoint: UInt64
  /// The key under which the time is noted since when the log start is known to be whole: its
  /// checkpoint's entry, which is never deleted while the log start is in force.
  let whole: ObjectKey
  /// The pointers to lower log starts or those of earlier epochs, and the parts that only their
  /// snapshots have.
  let unneeded: [ObjectKey]

  /// Finds the unneeded objects.
  /// - Returns: nil if nothing may be deleted.
  /// - Throws: `CloudError` if the container cannot be read.
  init?(_ zone: Zone, _ container: Container) throws {
    guard let floor = zone.header.floor else { return nil }
    let floors = Floors(folder: zone.folder, store: zone.store)
    let keys = zone.keyring()
    let all = try floors.told(keys)
    guard let told = all.first(where: { $0.checkpoint == floor.checkpoint }),
      let snapshot = try floors.read(told), snapshot.digest == floor.digest,
      snapshot.past == floor.past
    else { return nil }
    // Reading a whole snapshot every day for nothing would be expensive. Remains of an interruption
    // are deleted after the next log start.
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

  /// Returns whether entries below the log start of a zone may still exist, as far as this device
  /// knows.
  static func isOwed(of zone: Zone) throws -> Bool {
    guard let floor = zone.header.floor else { return false }
    return try zone.exclusively { try BelowFloor($0) }.next < floor.checkpoint
  }

  /// Counts the existing entries that may be deleted.
  /// - Returns: the number.
  /// - Throws: `CloudError` if the container cannot be read.
  func count(_ count: inout EntryCount) throws -> Int {
    let before = count.entries
    try Self.count(zone, below: checkpoint, &count)
    return count.entries - before
  }

  /// Counts the entries of a zone below a position in the container.
  /// - Throws: `CloudError` if the container cannot be read.
  static func count(_ zone: Zone, below end: UInt64, _ count: inout EntryCount) throws {
    let places = try zone.exclusively { try BelowFloor($0) }
    guard places.next < end else { return }
    for place in places.next..<end {
      if let entry = try places.standing(place, in: zone.store) { count.add(entry.size) }
    }
  }

  /// Deletes the entries below the log start, the lowest first. If one cannot be deleted, all
  /// following ones stay, so that nobody takes a used position for free.
  /// - Throws: `CloudError` if the container cannot be used.
  func throwAway(_ report: inout GarbageReport) throws {
    let places = try zone.exclusively { try EpochEndRecords($0).putAll() ? BelowFloor($0) : nil }
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
        try state.log.noteSwept(place)
      }
    }
  }
}

/// The possible names of entries below a log start.
private struct BelowFloor: Sendable {
  /// The first position whose entry may still exist, and may be deleted.
  let next: UInt64
  private let folder: ZoneFolder
  private let keys: Keyring
  private let index: IndexFile
  private let header: ZoneHeader

  init(_ replica: ZoneReplica) throws {
    (folder, keys, index) = (replica.folder, replica.keys, replica.index)
    header = replica.header
    let swept = try replica.index.read { db in
      try IndexedZone(db, zone: replica.zone, header: replica.header).log.swept()
    }
    next = swept + 1
  }

  /// The object at a position. If the epoch is unknown, all are possible.
  func standing(
    _ place: UInt64, in store: any ObjectStore
  ) throws -> (key: ObjectKey, size: UInt64)? {
    let epoch = try index.read { db in
      try IndexedZone(db, zone: folder.zone, header: header).log.epoch(at: place)
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

  /// The spare copies of an entry, if this device knows of any.
  func copies(of place: UInt64, in store: any ObjectStore) throws -> [ObjectKey] {
    let digest = try index.read { db in
      let state = try IndexedZone(db, zone: folder.zone, header: header)
      return try state.log.isCopied(place) ? try state.log.digest(at: place) : nil
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
