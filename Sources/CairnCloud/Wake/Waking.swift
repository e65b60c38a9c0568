public import CairnStore
import CairnZone

/// How the devices of those who take part wake each other: where each listens, as the container
/// tells it to nobody else.
public struct Waking: Sendable {
  let container: Container

  /// In that container.
  public init(_ container: Container) { self.container = container }

  /// The folder in which devices tell where they listen, with a slash at its end.
  public static let folder = WakeObject.folder + "/"
  /// The most bytes of an object there.
  public static let limit = WakeObject.limit

  /// Who wakes whom as of now: those who were invited by name and have accepted, and the owners, of
  /// what this person owns or takes part in; of the account this person's own devices. Nobody who
  /// came by a link for anyone, and nobody of what is public. The container isn't asked.
  /// - Throws: `CloudError`, or what SQLite says about an index.
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
      // Of whom the container shows another chain than was read, nobody knows the devices.
      guard memory.troubles[user] == nil, let person = try memory.recall(user) else { continue }
      let active = person.devices.filter {
        $0.value.isActive && $0.key != container.account.device.id
      }
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
  public func object(
    _ number: UInt64, _ addresses: [WakeAddress], for circle: WakeCircle
  ) -> (key: ObjectKey, bytes: [UInt8]) {
    let object = WakeObject(owner: owner, number: number)
    let keys = Set(circle.devices.values.joined().map(\.personKey)).sorted()
    let pairs = keys.compactMap { WakePair(container.account.device.box, $0) }
    return (object.key, object.bytes(addresses, for: pairs, in: container.id))
  }

  /// The number of this device's object that stands there; nil if it is somebody else's.
  public func ownNumber(_ key: ObjectKey) -> UInt64? {
    WakeObject(key).flatMap { $0.owner == owner ? $0.number : nil }
  }

  /// Reads where somebody of a circle listens.
  /// - Parameters:
  ///   - key: Where the object stands.
  ///   - bytes: Its bytes.
  ///   - circle: Whose it may be.
  /// - Returns: nil if it is nobody's, or not meant for this person.
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

  /// The way of wake-ups from this device to another one; nil if that has no good key.
  public func line(to peer: WakeCircle.Peer) -> WakeLine? {
    WakePair(container.account.currentKey, peer.boxKey).map {
      WakeLine($0, from: container.account.device.id, in: container.id)
    }
  }

  /// The ways on which wake-ups may come to this device.
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

  /// Under which name this device's objects stand: nobody else can relate it to the device, or to
  /// its bells.
  private var owner: String {
    let digest = Crypto.digest(
      "cairn wake owner v1", secret: container.account.device.box.secret, container.id.bytes)
    return hexadecimal(digest.bytes.prefix(16))
  }
}
