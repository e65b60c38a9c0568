import CairnWire
import CairnZone
import FoundationEssentials

/// A request for access to a share, sent to its owner (CKShare's requesters). Whether the share
/// takes requests is decided elsewhere.
public struct AccessRequest: Equatable, Sendable {
  /// The random id, which is the object's name in the inbox.
  public var id: Bytes16
  /// The container of the zone.
  public var container: ContainerID
  /// The zone.
  public var zone: ZoneID
  /// The requester's text about themself; may be empty.
  public var text: String
  /// The requester, with the device.
  public var author: Author
  /// The person who is asked. The request counts only while this is the owner of the share,
  /// independent of its receiver.
  public var recipient: UserID
  /// The requester's clock in nanoseconds since 1970, only for display.
  public var time: Int64

  /// The maximum number of bytes in `text`.
  public static let textLimit = 1_000
  private static let what = "request for access"

  /// Creates a request.
  public init(
    id: Bytes16, container: ContainerID, zone: ZoneID, text: String, author: Author,
    recipient: UserID, time: Int64
  ) {
    self.id = id
    self.container = container
    self.zone = zone
    self.text = text
    self.author = author
    self.recipient = recipient
    self.time = time
  }

  /// The object for the owner's inbox; nil if the owner's key is invalid. The account must be the
  /// requester's.
  public func sealed(to owner: Person, by account: Account) -> [UInt8]? {
    precondition(author == account.author, "a request is signed by whom it names")
    precondition(recipient == owner.id, "a request is sealed to whom it asks")
    precondition(text.utf8.count <= Self.textLimit, "the text was measured before")
    var wire = WireAccessRequest()
    wire.id = .init(id.bytes)
    wire.container = .init(container.bytes)
    wire.zone = .init(zone.bytes)
    wire.text = text
    wire.user = .init(author.user.bytes)
    wire.device = .init(author.device.bytes)
    wire.time = time
    return SealedMessage.seal(
      .request, StoredMessage.encode(wire), recipient: owner.id.bytes, key: owner.encryptionKey,
      by: account)
  }

  /// Reads an opened message, if it is a request and signed by its named author, for its opener or
  /// the person who passed it on.
  public init(
    _ message: SealedMessage, recipient: UserID, signKey: (Author) throws -> Bytes32?
  ) throws {
    do {
      guard message.kind == .request else { throw FormatError(Self.what, "it is another message") }
      let wire = try StoredMessage.decode(
        message.body, as: WireAccessRequest.self, Self.what, limit: SealedMessage.limit)
      guard let id = Bytes16(wire.id), let container = Bytes16(wire.container),
        let zone = ZoneID(bytes: wire.zone), let user = UserID(bytes: wire.user),
        let device = DeviceID(bytes: wire.device), wire.text.utf8.count <= Self.textLimit
      else { throw FormatError(Self.what, "an id is missing or the text is too long") }
      self.init(
        id: id, container: ContainerID(container), zone: zone, text: wire.text,
        author: Author(user: user, device: device), recipient: message.passedOn ?? recipient,
        time: wire.time)
    } catch let error as FormatError {
      throw Invitation.Failure(error)
    }
    try message.check(author: author, recipient: recipient.bytes, signKey: signKey)
  }
}

/// The facts for a request to a zone whose id alone is known.
public struct Door: Equatable, Sendable {
  /// The person who created the zone; the zone's id proves it.
  public var owner: UserID
  /// The nonce that makes the zone's id, together with the owner.
  var nonce: Bytes16

  private static let format: UInt32 = 1
  /// The maximum size in bytes.
  public static let limit = 256

  /// The stored form.
  public func encoded() -> [UInt8] {
    var wire = WireDoor()
    wire.format = Self.format
    wire.owner = .init(owner.bytes)
    wire.nonce = .init(nonce.bytes)
    return StoredMessage.encode(wire)
  }

  /// Creates the facts of a zone that `owner` created with `nonce`.
  public init(owner: UserID, nonce: Bytes16) {
    self.owner = owner
    self.nonce = nonce
  }

  /// Reads the object at a zone's door. An object that does not make the zone's id is refused.
  public init(_ bytes: [UInt8], of zone: ZoneID) throws(FormatError) {
    let what = "door"
    let wire = try StoredMessage.decode(bytes, as: WireDoor.self, what, limit: Self.limit)
    guard wire.format == Self.format, let owner = UserID(bytes: wire.owner),
      let nonce = Bytes16(wire.nonce)
    else { throw FormatError(what, "a part of it is missing, or a newer Cairn wrote it") }
    guard ZoneID.derive(owner: owner, nonce: nonce) == zone else {
      throw FormatError(what, "it is another zone's")
    }
    self.init(owner: owner, nonce: nonce)
  }
}
