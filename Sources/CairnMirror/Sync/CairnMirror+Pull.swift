import CairnCloud

extension CairnMirror {
  /// Fetches the changes of all zones, and brings them into the tables in one transaction.
  func pull() async throws(CloudError) {
    var incoming: [Int64: Incoming] = [:]
    var tokens: [Int64: String?] = [:]
    var isMoving = true
    // A record that left one zone may be in another one by now: then that is asked again.
    while isMoving {
      try await listZones()
      isMoving = false
      for (number, zone) in zones {
        let saved = try ledger.token(of: number)
        var token = tokens[number] ?? saved
        var changes = incoming[number] ?? Incoming(zone: number, isWhole: token == nil)
        var isMore = true
        while isMore {
          let next: ZoneChanges
          do throws(CloudError) {
            next = try await zone.changes(since: token.map { ZoneToken(text: $0) })
          } catch {
            guard error.code == .changeTokenExpired, token != nil else { throw error }
            (token, changes) = (nil, Incoming(zone: number, isWhole: true))
            continue
          }
          changes.add(next)
          if !next.deleted.isEmpty { isMoving = true }
          (token, isMore) = (next.token.text, next.moreComing)
        }
        tokens[number] = .some(token)
        changes.token = token == saved ? nil : token
        incoming[number] = changes
      }
    }
    for (number, id, _) in try ledger.zones() where zones[number] == nil {
      guard number != mainNumber else { continue }
      incoming[number] = Incoming(
        zone: number,
        ending: "\(CloudError.Code.userDeletedZone.rawValue)|"
          + "the zone \(id) is deleted, or isn't shared with you any more")
    }
    for (number, id) in try ledger.waiting() where zones[number] != nil {
      let isNew = incoming[number]?.records.contains { $0.id == id } ?? false
      guard !isNew, let zone = zones[number], let record = try await zone.known([id])[0] else {
        continue
      }
      incoming[number, default: Incoming(zone: number)].records.append(record)
    }
    try await bring(Array(incoming.values))
  }

  private func listZones() async throws(CloudError) {
    var found: [Int64: CloudZone] = [:]
    for database in [container.privateDatabase, container.sharedDatabase] {
      for id in try await database.changes().changed {
        let number = try ledger.number(of: id)
        if let known = zones[number] {
          found[number] = known
        } else if let zone = try await database.zone(id) {
          found[number] = zone
        }
      }
    }
    found[mainNumber] = main
    zones = found
  }

  /// Reads records once more, which may be as they were, and brings them into the tables.
  func reread(_ ids: [RecordID], in number: Int64) async throws(CloudError) {
    guard !ids.isEmpty, let zone = zones[number] else { return }
    var changes = Incoming(zone: number)
    for (id, record) in zip(ids, try await zone.known(ids)) {
      if let record { changes.records.append(record) } else { changes.deleted.insert(id) }
    }
    try await bring([changes])
  }

  /// Brings changes into the tables, in one transaction.
  func bring(_ incoming: [Incoming]) async throws(CloudError) {
    let incoming = incoming.filter { !$0.isEmpty }
      .sorted {
        ($0.zone == mainNumber ? 0 : 1, $0.zone) < ($1.zone == mainNumber ? 0 : 1, $1.zone)
      }
    guard !incoming.isEmpty else { return }
    var assets: [Asset: [UInt8]] = [:]
    for changes in incoming {
      guard let zone = zones[changes.zone] else { continue }
      for record in changes.records where ledger.table(record.type) != nil {
        for (asset, _) in record.fields.values.compactMap({ RecordCoding.asset($0) })
        where assets[asset] == nil {
          do throws(CloudError) {
            assets[asset] = try await zone.bytes(of: asset)
          } catch {
            // Its row waits, and the others don't wait for it.
            guard error.code == .assetNotAvailable else { throw error }
          }
        }
      }
    }
    let arrival = Arrival(ledger, editable: editable, assets: assets)
    try ledger.db.transaction { () throws(CloudError) in try arrival.run(incoming) }
  }
}

extension Incoming {
  var isEmpty: Bool {
    records.isEmpty && deleted.isEmpty && token == nil && ending == nil && !isWhole
      && discarded.isEmpty
  }

  mutating func add(_ changes: ZoneChanges) {
    let ids = Set(changes.changed.map(\.id))
    let old = Set(changes.deleted.map(\.id)).union(ids)
    records.removeAll { old.contains($0.id) }
    records += changes.changed
    deleted.subtract(ids)
    deleted.formUnion(changes.deleted.map(\.id))
  }
}

extension Ledger {
  func token(of zone: Int64) throws(CloudError) -> String? {
    try db.value("SELECT token FROM cairn_zone WHERE number = ?", [.integer(zone)])?.string
  }
}

extension CloudZone {
  /// Returns the present records with these ids; nil for deleted ones.
  func known(_ ids: [RecordID]) async throws(CloudError) -> [CloudRecord?] {
    try await modify { draft throws(CloudError) in
      var records: [CloudRecord?] = []
      for id in ids { records.append(try draft.record(id)) }
      return records
    }
  }
}
