import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone

/// The operations on the rights of people in a share.
struct AccessOperations: Operations {
  let mirrors: Mirrors
  let shares: Shares
  let persons: Persons

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ShareSetPermission.self) { [self] request, _ in
      try setPermission(request)
    }
    routes.answer(Control.ShareSetRole.self) { [self] request, _ in try setRole(request) }
    routes.answer(Control.ShareSetPublic.self) { [self] request, _ in try setPublic(request) }
    routes.answer(Control.ShareRemove.self) { [self] request, _ in
      try removeParticipant(request)
    }
    routes.answer(Control.ShareTransfer.self) { [self] request, _ in try transfer(request) }
    routes.answer(Control.SharePolicy.self) { [self] request, _ in try policy(request) }
    routes.answer(Control.Quota.self, about: { $0.share }) { [self] request, _ in
      try quota(request)
    }
  }

  func setPermission(_ request: Control.ShareSetPermission) throws -> Control.ShareReply {
    let zone = try shares.shared(request)
    try zone.require(.administer, to: "change permissions")
    let person = try persons.known(request.person)
    let access = one.container.access
    if let until = request.until {
      guard zone.header.share?.participants[person.id] != nil else {
        throw ControlError(
          .unknownItem, "\(person.handle) isn't in the share.",
          remedy: "Run `cairn share invite` with --until.")
      }
      try access.setEnd(until.nanoseconds, of: [person.id], in: zone)
    }
    try access.setPermission(Permission(request.permission), of: person.id, in: zone)
    if request.endless == true { try access.setEnd(nil, of: [person.id], in: zone) }
    shares.changed(zone, "\(person.handle) can \(Self.verb(request.permission)) from now on")
    return Control.ShareReply(share: try shares.describe(zone))
  }

  func setRole(_ request: Control.ShareSetRole) throws -> Control.ShareReply {
    let zone = try shares.shared(request)
    try zone.require(.own, to: "make administrators")
    let person = try persons.known(request.person)
    guard let role = Self.role(request.role) else {
      throw ControlError(
        .invalidArguments, "No one can be made \(request.role.rawValue).",
        remedy: "Use administrator or participant; `cairn share transfer` makes a new owner.")
    }
    try one.container.access.setRole(role, of: person.id, in: zone)
    shares.changed(zone, "\(person.handle) is \(request.role.rawValue) now")
    return Control.ShareReply(share: try shares.describe(zone))
  }

  func setPublic(_ request: Control.ShareSetPublic) throws -> Control.SetPublicReply {
    let zone = try shares.shared(request)
    let permission = Permission(request.permission)
    try zone.require(.administer, to: "change link sharing")
    let losses = one.container.access.loss(settingPublic: permission, of: zone).map(sentence)
    guard losses.isEmpty || request.confirmed else {
      throw ControlError(
        .invalidArguments, "This has to be confirmed: " + losses.joined(separator: " "),
        remedy: "Nothing was changed yet. To confirm it, repeat the command with --yes.")
    }
    try one.container.access.setPublic(permission, of: zone)
    let word = request.permission == .none ? "off" : request.permission.rawValue
    shares.changed(zone, "link sharing: \(word)")
    return Control.SetPublicReply(share: try shares.describe(zone), losses: losses)
  }

  private func sentence(_ loss: AccessLoss) -> String {
    let person = persons.told(loss.user)
    let who = person.handle ?? person.user
    return switch loss.kind {
    case .access: "\(who) loses all access."
    case .invitation: "\(who)'s invitation becomes void."
    case .writing: "\(who) can only read from then on."
    case .name: "\(who) stays as a person with the link."
    case .nameAndWriting: "\(who) stays as a person with the link, and can only read."
    }
  }

  func removeParticipant(_ request: Control.ShareRemove) throws -> Control.ShareReply {
    let zone = try shares.shared(request)
    guard zone.header.rights(of: one.container.account.user).contains(.administer) else {
      throw ControlError(
        .permissionFailure, "Only the owner or an administrator can remove people.",
        remedy: "Ask the owner of the share; `cairn share leave` ends your own part.")
    }
    if let group = Groups.name(in: request.person) {
      _ = try one.container.groups.remove(group, from: zone)
      shares.changed(zone, "the group \(group) was removed")
      return Control.ShareReply(share: try shares.describe(zone))
    }
    let person = try persons.known(request.person)
    guard person.id != one.container.account.user else {
      throw ControlError(
        .invalidArguments, "You can't remove yourself.",
        remedy: "Run `cairn share leave`, or, as the owner, `cairn share stop`.")
    }
    try one.container.access.remove(person.id, from: zone)
    try one.container.access.setEnd(nil, of: [person.id], in: zone)
    shares.changed(zone, "\(person.handle) was removed")
    return Control.ShareReply(share: try shares.describe(zone))
  }

  func transfer(_ request: Control.ShareTransfer) throws -> Control.ShareReply {
    guard (request.person == nil) == (request.answer != nil) else {
      throw ControlError(
        .invalidArguments, "Give a person, or an answer to an offer.",
        remedy: "Use `cairn share transfer SHARE PERSON`, or --accept, or --decline.")
    }
    let zone = try shares.shared(request)
    switch request.answer {
    case nil: try offer(zone, to: request.person ?? "")
    case .accept: try takeOver(zone)
    case .decline: try endOffer(of: zone)
    }
    return Control.ShareReply(share: try shares.describe(mirrors.rehomed(zone)))
  }

  private func offer(_ zone: Zone, to text: String) throws {
    try zone.require(.own, to: "transfer the share")
    let person = try persons.known(text)
    guard zone.header.share?.participants[person.id]?.acceptance == .accepted else {
      let name = Control.Path(person.handle)
      let isInvited = zone.header.share?.participants[person.id] != nil
      throw ControlError(
        .invalidArguments,
        isInvited
          ? "\(name) hasn't accepted the share yet." : "\(name) isn't in the share.",
        remedy: isInvited
          ? "Transfer it when \(name) has accepted."
          : "Invite \(name) first with `cairn share invite`, and transfer it after they accepted.")
    }
    try one.container.ownership.offer(zone, to: person.id)
    shares.changed(zone, "the ownership is offered to \(person.handle)")
  }

  private func takeOver(_ zone: Zone) throws {
    guard zone.header.share?.offered == one.container.account.user else {
      throw ControlError(
        .permissionFailure, "The ownership of this share isn't offered to you.",
        remedy: "Ask its owner to run `cairn share transfer`.")
    }
    try one.container.ownership.takeOver(zone)
    shares.changed(zone, "you own the share now")
  }

  private func endOffer(of zone: Zone) throws {
    let (me, offered) = (one.container.account.user, zone.header.share?.offered)
    guard zone.header.owner == me || offered == me else {
      throw ControlError(
        .permissionFailure, "The ownership of this share isn't offered to you.",
        remedy: "Nothing has to be declined.")
    }
    guard offered != nil else { return }
    try one.container.ownership.endOffer(of: zone)
    shares.changed(zone, "the offer of the ownership ended")
  }

  // MARK: Limits

  func policy(_ request: Control.SharePolicy) throws -> Control.SharePolicyReply {
    let isChange =
      request.access != nil || request.permission != nil || request.participantsInvite != nil
    let zone =
      isChange
      ? try shares.shared(request)
      : try shares.sharedAsKnown(request.share, for: Control.SharePolicy.self)
    if isChange { try zone.require(.own, to: "change the sharing policy") }
    var policy = zone.header.share?.policy ?? .standard
    if let access = request.access {
      guard let known = SharePolicy.Access.allCases.first(where: { "\($0)" == access }) else {
        throw ControlError(
          .invalidArguments, "There is no access “\(access)”.",
          remedy: "Use any, anyone or named.")
      }
      policy.access = known
    }
    if let permission = request.permission {
      policy.permission = permission == .none ? nil : Permission(permission)
    }
    if let invites = request.participantsInvite { policy.allowsParticipantsToInvite = invites }
    if policy != zone.header.share?.policy {
      try one.container.access.setPolicy(policy, of: zone)
      shares.changed(zone, "the ways of sharing were changed")
    }
    return Control.SharePolicyReply(
      access: "\(policy.access)", permission: policy.permission.map { Control.Permission($0) },
      participantsInvite: policy.allowsParticipantsToInvite)
  }

  func quota(_ request: Control.Quota) throws -> Control.QuotaReply {
    if let limit = request.limit {
      guard let share = request.share else {
        throw ControlError(
          .invalidArguments, "A limit is for one folder.", remedy: "Name the folder or its id.")
      }
      let zone = try shares.upToDate(share, for: Control.Quota.self)
      try one.container.ownership.setQuota(limit == 0 ? nil : limit, of: zone)
    }
    let named = try request.share.map { try shares.zone(of: $0, for: Control.Quota.self) }
    let ended = try one.container.formers.ended()
    let now = WallClock.seconds
    let zones =
      try named.map { [$0] }
      ?? one.container.privateDatabase.zones().filter { !ended.contains($0.id) }
    return Control.QuotaReply(
      zones: try zones.map { zone in
        let header = zone.header
        // Only an owner's device knows how old anything is.
        let isMine = header.owner == one.container.account.user
        let retention = isMine ? try zone.retention(at: now) : nil
        let past = try zone.read { try $0.pastBytes(retention) }
        let later = retention.flatMap {
          $0.rest > 0 ? $0.after(header.history, in: $0.rest) : nil
        }
        let expiring = try later.map { rule in
          let gone = try zone.read { try $0.pastBytes(rule) }.expired
          return gone - min(gone, past.expired)
        }
        return Control.ZoneQuota(
          id: zone.id.description, title: header.share?.title ?? header.genesis?.name ?? "",
          path: mounts.first(of: zone.id).map { Control.Path($0.path) }, used: header.bytes,
          limit: header.quota,
          history: past.all + (try one.container.formers.bytes(of: zone)),
          deleted: past.deleted, expired: past.expired, expiring: expiring ?? 0,
          keepsAll: header.history == nil,
          formerUntil: retention.flatMap { Self.end(of: $0, at: now) })
      }.sorted { $0.title < $1.title },
      stored: try unlessAway { try one.container.upkeep.storedBytes() },
      publicFiles: request.share == nil ? try unlessAway { try publicBytes() } : nil)
  }

  /// Returns the size of the public database as far as it is known: without the container, by the
  /// last read, if there was any.
  private func publicBytes() throws -> Control.PublicQuota? {
    let zones = try one.container.publicZones.all().map { try shares.lately($0) }
      .filter { $0.header.genesis != nil }
    guard !zones.isEmpty else { return nil }
    let own = zones.first { $0.author == one.container.account.user }
    let all = zones.reduce(UInt64(0)) { sum, zone in
      // Sums that others choose may not fit.
      let (next, overflows) = sum.addingReportingOverflow(zone.header.bytes)
      return overflows ? .max : next
    }
    return Control.PublicQuota(used: own?.header.bytes ?? 0, everybody: all)
  }

  /// Returns a value that only the container has; nil without it, because everything else is valid.
  private func unlessAway<Known>(_ look: () throws -> Known?) throws -> Known? {
    do { return try look() } catch let error as CloudError {
      guard error.code == .networkUnavailable || error.code == .networkFailure else { throw error }
      return nil
    }
  }

  /// Returns the end of the period in which a changed policy deletes nothing.
  /// - Parameters:
  ///   - retention: The rule at a time.
  ///   - clock: That time, in seconds since 1970.
  /// - Returns: The end; nil if there is no such period.
  static func end(of retention: Retention, at clock: Int64) -> Control.Time? {
    guard retention.rest > 0 else { return nil }
    return Control.Time(nanoseconds: (clock + Int64(retention.rest)) * 1_000_000_000)
  }

  // MARK: Words

  private static func role(_ role: Control.Role) -> Role? {
    switch role {
    case .administrator: .administrator
    case .privateUser: .privateUser
    case .owner, .publicUser: nil
    }
  }

  private static func verb(_ permission: Control.Permission) -> String {
    permission == .readWrite ? "read and write" : "read"
  }
}
