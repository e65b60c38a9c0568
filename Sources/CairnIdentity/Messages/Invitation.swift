import CairnWire
import CairnZone
import FoundationEssentials

/// A message that lets a person into a zone. It contains the keys and names its sender. The zone's
/// log decides whether the sender may invite.
public struct Invitation: Equatable, Sendable {
  /// The id, which is the object's name in the inbox; see `name(_:to:zoneKey:)`.
  public var id: Bytes16
  /// The container of the zone.
  public var container: ContainerID
  /// The zone.
  public var zone: ZoneID
  /// The zone's founder, as the sender says; the zone's first commit proves it.
  public var owner: UserID
  /// The keys of all epochs so far; for recipients without history, those from the cutoff on.
  public var keyring: Keyring
  /// The share's title at that time.
  public var title: String
  /// The recipient's permission.
  public var permission: Permission
  /// The inviter, with the device.
  public var inviter: Author
  /// The inviter's clock in nanoseconds since 1970, only for display.
  public var time: Int64
  /// The anchor of the zone's log: the recipient's view of the log must contain it.
  public var zoneHead: LogAnchor
  /// The sender's position in their own chain.
  public var chainHead: ChainHead
  /// The nonce that makes the zone's id together with its founder, if the key of epoch 1 is not
  /// included.
  public var nonce: Bytes16?

  /// The reason why a message cannot be opened. Its description is a sentence for people.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes are no message.
    case unreadable(FormatError)
    /// A later version of Cairn wrote the message.
    case newerFormat(UInt32)
    /// It has a field or a value that only a later version of Cairn knows.
    case newer(FormatError)
    /// It is sealed to another person, or damaged.
    case notForUs
    /// The container does not know its claimed author or device.
    case unknownInviter(Author)
    /// The claimed sender did not sign it.
    case badSignature(Author)
    /// The recipient's encryption key is invalid, so nothing can be sealed to it.
    case unusableKey(UserID)

    init(_ error: FormatError) { self = error.isNewer ? .newer(error) : .unreadable(error) }

    /// A sentence for people.
    public var description: String {
      switch self {
      case .unreadable(let error), .newer(let error): error.description
      case .newerFormat: "The invitation was written by a newer version of Cairn: install that one."
      case .notForUs: "The invitation is for another person, or it is damaged."
      case .unknownInviter(let author):
        "The invitation says it is by \(author.user), of whom this container has no such device."
      case .badSignature(let author): "The invitation isn't signed by \(author.user)."
      case .unusableKey(let user): "The encryption key that \(user) published can't be used."
      }
    }
  }

  /// Creates an invitation.
  public init(
    id: Bytes16, container: ContainerID, zone: ZoneID, owner: UserID, keyring: Keyring,
    title: String, permission: Permission, inviter: Author, time: Int64,
    zoneHead: LogAnchor, chainHead: ChainHead, nonce: Bytes16? = nil
  ) {
    self.nonce = nonce
    self.zoneHead = zoneHead
    self.chainHead = chainHead
    self.id = id
    self.container = container
    self.zone = zone
    self.owner = owner
    self.keyring = keyring
    self.title = title
    self.permission = permission
    self.inviter = inviter
    self.time = time
  }

  /// The maximum number of invitations to one zone in one inbox.
  public static let slots: UInt64 = 8

  /// The id, and so the name in the inbox, of an invitation to a person. Holders of the zone's keys
  /// find it again, and nobody else can interpret it.
  /// - Parameters:
  ///   - slot: The number of the slot, from 0.
  ///   - user: The recipient.
  ///   - key: The first key of the zone that the recipient gets: it never changes.
  /// - Returns: sixteen bytes that look random.
  public static func name(_ slot: UInt64, to user: UserID, zoneKey key: ZoneKey) -> Bytes16 {
    let digest = Crypto.digest(
      "cairn invitation name v1", secret: key.secret, user.bytes, Crypto.number(slot))
    guard let name = Bytes16(digest.bytes.prefix(16)) else {
      preconditionFailure("a digest of less than sixteen bytes")
    }
    return name
  }

  /// The object for the person's inbox. The account must be the inviter's.
  public func sealed(to person: Person, by account: Account) throws(Failure) -> [UInt8] {
    guard let bytes = sealed(to: person.id.bytes, key: person.encryptionKey, by: account) else {
      throw .unusableKey(person.id)
    }
    return bytes
  }

  /// The object for a person or a link; nil if the key is invalid.
  public func sealed(to recipient: [UInt8], key: Bytes32, by account: Account) -> [UInt8]? {
    precondition(inviter == account.author, "an invitation is signed by whom it names")
    return SealedMessage.seal(
      .invitation, StoredMessage.encode(wire), recipient: recipient, key: key, by: account)
  }

  /// Opens an object of this person's inbox and verifies its signature.
  /// - Parameters:
  ///   - bytes: The stored object.
  ///   - account: The recipient.
  ///   - signKey: Returns the public key of a person's device; nil if there is none.
  /// - Returns: the invitation; the zone's log says whether its sender may invite.
  /// - Throws: `Failure`, and errors of `signKey`.
  public static func open(
    _ bytes: [UInt8], account: Account, signKey: (Author) throws -> Bytes32?
  ) throws -> Invitation {
    let message = try SealedMessage(bytes) { account.open($0) }
    return try Invitation(message, recipient: account.user.bytes, signKey: signKey)
  }

  /// Reads an opened message, if it is an invitation and signed by its named author.
  public init(
    _ message: SealedMessage, recipient: [UInt8], signKey: (Author) throws -> Bytes32?
  ) throws {
    do {
      guard message.kind == .invitation else {
        throw FormatError("invitation", "it is another message")
      }
      let wire = try StoredMessage.decode(
        message.body, as: WireInvitation.self, "invitation", limit: SealedMessage.limit)
      try self.init(wire)
    } catch let error as FormatError {
      throw Failure(error)
    }
    try message.check(author: inviter, recipient: recipient, signKey: signKey)
  }

  private var wire: WireInvitation {
    var wire = WireInvitation()
    wire.id = .init(id.bytes)
    wire.container = .init(container.bytes)
    wire.zone = .init(zone.bytes)
    wire.owner = .init(owner.bytes)
    wire.keyring = keyring.wire
    wire.title = title
    wire.permission = UInt32(permission.rawValue)
    wire.user = .init(inviter.user.bytes)
    wire.device = .init(inviter.device.bytes)
    wire.time = time
    wire.zoneHead.place = zoneHead.sequence
    wire.zoneHead.digest = .init(zoneHead.digest.bytes)
    wire.chainHead = WireChainHead(chainHead)
    if let nonce { wire.nonce = .init(nonce.bytes) }
    return wire
  }

  private init(_ wire: WireInvitation) throws(FormatError) {
    guard let id = Bytes16(wire.id), let container = Bytes16(wire.container),
      let zone = ZoneID(bytes: wire.zone), let owner = UserID(bytes: wire.owner),
      let user = UserID(bytes: wire.user), let device = DeviceID(bytes: wire.device),
      let permission = UInt8(exactly: wire.permission).flatMap(Permission.init(rawValue:)),
      permission != .none
    else { throw FormatError("invitation", "an id is missing or the permission is none") }
    guard wire.hasZoneHead, let digest = Bytes32(wire.zoneHead.digest), wire.hasChainHead else {
      throw FormatError("invitation", "it doesn't say how far the log was read")
    }
    guard wire.title.utf8.count <= Share.maximumTitleSize else {
      throw FormatError("invitation", "its title is too long")
    }
    guard wire.nonce.isEmpty || wire.nonce.count == 16 else {
      throw FormatError("invitation", "its nonce has a wrong size")
    }
    self.init(
      id: id, container: ContainerID(container), zone: zone, owner: owner,
      keyring: try Keyring(wire.keyring), title: wire.title, permission: permission,
      inviter: Author(user: user, device: device), time: wire.time,
      zoneHead: LogAnchor(sequence: wire.zoneHead.place, digest: digest),
      chainHead: try wire.chainHead.chainHead(), nonce: Bytes16(wire.nonce))
  }
}
