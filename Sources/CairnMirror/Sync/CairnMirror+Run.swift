import CairnCloud

extension CairnMirror {
  /// Synchronizes whenever a program writes to the database or a zone changes, until the task is
  /// cancelled. While the container can't be used, the next hint tries again.
  /// - Parameter onSync: A function that is called after each synchronization, with its error.
  /// - Throws: `CloudError` if the database can't be used.
  public func run(
    _ onSync: @Sendable (CloudError?) async -> Void = { _ in }
  ) async throws(CloudError) {
    let (hints, hint) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let watch = try DatabaseWatch(ledger.db.path) { hint.yield() }
    defer { withExtendedLifetime(watch) {} }
    hint.yield()
    var followed: Set<ZoneID>?
    var relays: [Task<Void, Never>] = []
    defer { for relay in relays { relay.cancel() } }
    var version: SQLValue?
    for await _ in hints {
      guard !Task.isCancelled else { return }
      do throws(CloudError) {
        try await sync()
        let known = Set(zones.values.map(\.id))
        if known != followed {
          for relay in relays { relay.cancel() }
          relays = []
          for database in [container.privateDatabase, container.sharedDatabase] {
            let changes = try await database.hints()
            relays.append(Task { for await _ in changes { hint.yield() } })
          }
          followed = known
          // A change may have come between the last look and the first hint.
          hint.yield()
        }
        await onSync(nil)
      } catch {
        if error.code == .operationCancelled { return }
        guard error.remedy == .retry else { throw error }
        await onSync(error)
      }
      let now = try ledger.db.value("PRAGMA data_version")
      if version != nil, now != version { hint.yield() }
      version = now
    }
  }
}
