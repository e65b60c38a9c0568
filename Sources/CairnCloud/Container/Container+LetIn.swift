public import CairnZone

/// Whom a device let in while it was its person's: what outlasts its revocation, and what only the
/// person can judge.
public struct LetIn: Hashable, Sendable {
  /// Somebody who came into a share through this device alone, or whom it made an administrator.
  public struct Guest: Hashable, Sendable {
    /// The zone that is shared.
    public var zone: ZoneID
    /// Who.
    public var user: UserID
    /// How far they have come; nil if it was taken back with the device.
    public var acceptance: Acceptance?
    /// Whether the device made them an administrator, and they still are.
    public var isAdministrator: Bool
  }

  /// The active devices of its person that it let in, and those that these let in.
  public var devices: [DeviceID] = []
  /// The people, by zone and id.
  public var guests: [Guest] = []
}

extension Container {
  /// Whom a device of this person's let in, by this person's chain and the logs of their zones, as
  /// far as they can be read now.
  /// - Parameter device: one that is revoked.
  /// - Returns: everybody who is in still, or was taken out with the device.
  /// - Throws: `CloudError` if the account can't be read.
  public func letIn(by device: DeviceID) throws -> LetIn {
    let me = try refreshMe().me
    let revoked = authors(me.devices.filter { !$0.value.isActive }.keys)
    var letIn = LetIn()
    do {
      let adders = try people.adders(of: me)
      letIn.devices = me.devices.filter { each in
        each.value.isActive && adders.leads(from: each.key, to: device)
      }.keys.sorted()
    } catch let error as CloudError {
      throw error
    } catch {
      throw CloudError(.assetNotAvailable, "\(error)", remedy: "run `cairn verify`")
    }
    for scope in [DatabaseScope.private, .shared] {
      for zone in try zones(scope) {
        do { letIn.guests += try guests(of: device, revoked, in: zone) } catch is CloudError {
          // That it can't be written to now is told, too.
        }
      }
    }
    return letIn
  }

  private func guests(
    of device: DeviceID, _ revoked: Set<Author>, in zone: Zone
  ) throws -> [LetIn.Guest] {
    let header = zone.header
    guard let share = header.share, header.rights(of: account.user).contains(.read) else {
      return []
    }
    var introductions = Introductions()
    var read: UInt64 = 0
    try zone.readIntroductions(into: &introductions, after: &read)
    let lost = Author(user: account.user, device: device)
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

extension [DeviceID: DeviceID] {
  /// Whether one device was let in by another, or by one that was, and so on.
  fileprivate func leads(from device: DeviceID, to other: DeviceID) -> Bool {
    var device = device
    // A device comes once, so the way ends.
    while let adder = self[device] {
      if adder == other { return true }
      device = adder
    }
    return false
  }
}
