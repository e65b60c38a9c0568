import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnStore
import CairnZone

/// The shares that commands name, and their form in answers.
struct Shares {
  let one: OpenContainer
  let mounts: Mounts
  let events: EventLog
  let steward: Maintenance
  let persons: Persons

  func parse(_ text: String) throws(ControlError) -> ShareLink {
    do { return try ShareLink(parsing: text) } catch {
      throw ControlError(
        .invalidArguments, Failures.sentence("\(error)"),
        remedy: "Copy the whole link, or take an id from `cairn share invitations`.")
    }
  }

  /// Returns a zone in its known state. A zone without a mount here is pulled first, because nobody
  /// else reads its log on this device.
  func current(_ zone: Zone) throws -> Zone {
    guard mounts.first(of: zone.id) == nil, zone.scope != .public else { return zone }
    return try lately(zone)
  }

  /// Returns a zone after a pull; without the container, in its known state.
  func lately(_ zone: Zone) throws -> Zone {
    do { try zone.pull() } catch is CloudError {
      // The known state must suffice; `status` reports the trouble.
    }
    return zone
  }

  private var targets: TargetResolver { TargetResolver(one: one, mounts: mounts) }

  /// The zone that a person named for an operation.
  func zone<Operation: TargetedOperation>(
    of reference: Control.ShareReference, for operation: Operation.Type
  ) throws -> Zone {
    let target = try targets.target(reference, for: operation)
    return target.kind == .id ? try current(target.zone) : target.zone
  }

  /// The zone whose id begins with a text.
  func zone(ofID text: String) throws -> Zone { try current(targets.zone(ofID: text)) }

  /// The same, after a pull.
  func upToDate<Operation: TargetedOperation>(
    _ reference: Control.ShareReference, for operation: Operation.Type
  ) throws -> Zone {
    let zone = try zone(of: reference, for: operation)
    try zone.pull()
    return zone
  }

  /// Returns the zone of the share that a person named for an operation, after a pull.
  func shared<Operation: TargetedOperation>(
    _ reference: Control.ShareReference, for operation: Operation.Type
  ) throws -> Zone {
    let zone = try upToDate(reference, for: operation)
    guard zone.header.share != nil else { throw notShared(zone) }
    return zone
  }

  /// Returns the zone of a share after a pull; without the container, in its known state. For
  /// operations that change nothing.
  func sharedAsKnown<Operation: TargetedOperation>(
    _ reference: Control.ShareReference, for operation: Operation.Type
  ) throws -> Zone {
    let zone = try lately(zone(of: reference, for: operation))
    guard zone.header.share != nil else { throw notShared(zone) }
    return zone
  }

  /// Returns the zone of the share that an operation is about, after a pull.
  func shared<Operation: ShareOperation>(_ request: Operation) throws -> Zone {
    try shared(request.share, for: Operation.self)
  }

  /// Returns the error that a folder has no share, for any operation.
  func notShared(_ zone: Zone) -> ControlError {
    let path = mounts.first(of: zone.id).map { Control.Path($0.path) }
    let name = path?.description ?? Control.Path(one.title(of: zone)).description
    let isMine = zone.header.owner == one.container.account.user
    return ControlError(
      .unknownItem, "\(name) isn't shared.",
      remedy: path.flatMap { isMine ? "Run `cairn share create \($0.typed)` first." : nil }
        ?? "`cairn share list` shows what is.",
      path: path)
  }

  /// Reports that this person changed a share, and starts the maintenance that follows from it.
  func changed(_ zone: Zone, _ text: String) {
    let mount = mounts.first(of: zone.id)
    events.add(.shareSaved, mount: mount?.id, path: mount?.path, text: text)
    steward.hint(zone.id)
  }

  /// Returns the sizes of a zone's kept past: of the part that a member sees, and of the rest.
  /// - Parameters:
  ///   - zone: The zone.
  ///   - firstEpoch: The first epoch whose key they get; 0 for each.
  /// - Returns: Both; the second is nil for a member who sees everything.
  /// - Throws: `IndexFailure` if the index is unreadable.
  func past(
    of zone: Zone, from firstEpoch: UInt64
  ) throws -> (seen: Control.PastAmount, hidden: Control.PastAmount?) {
    try zone.read { view in
      let all = try view.pastSummary()
      guard let closing = view.header.closing(before: firstEpoch) else {
        return (Control.PastAmount(versions: all.versions, deleted: all.deleted), nil)
      }
      let seen = try view.pastSummary(endedAfter: closing.sequence)
      return (
        Control.PastAmount(versions: seen.versions, deleted: seen.deleted),
        Control.PastAmount(
          versions: all.versions - seen.versions, deleted: max(0, all.deleted - seen.deleted))
      )
    }
  }

  /// Returns the share of a zone for answers. All participants see the same.
  func describe(_ zone: Zone) throws -> Control.Share {
    let header = zone.header
    guard let share = header.share, let founder = header.owner else { throw notShared(zone) }
    let me = one.container.account.user
    let owner = persons.told(founder)
    var participants = [
      Control.Participant(
        user: owner.user, handle: owner.handle, name: owner.name, role: .owner,
        permission: .readWrite, acceptance: .accepted)
    ]
    let ends = try one.container.access.ends(in: zone)
    participants += share.participants.values.sorted { $0.user < $1.user }.map { participant in
      let person = persons.told(participant.user)
      return Control.Participant(
        user: person.user, handle: person.handle, name: person.name,
        role: Control.Role(of: participant.user, header),
        permission: Control.Permission(participant.permission),
        acceptance: participant.acceptance == .accepted ? .accepted : .pending,
        begins: header.closing(before: participant.firstEpoch)?.sequence,
        until: ends[participant.user].map { Control.Time(nanoseconds: $0) })
    }
    participants += unclaimed(share)
    let acceptance = founder == me ? .accepted : share.participants[me]?.acceptance
    return Control.Share(
      id: zone.id.description, title: share.title, owner: owner,
      me: Control.Membership(
        role: Control.Role(of: me, header), permission: Control.Permission(of: me, header, one),
        acceptance: acceptance == .accepted ? .accepted : acceptance == nil ? .removed : .pending),
      publicPermission: Control.Permission(share.publicPermission),
      link: link(to: zone).description,
      participants: participants, path: mounts.first(of: zone.id).map { Control.Path($0.path) },
      scope: zone.scope == .shared ? .shared : .private, links: links(of: share),
      takesRequests: header.takesRequests,
      blocked: share.blocked.sorted().map { persons.told($0) },
      offeredTo: share.offered.map { persons.told($0) },
      succession: share.succession.map { Control.Succession($0) { persons.told($0) } })
  }

  /// Returns the link to a zone, with the address of the container by which this home opens it.
  func link(to zone: Zone, secret: SecretBytes? = nil) -> ShareLink {
    one.container.links.link(to: zone, location: one.configuration.location.text, secret: secret)
  }

  /// Refuses a link to a share of another container than this home's.
  func checkContainer(of link: ShareLink) throws(ControlError) {
    guard link.container != one.container.id else { return }
    let place = link.location.isEmpty ? "" : " at \(link.location)"
    throw ControlError(
      .badContainer,
      "The link is for the container \(link.container)\(place), and this home belongs to "
        + "\(one.container.id) at \(one.configuration.location).",
      remedy: "Use a home that belongs to that container: set CAIRN_HOME to another folder.")
  }

  /// The links of a share, for answers.
  func links(of share: Share) -> [Control.Link] {
    share.links.values.sorted { $0.id < $1.id }.map { link in
      Control.Link(
        id: link.id.description, oneTime: link.isOneTime,
        permission: Control.Permission(link.isOneTime ? link.permission : share.publicPermission),
        expires: link.expires.map { Control.Time(nanoseconds: $0) })
    }
  }

  /// The future participants without a name: each has a one-time link.
  func unclaimed(_ share: Share) -> [Control.Participant] {
    share.links.values.filter(\.isOneTime).sorted { $0.id < $1.id }.map { link in
      Control.Participant(
        role: .privateUser, permission: Control.Permission(link.permission), acceptance: .pending,
        link: link.id.description)
    }
  }

  /// Returns whether a recovery sheet is to be offered: this person shares one zone, the first, and
  /// has no sheet.
  func suggestsRecovery() throws -> Bool {
    let me = try one.container.people.recall(one.container.account.user)
    let sheets = me?.devices.values.count { $0.isActive && $0.isRecovery } ?? 0
    let shares = try one.container.privateDatabase.zones().count { $0.header.share != nil }
    return sheets == 0 && shares == 1
  }

  /// Shares a zone, or changes the title of its share.
  func save(
    _ zone: Zone, title: String?, of path: Control.Path
  ) throws -> Control.ShareReply {
    let before = zone.header.share
    let title = title ?? before?.title ?? path.title
    _ = try one.container.sharing.share(zone, title: title)
    if before == nil {
      mounts.ended.drop(zone.id)
      events.add(
        .shareSaved, mount: mounts.first(of: zone.id)?.id, path: path.bytes,
        text: "shared as “\(title)”")
    }
    return Control.ShareReply(share: try describe(zone), created: before == nil)
  }
}
