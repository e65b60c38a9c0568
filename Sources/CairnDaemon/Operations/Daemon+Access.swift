import CairnCloud
import CairnControl
import CairnFolders
import CairnZone
import Logging
import Synchronization

extension Daemon {
  /// The operations about who may do what in a share.
  func addAccess(to routes: inout ControlRoutes) {
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
    routes.answer(Control.Quota.self) { [self] request, _ in try quota(request) }
  }

  func setPermission(_ request: Control.ShareSetPermission) throws -> Control.ShareReply {
    let zone = try upToDate(request.share)
    let person = try knownPerson(request.person)
    try container.setPermission(Self.permission(request.permission), of: person.id, in: zone)
    shareChanged(zone, "\(person.handle) may \(Self.verb(request.permission)) from now on")
    return Control.ShareReply(share: try describe(zone))
  }

  func setRole(_ request: Control.ShareSetRole) throws -> Control.ShareReply {
    let zone = try upToDate(request.share)
    let person = try knownPerson(request.person)
    guard let role = Self.role(request.role) else {
      throw ControlError(
        .invalidArguments, "Nobody can be made \(request.role.rawValue).",
        remedy: "Use administrator or participant; `cairn share transfer` makes a new owner.")
    }
    try container.setRole(role, of: person.id, in: zone)
    shareChanged(zone, "\(person.handle) is \(request.role.rawValue) now")
    return Control.ShareReply(share: try describe(zone))
  }

  func setPublic(_ request: Control.ShareSetPublic) throws -> Control.SetPublicReply {
    let zone = try upToDate(request.share)
    let permission = Self.permission(request.permission)
    guard zone.header.rights(of: container.account.user).contains(.administer) else {
      throw ControlError(
        .permissionFailure, "Only the owner or an administrator may say what anybody may do.",
        remedy: "Ask the owner of the share.")
    }
    let losses = container.loss(settingPublic: permission, of: zone).map(sentence)
    guard losses.isEmpty || request.confirmed else {
      throw ControlError(
        .invalidArguments, "Nothing was changed yet: " + losses.joined(separator: " "),
        remedy: "Repeat with --yes if that is meant.")
    }
    try container.setPublic(permission, of: zone)
    shareChanged(zone, "anybody with the link: \(request.permission.rawValue)")
    return Control.SetPublicReply(share: try describe(zone), losses: losses)
  }

  private func sentence(_ loss: AccessLoss) -> String {
    let person = person(loss.user)
    let who = person.handle ?? person.user
    return switch loss.kind {
    case .access: "\(who) loses all access."
    case .invitation: "\(who)'s invitation becomes void."
    case .writing: "\(who) can only read from then on."
    case .name: "\(who) stays as one of those who have the link."
    case .nameAndWriting: "\(who) stays as one of those who have the link, and can only read."
    }
  }

  func removeParticipant(_ request: Control.ShareRemove) throws -> Control.ShareReply {
    let zone = try upToDate(request.share)
    let person = try knownPerson(request.person)
    guard person.id != container.account.user else {
      throw ControlError(
        .invalidArguments, "You can't remove yourself.",
        remedy: "Run `cairn share leave`, or, as the owner, `cairn share stop`.")
    }
    try container.remove(person.id, from: zone)
    shareChanged(zone, "\(person.handle) was removed")
    return Control.ShareReply(share: try describe(zone))
  }

  func transfer(_ request: Control.ShareTransfer) throws -> Control.ShareReply {
    let zone = try upToDate(request.share)
    let person = try knownPerson(request.person)
    guard try container.nesting(of: zone.id) == nil else {
      throw ControlError(
        .serverRejectedRequest,
        "The folder stands inside of a mirrored folder of yours, so it can't become another's.",
        remedy: "Stop the share, move the folder out, share it there, and transfer it then.")
    }
    try container.transfer(zone, to: person.id)
    shareChanged(zone, "\(person.handle) owns the share now")
    return Control.ShareReply(share: try describe(try rehomed(zone)))
  }

  /// A zone of mine that I own no more, or one that I came to own, goes to the other database; its
  /// folder stays as it is.
  func rehome(_ zone: Zone) {
    do {
      _ = try rehomed(zone)
    } catch {
      log.warning("the zone \(zone.id) can't be moved to its new database: \(error)")
    }
  }

  private func rehomed(_ zone: Zone) throws -> Zone {
    try rehoming.withLock { _ in
      // Whoever was first has done it: the object that is known now tells.
      guard let zone = try container.zone(zone.id), container.isMisplaced(zone) else {
        return try container.zone(zone.id) ?? zone
      }
      let mounts = mounts(of: zone.id)
      for mount in mounts { pause(mount) }
      // Whatever goes wrong, the folder must be followed again.
      var current = zone
      defer {
        for mount in mounts {
          do { try startMount(current, mount.entry) } catch {
            log.warning("\(Control.Path(mount.path)) isn't mirrored until the next start: \(error)")
          }
        }
      }
      current = try container.replace(zone)
      return current
    }
  }

  // MARK: Limits

  func policy(_ request: Control.SharePolicy) throws -> Control.SharePolicyReply {
    let zone = try upToDate(request.share)
    _ = try describe(zone)
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
      policy.permission = permission == .none ? nil : Self.permission(permission)
    }
    if let invites = request.participantsInvite { policy.allowsParticipantsToInvite = invites }
    if policy != zone.header.share?.policy {
      try container.setPolicy(policy, of: zone)
      shareChanged(zone, "the ways of sharing were changed")
    }
    return Control.SharePolicyReply(
      access: "\(policy.access)", permission: policy.permission.map { Self.permission($0) },
      participantsInvite: policy.allowsParticipantsToInvite)
  }

  func quota(_ request: Control.Quota) throws -> Control.QuotaReply {
    if let limit = request.limit {
      guard let share = request.share else {
        throw ControlError(
          .invalidArguments, "A limit is for one folder.", remedy: "Name the folder or its id.")
      }
      try container.setQuota(limit == 0 ? nil : limit, of: try upToDate(share))
    }
    let zones =
      try request.share.map { [try zone(of: $0)] } ?? container.privateDatabase.zones()
    return Control.QuotaReply(
      zones: zones.map { zone in
        let header = zone.header
        return Control.ZoneQuota(
          id: zone.id.description, title: header.share?.title ?? header.genesis?.name ?? "",
          path: mount(of: zone.id).map { Control.Path($0.path) }, used: header.bytes,
          limit: header.quota)
      }.sorted { $0.title < $1.title },
      stored: try container.storedBytes())
  }

  // MARK: Words

  static func permission(_ permission: Control.Permission) -> Permission {
    switch permission {
    case .none: .none
    case .readOnly: .readOnly
    case .readWrite: .readWrite
    }
  }

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
