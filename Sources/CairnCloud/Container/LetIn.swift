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
