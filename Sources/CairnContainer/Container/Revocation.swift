import CairnIdentity
import CairnReplica
import CairnStore
public import CairnZone
import Synchronization

/// The zones in which a revoked device has lost its rights so far.
public struct RevocationProgress: Hashable, Sendable {
  /// The number of zones whose logs contain the revocation, including the account's.
  public var done = 0
  /// The number of zones whose logs can't be written now.
  public var pending = 0
  /// The number of revoked links: the device knows their secrets, or may have created them.
  public var links = 0
  /// The pending zones, with the reason for each.
  public var missed: [MissedZone] = []
}

/// A zone in which a revocation can't be written now.
public struct MissedZone: Hashable, Sendable {
  /// The zone.
  public var zone: ZoneID
  /// The reason, as a clause.
  public var reason: String
}

/// The revocation of a device of this person: in their identity chain, then in all their zones.
///
/// It uses these parts of the container: `account`, `accountPast`, `accountZone`, `isLive`,
/// `links`, `mounts`, `people`, `publicZones`, `refreshMe`, `settled`, `sharing`, `zones`.
public struct Revocation: Sendable {
  let container: Container

  /// Creates a value for a container.
  public init(_ container: Container) { self.container = container }

  /// Removes a device from this person's identity chain permanently, and gives the other devices a
  /// new encryption key. `revokeInZones` applies the consequences to the zones. A second revocation
  /// changes nothing.
  /// - Parameter device: A device other than this one.
  /// - Throws: `CloudError`.
  public func revoke(_ device: DeviceID) throws {
    guard device != container.account.device.id else {
      throw CloudError(
        .invalidArguments, "a device can't revoke itself",
        remedy: "run this on another device of yours; `cairn device list` shows them")
    }
    let me = try container.people.append(to: container.account) { me in
      me.devices[device]?.isActive == false ? nil : .revokeDevice(device)
    }
    guard me.devices[device]?.isActive == false else {
      throw CloudError(
        .assetNotAvailable, "the device isn't revoked: your identity doesn't say so",
        remedy: "run `cairn verify`, and try again")
    }
  }

  /// Writes the revocations into every zone of this person. Where this person may, it also raises
  /// the key epoch and revokes links. The devices' changes to the account are reverted first, so
  /// that they don't decide which zones exist. Completed parts aren't repeated, so an interruption
  /// does no harm.
  /// - Returns: The numbers of completed and pending zones.
  /// - Throws: `CloudError` if the account can't be read.
  public func revokeInZones() throws -> RevocationProgress {
    var progress = RevocationProgress()
    let revoked = try container.refreshMe().me.devices.filter { !$0.value.isActive }.keys.sorted()
    guard !revoked.isEmpty else { return progress }
    // The account comes first: a device that can write there could undo the restoration.
    try revoke(revoked, inOne: container.accountZone, &progress)
    let isSettled = container.settled.withLock { $0.isSuperset(of: revoked) }
    if progress.missed.isEmpty, !isSettled {
      do {
        try AccountRestoration(container: container, revoked: Set(revoked)).run()
      } catch let error as CloudError {
        // All other zones are still processed.
        progress.miss(container.accountZone.id, error.message)
      }
    }
    let listed = try container.zones(.private) + container.zones(.shared)
    var others: [Zone] = []
    if !isSettled {
      do { others = try unlisted(beside: listed, Set(revoked)) } catch let error as CloudError {
        progress.miss(container.accountZone.id, error.message)
      }
    }
    for zone in listed + others + [try container.publicZones.own()] {
      try revoke(revoked, inOne: zone, &progress)
    }
    if progress.missed.isEmpty { container.settled.withLock { $0.formUnion(revoked) } }
    return progress
  }

  /// Returns the zones with this person as owner or participant that the account doesn't list:
  /// those that this device mirrors, and those in this person's folder of the container. A zone
  /// that another device has forgotten is over.
  private func unlisted(
    beside listed: [Zone], _ revoked: Set<DeviceID>
  ) throws -> [Zone] {
    let (finder, past) = (ZoneFinder(container), try container.accountPast())
    let known = Set(listed.map(\.id))
    let mirrored = try Set(container.mounts().map(\.zone)).subtracting(known)
    let found =
      try finder.unlisted(beside: known.union(mirrored))
      + mirrored.compactMap { try finder.open($0) }
    return found.filter { zone in
      let last = past.last(of: AccountZone.zoneEntryID(zone.id), without: revoked)
      let isForgotten = last.map { $0.fields == nil } ?? false
      return zone.scope != .public && !isForgotten && container.isLive(zone)
    }
  }

  /// Revokes in one zone, and notes the result.
  private func revoke(
    _ devices: [DeviceID], inOne zone: Zone, _ progress: inout RevocationProgress
  ) throws {
    do {
      if try revoke(devices, in: zone, &progress) {
        progress.done += 1
      } else if zone.scope != .public, zone.header.genesis == nil,
        try ZoneFinder(container).isBegun(zone)
      {
        progress.miss(zone.id, "no key that your account has opens it")
      }
    } catch let error as CloudError {
      // If this person is no longer in the zone, there is nothing to revoke.
      if error.isOfContainer || !Self.partless.contains(error.code) {
        progress.miss(zone.id, error.message)
      }
    }
  }

  private static let partless: Set<CloudError.Code> = [
    .permissionFailure, .zoneNotFound, .userDeletedZone,
  ]

  /// Revokes a device in a zone, unless the zone's log says so already. Not needed for a zone that
  /// was never begun or has ended.
  private func revoke(
    _ devices: [DeviceID], in zone: Zone, _ progress: inout RevocationProgress
  ) throws -> Bool {
    guard !missing(devices, in: zone.header).isEmpty else { return true }
    var introductions = Introductions()
    var read: UInt64 = 0
    // If somebody claims a link, or accepts, meanwhile, the zone is checked again.
    return try whileOvertaken {
      try zone.pull()
      let header = zone.header
      let left = missing(devices, in: header)
      guard header.genesis != nil, !header.isPurged else { return false }
      guard !left.isEmpty else { return true }
      let mayRaise =
        header.kind == .owned && header.rights(of: container.account.user).contains(.administer)
      // The secret of a link lets the device in again, and gives it the keys of later epochs.
      let links = mayRaise ? header.share?.links.keys.sorted() ?? [] : []
      var guests: [UserID] = []
      if mayRaise, let waiting = header.share?.participants.values.filter(\.isPending),
        !waiting.isEmpty
      {
        try zone.readIntroductions(into: &introductions, after: &read)
        let introduced = introductions.people(introducedBy: authors(devices))
        guests = waiting.map(\.user).filter { introduced[$0] != nil }.sorted()
      }
      try zone.changeShare(
        links.map { .removeLink($0) } + guests.map { .remove(user: $0) }
          + left.map { .revokeDevice($0) },
        rekey: mayRaise, expecting: header.sequence)
      progress.links += links.count
      do {
        for link in links { try container.links.deleteObject(of: link, in: zone.folder) }
        for guest in guests { try container.sharing.withdrawInvitations(of: guest, to: zone) }
      } catch is CloudError {
        // Objects that nobody can use any more may remain.
      }
      return true
    }
  }

  private func missing(_ devices: [DeviceID], in header: ZoneHeader) -> [DeviceID] {
    devices.filter {
      !header.revokedDevices.contains(Author(user: container.account.user, device: $0))
    }
  }

  /// Returns devices of this person as authors.
  private func authors(_ devices: some Sequence<DeviceID>) -> Set<Author> {
    Set(devices.map { Author(user: container.account.user, device: $0) })
  }

  // MARK: Invited people

  /// Returns the people that a device of this person invited, by this person's identity chain and
  /// the logs of their zones, as far as they are readable now.
  /// - Parameter device: A revoked device.
  /// - Returns: All people who are still participants, or were removed with the device.
  /// - Throws: `CloudError` if the account is unreadable.
  public func letIn(by device: DeviceID) throws -> LetIn {
    let me = try container.refreshMe().me
    let revoked = authors(me.devices.filter { !$0.value.isActive }.keys)
    var letIn = LetIn()
    do {
      let adders = try container.people.adders(of: me)
      letIn.devices = me.devices.filter { each in
        each.value.isActive && adders.leads(from: each.key, to: device)
      }.keys.sorted()
    } catch let error as CloudError {
      throw error
    } catch {
      throw CloudError(.assetNotAvailable, "\(error)", remedy: "run `cairn verify`")
    }
    for scope in [DatabaseScope.private, .shared] {
      for zone in try container.zones(scope) {
        do { letIn.guests += try guests(of: device, revoked, in: zone) } catch is CloudError {
          // `RevocationProgress.missed` contains such a zone, too.
        }
      }
    }
    return letIn
  }

  private func guests(
    of device: DeviceID, _ revoked: Set<Author>, in zone: Zone
  ) throws -> [LetIn.Guest] {
    let header = zone.header
    guard let share = header.share, header.rights(of: container.account.user).contains(.read) else {
      return []
    }
    var introductions = Introductions()
    var read: UInt64 = 0
    try zone.readIntroductions(into: &introductions, after: &read)
    let lost = Author(user: container.account.user, device: device)
    let introduced = introductions.people(introducedBy: revoked).filter {
      $0.value.by.contains(lost)
    }
    return introductions.people.compactMap { user, how in
      let participant = share.participants[user]
      let isAdministrator = how.raised == lost && participant?.role == .administrator
      let isGuest = introduced[user] != nil && (participant != nil || how.isTakenBack)
      guard isAdministrator || isGuest else { return nil }
      return LetIn.Guest(
        zone: zone.id, user: user, acceptance: participant?.acceptance,
        isAdministrator: isAdministrator)
    }.sorted { $0.user < $1.user }
  }
}

extension RevocationProgress {
  fileprivate mutating func miss(_ zone: ZoneID, _ reason: String) {
    pending += 1
    missed.append(MissedZone(zone: zone, reason: reason))
  }
}

extension Participant {
  fileprivate var isPending: Bool { acceptance == .pending }
}

extension [DeviceID: DeviceID] {
  /// Returns whether one device was let in by another, directly or through others.
  fileprivate func leads(from device: DeviceID, to other: DeviceID) -> Bool {
    var device = device
    // A device occurs only once, so the loop ends.
    while let adder = self[device] {
      if adder == other { return true }
      device = adder
    }
    return false
  }
}
