public import CairnStore
public import CairnZone

/// The allowed senders of push messages: for each log the people who participate by name, and their
/// devices.
public struct WakeCircle: Hashable, Sendable {
  /// A device that may know this device's addresses.
  public struct Peer: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// Its person.
    public let user: UserID
    let boxKey: Bytes32
    let personKey: Bytes32
  }

  /// The people of each log, by its folder in the container.
  public var people: [String: Set<UserID>] = [:]
  /// The devices of each person, without this one.
  public var devices: [UserID: [Peer]] = [:]

  /// Creates an empty value.
  public init() {}

  /// The devices to notify about a change in a log.
  public func peers(of log: String) -> [Peer] {
    (people[log] ?? []).flatMap { devices[$0] ?? [] }
  }
}

/// The decoded object with a device's addresses.
public struct WakeListener: Hashable, Sendable {
  /// The key of the object.
  public let key: ObjectKey
  /// The listening device.
  public let peer: WakeCircle.Peer
  /// The number among that device's objects: the highest counts.
  public let number: UInt64
  /// The addresses.
  public let addresses: [WakeAddress]
}
