public import CairnStore
public import CairnZone

/// Who wakes whom: for each log the people who take part by name, and their devices.
public struct WakeCircle: Hashable, Sendable {
  /// A device of somebody's who may know where this one listens.
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
  /// The devices of each of them, without this one.
  public var devices: [UserID: [Peer]] = [:]

  /// Nobody.
  public init() {}

  /// The devices to be told of what is new in a log.
  public func peers(of log: String) -> [Peer] {
    (people[log] ?? []).flatMap { devices[$0] ?? [] }
  }
}

/// An object that says where a device listens, read.
public struct WakeListener: Hashable, Sendable {
  /// Where the object stands.
  public let key: ObjectKey
  /// Who listens.
  public let peer: WakeCircle.Peer
  /// Which one of that device's objects it is: the highest counts.
  public let number: UInt64
  /// Where.
  public let addresses: [WakeAddress]
}
