import CairnCloud

/// Sharing of rows with everything below them by foreign keys.
extension CairnMirror {
  /// Shares rows in a new zone (NSPersistentCloudKitContainer.share(_:to:)). All rows that refer to
  /// them move along, and rows that they refer to are copied. Nobody is invited yet.
  /// - Parameters:
  ///   - rows: Rows of this person's own zones.
  ///   - title: The title of the share.
  /// - Returns: The zone of the share.
  /// - Throws: `CloudError`; with the reason of a row that can't be sent.
  public func share(_ rows: [MirroredRow], title: String) async throws(CloudError) -> CloudZone {
    try await alone { () async throws(CloudError) in
      let places = try await sent(rows)
      guard let first = places.first, let zone = zones[first.zone] else {
        throw CloudError(.invalidArguments, "no row is named")
      }
      let ids = places.filter { $0.zone == first.zone }.map(\.record)
      let share = try await zone.share(ids, title: title)
      try await move(places.filter { $0.zone != first.zone }, to: share)
      try await exchange()
      return share
    }
  }

  /// Moves rows to another zone of this person: into a share, or out of one to `home`.
  /// - Throws: `CloudError`; with `.serverRejectedRequest` if one of the zones belongs to somebody
  ///   else.
  public func share(_ rows: [MirroredRow], to zone: CloudZone) async throws(CloudError) {
    try await alone { () async throws(CloudError) in
      try await move(try await sent(rows), to: zone)
      try await exchange()
    }
  }

  /// The mirror's own zone, which has the rows that aren't shared.
  public nonisolated var home: CloudZone { main }

  private func move(_ places: [Place], to target: CloudZone) async throws(CloudError) {
    for (number, some) in Dictionary(grouping: places, by: \.zone) {
      guard let zone = zones[number], zone.id != target.id else { continue }
      try await zone.move(some.map(\.record), to: target)
    }
  }

  /// Sends everything, and returns the records of rows in their zones.
  private func sent(_ rows: [MirroredRow]) async throws(CloudError) -> [Place] {
    try await exchange()
    var places: [Place] = []
    for row in rows {
      let number = try number(row)
      let all = try ledger.places(of: number)
      var reason = all.compactMap(\.problem).first
      if reason == nil { reason = try ledger.problem(number) }
      guard reason == nil, let place = all.first(where: { $0.zone == mainNumber }) ?? all.first,
        place.position != nil
      else { throw CloudError(.serverRejectedRequest, "\(row) isn't sent: \(reason ?? "")") }
      places.append(place)
    }
    return places
  }

  /// Returns the shared zones of rows. A row that isn't shared has none.
  public func shares(of rows: [MirroredRow]) async throws(CloudError) -> [MirroredRow: CloudZone] {
    var (found, shared): ([MirroredRow: CloudZone], [Int64: Bool]) = ([:], [:])
    for row in rows {
      for place in try ledger.places(of: number(row)) where place.zone != mainNumber {
        guard let zone = zones[place.zone] else { continue }
        if shared[place.zone] == nil { shared[place.zone] = try await zone.share() != nil }
        if shared[place.zone] == true { found[row] = found[row] ?? zone }
      }
    }
    return found
  }

  /// Returns whether this person's changes of a row can be sent.
  public func canUpdate(_ row: MirroredRow) throws(CloudError) -> Bool {
    let places = try ledger.places(of: number(row))
    let home = places.first { $0.zone == mainNumber } ?? places.first
    return home.map { zones[$0.zone]?.canEdit ?? false } ?? true
  }

  /// Returns whether this person's deletion of a row can be sent.
  public func canDelete(_ row: MirroredRow) throws(CloudError) -> Bool {
    try ledger.places(of: number(row)).allSatisfy { zones[$0.zone]?.canEdit ?? false }
  }

  /// Deletes a zone with all of its rows for everybody, or, if it belongs to somebody else, leaves
  /// it (purgeObjectsAndRecordsInZone). Unsent changes of its rows are given up.
  public func purge(_ zone: CloudZone) async throws(CloudError) {
    try await alone { () async throws(CloudError) in
      let number = try ledger.number(of: zone.id)
      if try await container.privateDatabase.zone(zone.id) != nil {
        try await container.privateDatabase.delete(zone.id)
      } else {
        try await zone.leave()
      }
      for place in try ledger.places(in: number) {
        if try ledger.places(of: place.row).count == 1 { try ledger.set(place.row, .none) }
      }
      try await pull()
    }
  }
}
