import CairnStore
public import CairnZone

/// What a container shows to whoever has its objects and no key.
public struct ContainerSurvey: Hashable, Sendable {
  /// A person's folder.
  public struct User: Hashable, Sendable {
    /// The person.
    public var user: UserID
    /// Entries of the identity's log.
    public var entries = 0
    /// Sealed messages in the inbox.
    public var messages = 0
    /// Packs of content.
    public var packs = 0
    /// The bytes of the packs.
    public var bytes: Int64 = 0
  }

  /// A zone's folder.
  public struct Zone: Hashable, Sendable {
    /// The zone.
    public var zone: ZoneID
    /// Entries of the log; in which order they stand, only who reads the zone can tell.
    public var entries = 0
    /// The bytes of the log.
    public var bytes: Int64 = 0
  }

  /// Which container it is, of what age, and what its founder wrote for people.
  public var file: ContainerFile
  /// Everybody, by id.
  public var users: [User] = []
  /// All zones, by id.
  public var zones: [Zone] = []
}

extension Container {
  /// Counts what stands in the container.
  /// - Throws: `CloudError` if it can't be read.
  public func survey() throws -> ContainerSurvey {
    guard let file = try Self.root(of: store) else {
      throw CloudError(
        .assetNotAvailable, "the container's root, the object \(ContainerFile.key), is missing",
        remedy: "put it back from a backup")
    }
    var users: [UserID: ContainerSurvey.User] = [:]
    var zones: [ZoneID: ContainerSurvey.Zone] = [:]
    do {
      try each(ObjectKind.people) { parts, key throws(StoreError) in
        guard let user = UserID(hexadecimal: parts[1]) else { return }
        var seen = users[user] ?? ContainerSurvey.User(user: user)
        switch parts[2] {
        case "log": seen.entries += 1
        case "inbox": seen.messages += 1
        case "public" where parts.count == 4:
          try count(key, as: .public(in: id, by: user), in: &zones)
        case "zones":
          guard parts.count == 6, parts[4] == "log", let id = ZoneID(hexadecimal: parts[3]) else {
            break
          }
          try count(key, as: id, in: &zones)
        case "packs":
          seen.packs += 1
          seen.bytes += Int64(try store.size(of: key) ?? 0)
        default: break
        }
        users[user] = seen
      }
    } catch {
      throw CloudError(error)
    }
    return ContainerSurvey(
      file: file, users: users.values.sorted { $0.user.description < $1.user.description },
      zones: zones.values.sorted { $0.zone.description < $1.zone.description })
  }

  private func count(
    _ key: ObjectKey, as id: ZoneID, in zones: inout [ZoneID: ContainerSurvey.Zone]
  ) throws(StoreError) {
    var seen = zones[id] ?? ContainerSurvey.Zone(zone: id)
    seen.entries += 1
    seen.bytes += Int64(try store.size(of: key) ?? 0)
    zones[id] = seen
  }

  /// Calls `body` with the parts of each key below the folder that has at least three.
  private func each(
    _ prefix: String, _ body: ([String], ObjectKey) throws(StoreError) -> Void
  ) throws(StoreError) {
    var after: ObjectKey?
    while true {
      let keys = try store.list(prefix, after: after, limit: 1_000)
      for key in keys {
        let parts = key.description.split(separator: "/").map(String.init)
        if parts.count >= 3 { try body(parts, key) }
      }
      guard let last = keys.last else { return }
      after = last
    }
  }
}
