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

extension Container {
  /// The folder in which devices tell where they listen, with a slash at its end.
  public static let wakesFolder = WakeObject.folder + "/"
  /// The most bytes of an object there.
  public static let wakeLimit = WakeObject.limit

  /// Who wakes whom as of now: those who were invited by name and have accepted, and the owners, of
  /// what this person owns or takes part in; of the account this person's own devices. Nobody who
  /// came by a link for anyone, and nobody of what is public. The container isn't asked.
  /// - Throws: `CloudError`, or what SQLite says about an index.
  public func wakeCircle() throws -> WakeCircle {
    var circle = WakeCircle()
    circle.people[accountZone.folder.log] = [account.user]
    for zone in try zones(.private) + zones(.shared) {
      var people: Set<UserID> = [account.user]
      if let share = zone.header.share {
        people.insert(share.owner)
        for participant in share.participants.values
        where participant.acceptance == .accepted && participant.role != .publicUser {
          people.insert(participant.user)
        }
      }
      circle.people[zone.folder.log] = people
    }
    for user in circle.people.values.reduce(into: Set<UserID>(), { $0.formUnion($1) }) {
      // Of whom the container shows another chain than was read, nobody knows the devices.
      guard people.troubles[user] == nil, let person = try people.recall(user) else { continue }
      let active = person.devices.filter { $0.value.isActive && $0.key != account.device.id }
      circle.devices[user] = active.sorted { $0.key < $1.key }.map { id, device in
        WakeCircle.Peer(
          device: id, user: user, boxKey: device.boxKey, personKey: person.encryptionKey)
      }
    }
    return circle
  }

  /// The object by which this device tells all people of a circle where it listens.
  /// - Parameters:
  ///   - number: Which one of this device's it is: higher than any before.
  ///   - addresses: Where it listens.
  ///   - circle: Who is told.
  /// - Returns: where it stands, and its bytes.
  public func wakeObject(
    _ number: UInt64, _ addresses: [WakeAddress], for circle: WakeCircle
  ) -> (key: ObjectKey, bytes: [UInt8]) {
    let object = WakeObject(owner: wakeOwner, number: number)
    let keys = Set(circle.devices.values.joined().map(\.personKey)).sorted()
    let pairs = keys.compactMap { WakePair(account.device.box, $0) }
    return (object.key, object.bytes(addresses, for: pairs, in: id))
  }

  /// The number of this device's object that stands there; nil if it is somebody else's.
  public func ownWakeNumber(_ key: ObjectKey) -> UInt64? {
    WakeObject(key).flatMap { $0.owner == wakeOwner ? $0.number : nil }
  }

  /// Reads where somebody of a circle listens.
  /// - Parameters:
  ///   - key: Where the object stands.
  ///   - bytes: Its bytes.
  ///   - circle: Whose it may be.
  /// - Returns: nil if it is nobody's, or not meant for this person.
  public func wakeListener(
    _ key: ObjectKey, _ bytes: [UInt8], in circle: WakeCircle
  ) -> WakeListener? {
    guard let object = WakeObject(key) else { return nil }
    var (pairs, peers) = ([Bytes16: WakePair](), [Bytes16: WakeCircle.Peer]())
    for peer in circle.devices.values.joined() {
      guard let pair = WakePair(account.currentKey, peer.boxKey) else { continue }
      let tag = object.tag(pair, in: id)
      (pairs[tag], peers[tag]) = (pair, peer)
    }
    guard let found = object.open(bytes, pairs, in: id), let peer = peers[found.tag] else {
      return nil
    }
    return WakeListener(
      key: key, peer: peer, number: object.number, addresses: found.addresses)
  }

  /// The way of wake-ups from this device to another one; nil if that has no good key.
  public func wakeLine(to peer: WakeCircle.Peer) -> WakeLine? {
    WakePair(account.currentKey, peer.boxKey).map {
      WakeLine($0, from: account.device.id, in: id)
    }
  }

  /// The ways on which wake-ups may come to this device.
  public func wakeLines(from circle: WakeCircle) -> [WakeLine] {
    var lines: [WakeLine] = []
    for user in circle.devices.keys.sorted() {
      let peers = circle.devices[user] ?? []
      guard let key = peers.first?.personKey, let pair = WakePair(account.device.box, key) else {
        continue
      }
      lines += peers.map { WakeLine(pair, from: $0.device, in: id) }
    }
    return lines
  }

  /// Under which name this device's objects stand: nobody else can relate it to the device, or to
  /// its bells.
  private var wakeOwner: String {
    let digest = Crypto.digest(
      "cairn wake owner v1", secret: account.device.box.secret, id.bytes)
    return hexadecimal(digest.bytes.prefix(16))
  }
}
