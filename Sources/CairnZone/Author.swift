/// The person and the device that signed a commit.
public struct Author: Hashable, Sendable {
  /// The person.
  public var user: UserID
  /// The device of the signature.
  public var device: DeviceID

  /// Creates an author.
  public init(user: UserID, device: DeviceID) {
    self.user = user
    self.device = device
  }
}
