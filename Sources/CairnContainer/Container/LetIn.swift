public import CairnZone

/// The people and devices that a device admitted while it was its person's: they outlast its
/// revocation, and only the person can judge them.
public struct LetIn: Hashable, Sendable {
  /// A person who joined a share only through this device, or became an administrator through it.
  public struct Guest: Hashable, Sendable {
    /// The shared zone.
    public var zone: ZoneID
    /// The person.
    public var user: UserID
    /// The acceptance status; nil if the invitation was revoked with the device.
    public var acceptance: Acceptance?
    /// A Boolean value that indicates whether the device made them an administrator, and they still
    /// are one.
    public var isAdministrator: Bool
  }

  /// The active devices of its person that it let in, and those that these let in.
  public var devices: [DeviceID] = []
  /// The people, by zone and id.
  public var guests: [Guest] = []
}
