import CairnStore
public import CairnZone

/// Where a revoked device has lost its rights by now.
public struct RevocationProgress: Hashable, Sendable {
  /// The zones whose logs say so; the account's is one of them.
  public var done = 0
  /// The zones whose logs can't be written now.
  public var pending = 0
  /// The links that were taken back: the device knows their secrets, or may have made them.
  public var links = 0
}

extension Container {
  /// Takes a device out of this person's chain, for ever, with another encryption key for the
  /// others. What follows from it in the zones, `revokeInZones` does. Revoking twice is the same as
  /// once.
  /// - Parameter device: another device than this one.
  /// - Throws: `CloudError`.
  public func revokeDevice(_ device: DeviceID) throws {
    guard device != account.device.id else {
      throw CloudError(
        .invalidArguments, "a device can't revoke itself",
        remedy: "run this on another device of yours; `cairn device list` shows them")
    }
    let me = try people.append(to: account) { me in
      me.devices[device]?.isActive == false ? nil : .revokeDevice(device)
    }
    guard me.devices[device]?.isActive == false else {
      throw CloudError(
        .assetNotAvailable, "the device isn't revoked: your identity doesn't say so",
        remedy: "run `cairn verify`, and try again")
    }
  }

  /// Says in every zone of the account which devices were revoked, and raises the key epoch and
  /// takes links back where this person may; what the devices left in the account goes. What was
  /// done before isn't done again, so an interruption does no harm.
  /// - Throws: `CloudError` if the account can't be read.
  public func revokeInZones() throws -> RevocationProgress {
    var progress = RevocationProgress()
    let revoked = try refreshMe().me.devices.filter { !$0.value.isActive }.keys.sorted()
    guard !revoked.isEmpty else { return progress }
    // The account's own zone first: it has the keys of all others.
    let others = try zones(.private) + zones(.shared) + [publicZones.own()]
    for zone in [accountZone] + others {
      do {
        if try revoke(revoked, in: zone, &progress) { progress.done += 1 }
      } catch let error as CloudError {
        // Where this person has no part any more there is nothing to take away.
        if !Self.partless.contains(error.code) { progress.pending += 1 }
      }
    }
    // After its revocation stands in the account's zone, so that nothing of it comes back.
    try AccountZone.forget(Set(revoked), in: accountZone)
    return progress
  }

  private static let partless: Set<CloudError.Code> = [
    .permissionFailure, .zoneNotFound, .userDeletedZone,
  ]

  /// Whether the zone says so now; a zone that was never begun, or is ended, needn't.
  private func revoke(
    _ devices: [DeviceID], in zone: Zone, _ progress: inout RevocationProgress
  ) throws -> Bool {
    guard !missing(devices, in: zone.header).isEmpty else { return true }
    var introductions = Introductions()
    var read: UInt64 = 0
    // Who claims a link, or accepts, meanwhile has it looked at anew.
    return try whileOvertaken {
      try zone.pull()
      let header = zone.header
      let left = missing(devices, in: header)
      guard header.genesis != nil, !header.isPurged else { return false }
      guard !left.isEmpty else { return true }
      let mayRaise =
        header.kind == .owned && header.rights(of: account.user).contains(.administer)
      // Who has a link's secret is let in again by it, and gets the keys of later epochs.
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
        for link in links { try deleteObject(of: link, in: zone.folder) }
        for guest in guests { try withdrawInvitations(of: guest, to: zone) }
      } catch is CloudError {
        // What nobody can use any more may stay.
      }
      return true
    }
  }

  private func missing(_ devices: [DeviceID], in header: ZoneHeader) -> [DeviceID] {
    devices.filter {
      !header.revokedDevices.contains(Author(user: account.user, device: $0))
    }
  }

  /// Devices of this person, as authors.
  func authors(_ devices: some Sequence<DeviceID>) -> Set<Author> {
    Set(devices.map { Author(user: account.user, device: $0) })
  }
}

extension Participant {
  fileprivate var isPending: Bool { acceptance == .pending }
}
