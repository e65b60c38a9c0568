import CairnStore
public import CairnZone

/// Moving records between zones of this person's: a directory of a private zone gets a zone of its
/// own to be shared, and comes back when the share ends.
extension Container {
  /// All directories and files that were given zones of their own.
  public func nestings() throws -> [Nesting] { try AccountZone.nestings(in: accountZone) }

  /// How that zone came out of another one; nil if it didn't.
  public func nesting(of zone: ZoneID) throws -> Nesting? {
    try AccountZone.nesting(of: zone, in: accountZone)
  }

  /// Shares a directory or file of a zone by itself. The new zone is complete before one commit in
  /// the outer one puts a reference in the place of the records: that commit is the moment of the
  /// move. An interruption before it leaves nothing but an entry in the account, which
  /// `dropUnlinkedZones` takes away.
  /// - Parameters:
  ///   - record: the directory or file.
  ///   - outer: its zone: this person's own, and not shared.
  ///   - title: the share's.
  ///   - path: where this device has it.
  /// - Returns: what was made.
  /// - Throws: `CloudError` with `.alreadyShared` if the zone is shared, or something below is.
  public func nest(
    _ record: RecordID, of outer: Zone, title: String, path: [UInt8]
  ) throws -> Nesting {
    try outer.pull()
    guard outer.scope == .private, outer.header.share == nil else {
      throw CloudError(
        .alreadyShared, "the folder is in a share already",
        remedy: "invite people to that share, or stop it first")
    }
    let subtree = try outer.read { try Subtree(record, in: $0) }
    guard !subtree.holdsReferences else {
      throw CloudError(
        .alreadyShared, "a folder in it is shared already", remedy: "stop that share first")
    }
    guard subtree.top.type == .directory || subtree.top.type == .file else {
      throw CloudError(
        .invalidArguments, "only folders and files can be shared", remedy: "name one of those")
    }
    let nonce = Bytes16.random()
    let id = ZoneID.derive(owner: account.user, nonce: nonce)
    var keys = Keyring()
    keys.insert(.random(epoch: 1))
    let isFile = subtree.top.type == .file
    let nesting = Nesting(
      part: ZonePart(id, base: isFile ? record : .root), outer: outer.id, reference: .random(),
      record: record, device: account.device.id)
    try AccountZone.add(
      nesting,
      AccountZone.Entry(
        zone: id, founder: account.user, owner: account.user, scope: .private, keys: keys),
      mountEntry(nesting.part, path: path, isFile: isFile), to: accountZone)
    do {
      let zone = try found(
        nesting, of: outer, with: subtree, title: title, keys: keys, nonce: nonce)
      try link(nesting, zone, in: outer, subtree)
    } catch {
      try dropIfUnlinked(nesting, outer)
      throw error
    }
    return nesting
  }

  /// Makes the new zone, complete.
  private func found(
    _ nesting: Nesting, of outer: Zone, with subtree: Subtree, title: String, keys: Keyring,
    nonce: Bytes16
  ) throws -> Zone {
    let id = nesting.part.zone
    let replica = try openReplica(id, in: .private, keys: keys)
    let batches = try subtree.batches(subtree.own.map { RecordChange(creating: $0) })
    // Where packs were closed before, the new zone closes the same ones: what it brings isn't
    // stored anew then. The first entry has no records: it stays when the log's beginning goes.
    let closed = try outer.closedPacks()
    _ = try replica.commit(
      records: [], share: [.title(title)] + (closed.map { [.zone(.retire($0))] } ?? []),
      expecting: 0, genesis: Genesis(owner: account.user, name: title), nonce: nonce)
    for batch in batches {
      _ = try replica.commit(
        records: batch.records, share: [], expecting: replica.header.sequence,
        bringing: batch.chunks)
    }
    let zone = Zone(id, scope: .private, store: store.part(id.description), replica: replica)
    keep(zone)
    return zone
  }

  /// Puts the reference in the place of the records, in one commit. If the outer zone moved on, the
  /// new zone is brought up to date first.
  private func link(
    _ nesting: Nesting, _ zone: Zone, in outer: Zone, _ first: Subtree
  ) throws {
    var (subtree, isOvertaken) = (first, false)
    try whileOvertaken {
      if isOvertaken {
        try outer.pull()
        subtree = try outer.read { try Subtree(nesting.record, in: $0) }
        try align(zone, with: subtree)
      }
      isOvertaken = true
      var changes = [RecordChange(id: nesting.record, act: .delete)]
      changes += subtree.below.map { RecordChange(id: $0.id, act: .delete) }
      changes.append(
        RecordChange(
          id: nesting.reference, act: .create(.reference), place: subtree.top.place,
          target: nesting.part.bytes))
      try outer.commit(changes, expecting: subtree.sequence)
    }
  }

  /// Makes the new zone, which nobody else knows yet, what the subtree is now.
  private func align(_ zone: Zone, with subtree: Subtree) throws {
    let own = subtree.own
    let ids = Set(own.map(\.id))
    let (changes, old) = try zone.read { view in
      var changes: [RecordChange] = []
      for record in own {
        if let known = try view.record(record.id) {
          RecordChange(turning: known, into: record).map { changes.append($0) }
        } else {
          changes.append(RecordChange(creating: record))
        }
      }
      return (changes, try view.state.descendants(of: .root).map(\.id))
    }
    let gone = old.filter { !ids.contains($0) }.map { RecordChange(id: $0, act: .delete) }
    let all = changes + gone
    guard !all.isEmpty else { return }
    let chunks = try subtree.batches(all).flatMap(\.chunks)
    try zone.save(all, bringing: chunks)
  }

  // MARK: Back again

  /// Whether anybody but the owner could ever read the zone, as far as it is folded.
  public func hadReaders(_ zone: Zone) -> Bool {
    let header = zone.header
    // Whoever went left the key to be changed, or had it changed.
    if header.epoch > 1 || header.isRekeyDue { return true }
    guard let share = header.share else { return false }
    return !share.participants.isEmpty || !share.links.isEmpty
  }

  /// Brings the records of such a zone back into the outer one, in one commit, under their old ids
  /// and with their content where it is. Whoever mirrors the zone on this device stops before.
  /// - Parameters:
  ///   - nesting: which.
  ///   - modified: the time of the directory on the disk, in nanoseconds since 1970; nil: now.
  /// - Throws: `CloudError`; with `.limitExceeded` if they don't fit into one commit, and then
  ///   nothing is changed.
  public func bringBack(_ nesting: Nesting, modified: Int64? = nil) throws {
    guard let outer = try zone(nesting.outer), let inner = try zone(nesting.part.zone) else {
      throw CloudError(
        .zoneNotFound, "the folder's zone, or the one around it, isn't there any more",
        remedy: "see `cairn status`")
    }
    try inner.pull()
    let records = try inner.read { try Subtree(.root, in: $0) }
    try whileOvertaken {
      try outer.pull()
      let (changes, chunks, sequence) = try outer.read { view in
        let changes = try self.returning(records, nesting, modified ?? WallClock.now, in: view)
        let batches = try records.batches(changes) { try view.hasChunk($0) }
        return (changes, batches.flatMap(\.chunks), view.header.sequence)
      }
      guard !changes.isEmpty else { return }
      try outer.commit(changes, bringing: chunks, expecting: sequence)
    }
  }

  /// The changes of the outer zone; none if the records are back already.
  private func returning(
    _ records: Subtree, _ nesting: Nesting, _ modified: Int64, in view: ZoneView
  ) throws -> [RecordChange] {
    guard let place = try view.record(nesting.reference)?.place else { return [] }
    var changes = [RecordChange(id: nesting.reference, act: .delete)]
    // Ids that came into use again in the outer zone are given up.
    var fresh: [RecordID: RecordID] = [:]
    for id in [nesting.record] + records.below.map(\.id) where try view.record(id) != nil {
      fresh[id] = .random()
    }
    let top = fresh[nesting.record] ?? nesting.record
    if !nesting.isFile {
      changes.append(
        RecordChange(
          id: top, act: .create(.directory), place: place,
          attributes: Attributes(isExecutable: false, modified: modified)))
    }
    for record in records.below {
      var record = record
      let isShown = record.id == nesting.part.base
      if isShown {
        record.place = place
      } else if let inner = record.place, inner.parent == .root {
        // What others put beside a single file goes beside it here too.
        record.place =
          nesting.isFile
          ? Place(parent: place.parent, name: try freeName(inner.name, in: place.parent, view))
          : Place(parent: top, name: inner.name)
      }
      record.id = fresh[record.id] ?? record.id
      if let parent = record.place?.parent { record.place?.parent = fresh[parent] ?? parent }
      changes.append(RecordChange(creating: record))
    }
    return changes
  }

  private func freeName(
    _ name: FileName, in directory: RecordID, _ view: ZoneView
  ) throws -> FileName {
    for number in 2... {
      guard try view.child(of: directory, named: name) != nil else { return name }
      if let next = FileName(Array(name.bytes.prefix(240)) + Array(" \(number)".utf8)),
        try view.child(of: directory, named: next) == nil
      {
        return next
      }
    }
    return name
  }

  /// Takes the reference to a zone away that is ended with all that is in it, and what the account
  /// knows of it. The devices take the files away as if they had been deleted.
  public func unlink(_ nesting: Nesting) throws {
    if let outer = try zone(nesting.outer) {
      try outer.pull()
      if try outer.read({ try $0.record(nesting.reference) }) != nil {
        try outer.save([RecordChange(id: nesting.reference, act: .delete)])
      }
    }
    try AccountZone.removeNested(nesting.part.zone, from: accountZone)
    close(nesting.part.zone)
  }

  /// Has a zone stand by itself: the one that it came out of is gone.
  public func release(_ nesting: Nesting) throws {
    try AccountZone.removeNesting(nesting.part.zone, from: accountZone)
  }

  // MARK: What is left over

  /// Takes away zones that were to come out of others when this device was interrupted, and those
  /// whose records are back; needs the container.
  public func dropUnlinkedZones() throws {
    try collectEndedZones(now: WallClock.now)
    for nesting in try unlinkedNestings() {
      if let outer = try zone(nesting.outer) { try dropIfUnlinked(nesting, outer) }
    }
  }

  /// Nestings of this device of which the index of the outer zone knows no reference: they were
  /// interrupted, or that index is behind.
  public func unlinkedNestings() throws -> [Nesting] {
    try nestings().filter { nesting in
      guard nesting.device == account.device.id, let outer = try zone(nesting.outer) else {
        return false
      }
      return try outer.read { try $0.record(nesting.reference) } == nil
    }
  }

  private func dropIfUnlinked(_ nesting: Nesting, _ outer: Zone) throws {
    // Only the log itself says whether the reference came to be.
    try outer.pull()
    guard try outer.read({ try $0.record(nesting.reference) }) == nil else { return }
    try drop(nesting, hadReaders: false)
  }

  /// Takes away a zone whose records are in the outer zone, and what the account knows of it; packs
  /// stay, since the outer zone uses them.
  /// - Parameters:
  ///   - nesting: which.
  ///   - hadReaders: whether others could read it at any time. They have to learn from its log that
  ///     it is over: then its objects stay for a while.
  /// - Throws: `CloudError`; what was not taken away is by the next call.
  public func drop(_ nesting: Nesting, hadReaders: Bool) throws {
    let id = nesting.part.zone
    if !hadReaders { try deleteObjects(of: id) }
    try AccountZone.removeNested(
      id, from: accountZone, remembering: hadReaders ? WallClock.now : nil)
    close(id)
    try erase(id, in: .private)
  }

  /// How long the log of a zone that went back can be read by those who were in its share, in
  /// nanoseconds: thirty days.
  public static let endedZoneLife: Int64 = 30 * 86_400 * 1_000_000_000

  /// Takes the objects of zones away that went back long enough ago, by this device's doing.
  /// - Parameter now: nanoseconds since 1970.
  /// - Throws: `CloudError` if the container can't be used now.
  public func collectEndedZones(now: Int64) throws {
    let zones = try AccountZone.endedZones(saidBy: account.device.id, in: accountZone)
    for (zone, ended) in zones where ended < now - Self.endedZoneLife {
      try deleteObjects(of: zone)
      try AccountZone.forgetEnded(zone, in: accountZone)
    }
  }

  func deleteObjects(of id: ZoneID) throws {
    let folder = ZoneFolder(zone: id, founder: account.user)
    do {
      while true {
        let keys = try store.list("\(folder.path)/", after: nil, limit: 1_000)
        for key in keys.reversed() { try store.delete(key) }
        if keys.isEmpty { break }
      }
      try store.prune(folder.path)
    } catch { throw CloudError(error) }
  }
}
