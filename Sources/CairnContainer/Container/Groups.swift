import CairnIdentity
import CairnReplica
public import CairnZone

/// Groups of people, which this person invites by one name. A group is in this person's account,
/// and nobody else knows it: in the log of a share its members are ordinary participants.
///
/// Only a command invites anybody: an invitation must come from the device on which its person
/// asked for it. People who left a group are removed by any device.
///
/// It uses these parts of the container: `access`, `accountZone`, `sharing`, `zone`.
public struct Groups: Sendable {
  let container: Container

  private var account: Zone { container.accountZone }

  /// A group, its members and its shares.
  public struct Description: Sendable {
    /// The name.
    public var name: String
    /// The members.
    public var members: Set<UserID>
    /// The zones of the shares, with the permission of the members.
    public var shares: [(zone: ZoneID, permission: Permission)]
  }

  /// The shares in which a change of a group had an effect, and those that can't be written now.
  public struct Outcome: Sendable {
    /// People and the shares that they were invited to, or removed from.
    public var changed: [(user: UserID, zone: ZoneID)] = []
    /// The shares that can't be written now.
    public var missed: [MissedZone] = []

    /// Creates an outcome without any effect.
    public init() {}
  }

  /// The largest length of a name in bytes.
  public static let mostBytes = 64

  /// Returns the name of the group that a text means, as in `@team`; nil if it means a person.
  public static func name(in text: String) -> String? {
    text.hasPrefix("@") ? String(text.dropFirst()) : nil
  }

  // MARK: Groups

  /// Returns all groups, in the order of their names.
  /// - Throws: `CloudError` if the account's index can't be read.
  public func all() throws -> [Description] {
    let grants = try AccountZone.grants(in: account)
    return try AccountZone.groups(in: account).sorted().map { name in
      Description(
        name: name, members: try AccountZone.members(of: name, in: account),
        shares: grants.filter { $0.group == name }.map { ($0.zone, $0.permission) })
    }
  }

  /// Returns a group.
  /// - Throws: `CloudError` with `.unknownItem` if there is none of that name.
  public func group(_ name: String) throws -> Description {
    guard let group = try all().first(where: { $0.name == name }) else {
      throw CloudError(
        .unknownItem, "there is no group “\(name)”",
        remedy: "`cairn group list` lists your groups; `cairn group create` makes one")
    }
    return group
  }

  /// Creates a group without members. A second call changes nothing.
  /// - Throws: `CloudError` with `.invalidArguments` for a name that can't be one.
  public func create(_ name: String) throws {
    let isName = name.utf8.allSatisfy { byte in
      byte > UInt8(ascii: " ") && byte != UInt8(ascii: "@") && byte != UInt8(ascii: ",")
        && byte != 0x7F
    }
    guard !name.isEmpty, name.utf8.count <= Self.mostBytes, isName else {
      throw CloudError(
        .invalidArguments, "“\(name)” can't be the name of a group",
        remedy: "use at most \(Self.mostBytes) bytes without spaces, commas and @")
    }
    try AccountZone.addGroup(name, to: account)
  }

  /// Ends a group: its members lose its shares, as `remove` says. If a share can't be written now,
  /// the group stays without members.
  public func delete(_ name: String) throws -> Outcome {
    let group = try group(name)
    let outcome = try remove(group.members, from: name)
    guard outcome.missed.isEmpty else { return outcome }
    for share in group.shares {
      try AccountZone.removeGrant(of: name, to: share.zone, from: account)
    }
    try AccountZone.removeGroup(name, from: account)
    return outcome
  }

  // MARK: Members

  /// Adds people to a group, and invites them to its shares. People who are in a share already stay
  /// in it as they are. A second call completes an interrupted one.
  /// - Throws: `CloudError` if the account can't be written now.
  public func add(_ users: [UserID], to name: String) throws -> Outcome {
    _ = try group(name)
    for user in users { try AccountZone.addMember(user, of: name, to: account) }
    var outcome = Outcome()
    for grant in try AccountZone.grants(in: account) where grant.group == name {
      let missed = try attempt(grant.zone) { _ in
        try invite(users, by: grant, fromNow: false, &outcome)
      }
      outcome.missed += missed
    }
    return outcome
  }

  /// Removes people from a group. They lose its shares, unless they were in a share before, or were
  /// invited by name or by another group.
  /// - Throws: `CloudError` if the account can't be written now.
  public func remove(_ users: Set<UserID>, from name: String) throws -> Outcome {
    _ = try group(name)
    // First: a device that is interrupted here continues with the rest.
    for user in users { try AccountZone.removeMember(user, of: name, from: account) }
    var outcome = Outcome()
    for zone in Set(try AccountZone.grants(in: account).filter { $0.group == name }.map(\.zone)) {
      outcome.missed += try attempt(zone) { try removeLeft(from: $0, &outcome) }
    }
    return outcome
  }

  // MARK: Shares

  /// Invites a group to a share. People who join the group later are invited, too.
  /// - Parameters:
  ///   - name: The name of the group.
  ///   - zone: The zone of the share.
  ///   - permission: The permission of the members; nil: as invited before, or to write.
  ///   - end: The end of their access in nanoseconds since 1970; nil: as invited before, or none.
  ///   - fromNow: A Boolean value that indicates whether the present members see no history.
  /// - Returns: The invited members.
  /// - Throws: `CloudError`, also if one of the members can't be invited.
  public func invite(
    _ name: String, to zone: Zone, permission: Permission?, until end: Int64?, fromNow: Bool
  ) throws -> Outcome {
    let group = try group(name)
    try zone.require(.administer, to: "invite a group")
    let former = try AccountZone.grants(in: account)
      .first { $0.group == name && $0.zone == zone.id }
    let grant = GroupGrant(
      group: name, zone: zone.id, permission: permission ?? former?.permission ?? .readWrite,
      end: end ?? former?.end)
    try AccountZone.add(grant, to: account)
    var outcome = Outcome()
    do {
      try invite(group.members.sorted(), by: grant, fromNow: fromNow, &outcome)
    } catch {
      // Later members are invited by the grant.
      if let former {
        try AccountZone.add(former, to: account)
      } else {
        try AccountZone.removeGrant(of: name, to: zone.id, from: account)
      }
      throw error
    }
    return outcome
  }

  /// Ends the access of a group to a share.
  /// - Throws: `CloudError` with `.unknownItem` if the group doesn't have the share.
  public func remove(_ name: String, from zone: Zone) throws -> Outcome {
    guard try group(name).shares.contains(where: { $0.zone == zone.id }) else {
      throw CloudError(
        .unknownItem, "the group “\(name)” doesn't have this share",
        remedy: "`cairn group show \(name)` lists its shares")
    }
    try AccountZone.removeGrant(of: name, to: zone.id, from: account)
    var outcome = Outcome()
    try removeLeft(from: zone, &outcome)
    return outcome
  }

  /// Notes that people are in a share by name: they keep it when they leave a group.
  public func keep(_ users: [UserID], in zone: Zone) throws {
    for person in try AccountZone.granted(in: account)
    where person.zone == zone.id && users.contains(person.user) {
      try AccountZone.remove(person, from: account)
    }
  }

  /// Removes the people from a share who had it by a group that they left, or that has it no more.
  /// - Returns: The removed people.
  /// - Throws: `CloudError` if the share or the account can't be written now.
  @discardableResult
  public func removeLeft(from zone: Zone) throws -> [UserID] {
    var outcome = Outcome()
    try removeLeft(from: zone, &outcome)
    return outcome.changed.map(\.user)
  }

  private func removeLeft(from zone: Zone, _ outcome: inout Outcome) throws {
    let granted = try AccountZone.granted(in: account).filter { $0.zone == zone.id }
    guard !granted.isEmpty else { return }
    let groups = Set(
      try AccountZone.grants(in: account).filter { $0.zone == zone.id }.map(\.group))
    let members = try groups.reduce(into: [String: Set<UserID>]()) { members, name in
      members[name] = try AccountZone.members(of: name, in: account)
    }
    let left = granted.filter { members[$0.group]?.contains($0.user) != true }
    guard !left.isEmpty else { return }
    // A share that wasn't read yet seems to have nobody in it.
    try zone.pull()
    let stay = Set(granted.subtracting(left).map(\.user))
    for user in Set(left.map(\.user)).subtracting(stay).sorted()
    where zone.header.share?.participants[user] != nil {
      do {
        try container.access.remove(user, from: zone)
        outcome.changed.append((user, zone.id))
      } catch let error as CloudError {
        // Another device was faster, or they left.
        guard error.code == .unknownItem else { throw error }
      }
    }
    // Last: until then the next call continues.
    for person in left { try AccountZone.remove(person, from: account) }
  }

  /// Invites those of some members who aren't in the share.
  private func invite(
    _ users: [UserID], by grant: GroupGrant, fromNow: Bool, _ outcome: inout Outcome
  ) throws {
    guard let zone = try container.zone(grant.zone) else { return }
    try zone.pull()
    let known = zone.header.share?.participants ?? [:]
    let new = users.filter { known[$0] == nil && $0 != zone.header.owner }
    let byOthers = try AccountZone.granted(in: account).filter { $0.zone == grant.zone }.map(\.user)
    // First: otherwise nobody would know later why they are in.
    for user in new + users.filter({ byOthers.contains($0) }) {
      try AccountZone.add(
        GrantedPerson(group: grant.group, zone: grant.zone, user: user), to: account)
    }
    guard !new.isEmpty else { return }
    try container.access.inviting(until: grant.end, new, to: zone) {
      _ = try container.sharing.invite(
        new, to: zone, permission: grant.permission, fromNow: fromNow)
    }
    outcome.changed += new.map { ($0, grant.zone) }
  }

  /// Calls `body` with a zone that was read to its end.
  /// - Returns: The zone, if it can't be used now.
  private func attempt(_ id: ZoneID, _ body: (Zone) throws -> Void) throws -> [MissedZone] {
    do {
      guard let zone = try container.zone(id) else { return [] }
      try zone.pull()
      try body(zone)
      return []
    } catch let error as CloudError {
      return [MissedZone(zone: id, reason: error.message)]
    }
  }
}

extension Container {
  /// The groups of people that this person has made.
  public var groups: Groups { Groups(container: self) }
}
