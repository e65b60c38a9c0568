import CairnIdentity
import CairnReplica
public import CairnStore
import CairnZone

/// The addresses of participants' devices for push messages, which the container reveals to nobody
/// else.
///
/// It uses these parts of the container: `account`, `accountZone`, `id`, `people`, `zones`.
public struct Waking: Sendable {
  let container: Container

  /// Creates the access for a container.
  public init(_ container: Container) { self.container = container }

  /// The folder of objects with addresses, with a slash at its end.
  public static let folder = WakeObject.folder + "/"
  /// The maximum size of an object there, in bytes.
  public static let limit = WakeObject.limit

  /// The current allowed senders: people who were invited by name and have accepted, and the
  /// owners, in all zones that this person owns or participates in; for the account, this person's
  /// own devices. Nobody who joined by a link for anyone, and nobody of public zones. The container
  /// is not asked.
  /// - Throws: `CloudError`, or errors of SQLite.
  public func circle() throws -> WakeCircle {
    var circle = WakeCircle()
    circle.people[container.accountZone.folder.log] = [container.account.user]
    for zone in try container.zones(.private) + container.zones(.shared) {
      var people: Set<UserID> = [container.account.user]
      if let share = zone.header.share {
        people.insert(share.owner)
        for participant in share.participants.values
        where participant.acceptance == .accepted && participant.role != .publicUser {
          people.insert(participant.user)
        }
      }
      circle.people[zone.folder.log] = people
    }
    let memory = container.people
    for user in circle.people.values.reduce(into: Set<UserID>(), { $0.formUnion($1) }) {
      // If the container shows another chain than the known one, a person's devices are unknown.
      guard memory.troubles[user] == nil, let person = try memory.recall(user) else { continue }
      let active = person.devices.filter {
        $0.value.isActive && !$0.value.isRecovery && $0.key != container.account.device.id
      }
      circle.devices[user] = active.sorted { $0.key < $1.key }.map { id, device in
        WakeCircle.Peer(
          device: id, user: user, boxKey: device.boxKey, personKey: person.encryptionKey)
      }
    }
    return circle
  }

  /// The object with this device's addresses for all allowed people.
  /// - Parameters:
  ///   - number: Its number among this device's objects: higher than any before.
  ///   - addresses: The addresses.
  ///   - circle: The allowed people.
  /// - Returns: its key and its bytes.
  public func object(
    _ number: UInt64, _ addresses: [WakeAddress], for circle: WakeCircle
  ) -> (key: ObjectKey, bytes: [UInt8]) {
    let object = WakeObject(owner: owner, number: number)
    let keys = Set(circle.devices.values.joined().map(\.personKey)).sorted()
    let pairs = keys.compactMap { WakePair(container.account.device.box, $0) }
    return (object.key, object.bytes(addresses, for: pairs, in: container.id))
  }

  /// The number of this device's object; nil if it is another device's.
  public func ownNumber(_ key: ObjectKey) -> UInt64? {
    WakeObject(key).flatMap { $0.owner == owner ? $0.number : nil }
  }

  /// Reads the addresses of an allowed sender.
  /// - Parameters:
  ///   - key: The key of the object.
  ///   - bytes: Its bytes.
  ///   - circle: The possible owners.
  /// - Returns: nil if it is nobody's, or not for this person.
  public func listener(
    _ key: ObjectKey, _ bytes: [UInt8], in circle: WakeCircle
  ) -> WakeListener? {
    guard let object = WakeObject(key) else { return nil }
    var (pairs, peers) = ([Bytes16: WakePair](), [Bytes16: WakeCircle.Peer]())
    for peer in circle.devices.values.joined() {
      guard let pair = WakePair(container.account.currentKey, peer.boxKey) else { continue }
      let tag = object.tag(pair, in: container.id)
      (pairs[tag], peers[tag]) = (pair, peer)
    }
    guard let found = object.open(bytes, pairs, in: container.id), let peer = peers[found.tag]
    else {
      return nil
    }
    return WakeListener(
      key: key, peer: peer, number: object.number, addresses: found.addresses)
  }

  /// The channel for push messages from this device to another one; nil if that has no valid key.
  public func line(to peer: WakeCircle.Peer) -> WakeLine? {
    WakePair(container.account.currentKey, peer.boxKey).map {
      WakeLine($0, from: container.account.device.id, in: container.id)
    }
  }

  /// The channels on which push messages may come to this device.
  public func lines(from circle: WakeCircle) -> [WakeLine] {
    var lines: [WakeLine] = []
    for user in circle.devices.keys.sorted() {
      let peers = circle.devices[user] ?? []
      guard let key = peers.first?.personKey, let pair = WakePair(container.account.device.box, key)
      else {
        continue
      }
      lines += peers.map { WakeLine(pair, from: $0.device, in: container.id) }
    }
    return lines
  }

  /// The owner name of this device's objects: nobody else can relate it to the device, or to its
  /// change markers.
  private var owner: String {
    let digest = Crypto.digest(
      "cairn wake owner v1", secret: container.account.device.box.secret, container.id.bytes)
    return hexadecimal(digest.bytes.prefix(16))
  }
}
