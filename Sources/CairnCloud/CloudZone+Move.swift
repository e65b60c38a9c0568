extension CloudZone {
  /// Shares records of this zone in a new zone (NSPersistentCloudKitContainer.share(_:to:)). All
  /// records that refer to them move along, under their ids. Records that they refer to are copied,
  /// so that each reference leads to a record in the new zone. Nobody is invited yet.
  /// - Parameters:
  ///   - records: The records.
  ///   - title: The title of the share, and the name of its zone.
  /// - Returns: The new zone.
  /// - Throws: The errors of `move(_:to:)`.
  public func share(
    _ records: [RecordID], title: String
  ) async throws(CloudError) -> CloudZone {
    try await work.run { [self] in
      CloudZone(try engine.share(records, title: title), of: container)
    }
  }

  /// Moves records to another zone of this person: into a share, or out of one. All records that
  /// refer to them move along. Records that they refer to, and that stay, are copied. A record that
  /// the other zone has already gets only the fields that it lacks there.
  ///
  /// Ids stay, and the bytes of assets stay where they are stored. Other people see all of the
  /// records in a zone or none of them. If the process ends in the middle, `CloudContainer.open` or
  /// the next move completes the move.
  /// - Parameters:
  ///   - records: The records.
  ///   - zone: The other zone.
  /// - Throws: `CloudError`; with `.serverRejectedRequest` if one of the zones belongs to somebody
  ///   else, with `.limitExceeded` if the records don't fit into one commit, and then nothing is
  ///   moved.
  public func move(_ records: [RecordID], to zone: CloudZone) async throws(CloudError) {
    try await work.run { [engine] in try engine.move(records, to: zone.id) }
  }

  /// Returns the versions of a record, the latest first, also those from zones that it was moved
  /// from by this person.
  /// - Throws: `CloudError` if the container can't be read.
  /// - Complexity: The log of the zone is read to its end.
  public func history(of id: RecordID) async throws(CloudError) -> [CloudRecord] {
    try await work.run { [engine] in try engine.history(of: id) }
  }
}
