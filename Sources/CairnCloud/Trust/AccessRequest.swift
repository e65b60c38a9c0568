import CairnZone
import FoundationEssentials

/// A message by which somebody asks the owner of a share to be let in (CKShare's requesters).
/// Whether the share takes requests isn't its business.
public struct AccessRequest: Equatable, Sendable {
  /// Random; the object in the inbox is named by it.
  public var id: Bytes16
  /// The container that the zone is in.
  public var container: ContainerID
  /// The zone.
  public var zone: ZoneID
  /// What they say about themself, in one line or more; may be empty.
  public var text: String
  /// Who asks, with which device.
  public var author: Author
  /// Whom they ask. It counts only while that is the owner of the share, whoever was told of it.
  public var recipient: UserID
  /// Their clock in nanoseconds since 1970, to be shown and nothing else.
  public var time: Int64

  /// The most bytes that `text` may have.
  public static let textLimit = 1_000
  private static let what = "request for access"

  /// Joins all parts.
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

  /// The object for the owner's inbox; nil if the owner's key is none. The account must be that of
  /// whoever asks.
  func sealed(to owner: Person, by account: Account) -> [UInt8]? {
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

  /// What an opened message says, if it is a request and signed by whom it names, for whoever
  /// opened it or whoever passed it on to them.
  init(
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

/// Whom to ask for access to a zone, for somebody who knows nothing but the zone's id.
struct Door: Equatable, Sendable {
  /// The person who made the zone; proven by the zone's id.
  var owner: UserID
  /// What made the zone's id, with the owner.
  var nonce: Bytes16

  private static let format: UInt32 = 1
  static let limit = 256

  /// The stored form.
  func encoded() -> [UInt8] {
    var wire = WireDoor()
    wire.format = Self.format
    wire.owner = .init(owner.bytes)
    wire.nonce = .init(nonce.bytes)
    return StoredMessage.encode(wire)
  }

  init(owner: UserID, nonce: Bytes16) {
    self.owner = owner
    self.nonce = nonce
  }

  /// Reads what stands at a zone's door; anything that doesn't make the zone's id is refused.
  init(_ bytes: [UInt8], of zone: ZoneID) throws(FormatError) {
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
