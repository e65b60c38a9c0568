import CairnStore
import CairnWire
public import CairnZone
import FoundationEssentials

/// The envelope of the objects of a drop box, which only people with its link can make: a key from
/// the link seals them for their place. It knows bytes and places.
public struct DropSeal: Sendable {
  /// The owner of the box.
  public let owner: UserID
  /// The id of the box.
  public let box: Bytes16
  private let key: SecretBytes

  /// The maximum size of a description or of a drop in bytes.
  public static let limit = 8_192
  private static let format: UInt32 = 1
  static let context = "cairn drop v1"

  /// Creates the seal of a box with that secret.
  public init(owner: UserID, secret: SecretBytes) {
    self.owner = owner
    key = Crypto.derive("cairn drop box key v1", from: secret)
    let digest = Crypto.digest("cairn drop box name v1", secret: secret)
    guard let box = Bytes16(digest.bytes.prefix(16)) else {
      preconditionFailure("a digest has more than sixteen bytes")
    }
    self.box = box
  }

  func seal(_ plain: [UInt8], at place: DropPlace) -> [UInt8] {
    let nonce = Crypto.random(Crypto.nonceCount)
    var object = WireDropObject()
    object.format = Self.format
    object.nonce = .init(nonce)
    object.sealed = .init(Crypto.seal(plain, key: key, nonce: nonce, with: associated(place)))
    return StoredMessage.encode(object)
  }

  /// Returns the sealed bytes.
  /// - Throws: `FormatError` if the object isn't by a person with the link, or was moved.
  func open(_ bytes: [UInt8], at place: DropPlace, _ what: String) throws(FormatError) -> [UInt8] {
    let object = try StoredMessage.decode(
      bytes, as: WireDropObject.self, what, limit: Self.limit, .closed)
    guard object.format <= Self.format else { throw .newer(what) }
    guard object.format == Self.format else { throw FormatError(what, "it has no format") }
    let plain = Crypto.open(
      Array(object.sealed), key: key, nonce: Array(object.nonce), with: associated(place))
    guard let plain else { throw FormatError(what, "nobody with the link made it for its place") }
    return plain
  }

  /// Returns whether a person with the link made the object, for this place.
  public func isSealed(_ bytes: [UInt8], at place: DropPlace) -> Bool {
    do { _ = try open(bytes, at: place, "object") } catch { return false }
    return true
  }

  private func associated(_ place: DropPlace) -> [UInt8] {
    Crypto.prefix(Self.context) + owner.bytes + Array(place.name.utf8)
  }
}

/// The limits of a drop box.
public struct DropLimits: Hashable, Sendable {
  /// The most bytes of a file.
  public var size: UInt64
  /// The most files that may wait at the same time.
  public var files: UInt32

  /// Creates limits.
  public init(size: UInt64, files: UInt32) {
    self.size = size
    self.files = files
  }
}

/// The description of a drop box, for people with its link, signed by a device of its owner.
public struct DropBoxDescription: Equatable, Sendable {
  /// The container.
  public var container: ContainerID
  /// The title that senders see.
  public var title: String
  /// The limits.
  public var limits: DropLimits
  /// Nanoseconds since 1970; nil without an end.
  public var expires: Int64?

  private static let what = "drop box"
  private static let context = "cairn drop box v1"

  /// Creates a description.
  public init(container: ContainerID, title: String, limits: DropLimits, expires: Int64?) {
    self.container = container
    self.title = title
    self.limits = limits
    self.expires = expires
  }

  /// The object of the description, signed by the account of the owner.
  public func sealed(by account: Account, _ seal: DropSeal) -> [UInt8] {
    precondition(account.user == seal.owner, "the owner describes a box")
    var wire = WireDropBox()
    wire.container = .init(container.bytes)
    wire.title = title
    wire.maxSize = limits.size
    wire.maxFiles = limits.files
    wire.expires = expires ?? 0
    wire.device = .init(account.device.id.bytes)
    wire.signature = .init(
      account.device.signing.sign(
        Self.context, seal.owner.bytes, seal.box.bytes, StoredMessage.encode(wire)))
    return seal.seal(StoredMessage.encode(wire), at: .box(seal.box))
  }

  /// Opens the object of a description.
  /// - Parameters:
  ///   - bytes: The stored bytes.
  ///   - seal: The seal of the box.
  ///   - signKey: The key of a device of the owner; nil if the device isn't active.
  /// - Throws: `FormatError`, and any error of `signKey`.
  public init(
    _ bytes: [UInt8], _ seal: DropSeal, signKey: (Author) throws -> Bytes32?
  ) throws {
    let plain = try seal.open(bytes, at: .box(seal.box), Self.what)
    var wire = try StoredMessage.decode(
      plain, as: WireDropBox.self, Self.what, limit: DropSeal.limit)
    let signature = Array(wire.signature)
    wire.signature = .init()
    guard let container = Bytes16(wire.container), let device = DeviceID(bytes: wire.device) else {
      throw FormatError(Self.what, "an id is missing")
    }
    let body = StoredMessage.encode(wire)
    guard let key = try signKey(Author(user: seal.owner, device: device)),
      SigningKey.verify(
        signature, by: key, Self.context, seal.owner.bytes, seal.box.bytes, body)
    else { throw FormatError(Self.what, "no device of its owner signed it") }
    self.init(
      container: ContainerID(container), title: wire.title,
      limits: DropLimits(size: wire.maxSize, files: wire.maxFiles),
      expires: wire.expires == 0 ? nil : wire.expires)
  }
}

/// A dropped file: its name, its size, the key of its content, and its sender, if known.
public struct DropMessage: Equatable, Sendable {
  /// The key of the content.
  public var key: SecretBytes
  /// The name.
  public var name: String
  /// The number of bytes.
  public var size: UInt64
  /// The sender's clock in nanoseconds since 1970, only for display.
  public var time: Int64
  /// The sender; nil for a sender without an account.
  public var author: Author?

  private static let what = "dropped file"

  /// Creates a drop.
  public init(key: SecretBytes, name: String, size: UInt64, time: Int64, author: Author?) {
    self.key = key
    self.name = name
    self.size = size
    self.time = time
    self.author = author
  }

  /// Returns whether a file can be dropped under a name: UTF-8 of 1 to 255 bytes without slashes,
  /// and without characters that hide what a person sees. It doesn't begin with a dot.
  public static func isName(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, first != ".", name.utf8.count <= 255 else {
      return false
    }
    return name.unicodeScalars.allSatisfy { scalar in
      let isHidden: [Unicode.GeneralCategory] = [
        .control, .format, .privateUse, .surrogate, .lineSeparator, .paragraphSeparator,
      ]
      return scalar != "/" && !isHidden.contains(scalar.properties.generalCategory)
    }
  }

  /// The object of the drop.
  /// - Parameters:
  ///   - place: The place of the drop.
  ///   - seal: The seal of the box.
  ///   - key: The encryption key of the owner.
  ///   - account: The sender that `author` names.
  /// - Returns: The stored bytes; nil if the key of the owner is invalid.
  public func sealed(
    at place: DropPlace, _ seal: DropSeal, to key: Bytes32, by account: Account?
  ) -> [UInt8]? {
    precondition(author == account?.author, "the sender signs a drop")
    precondition(Self.isName(name), "the name was checked before")
    var wire = wire
    if let account {
      let body = StoredMessage.encode(wire)
      wire.signature = .init(
        account.device.signing.sign(
          DropSeal.context, seal.owner.bytes, Array(place.name.utf8), body))
    }
    let count = StoredMessage.encode(wire).count
    wire.padding = .init(repeating: 0, count: SizeClass.paddingField(messageCount: count))
    return BoxKey.seal(StoredMessage.encode(wire), to: key).map { seal.seal($0, at: place) }
  }

  private var wire: WireDrop {
    var wire = WireDrop()
    wire.key = .init(key.copy())
    wire.name = name
    wire.size = size
    wire.time = time
    if let author {
      wire.user = .init(author.user.bytes)
      wire.device = .init(author.device.bytes)
    }
    return wire
  }

  /// Opens the object of a drop.
  /// - Parameters:
  ///   - bytes: The stored bytes.
  ///   - place: The place of the object.
  ///   - seal: The seal of the box.
  ///   - open: Opens a box to the owner; nil if it is for another person, or for a later key.
  ///   - signKey: The key of a sender's device; nil if it is unknown: then the sender is unknown.
  /// - Throws: `FormatError` for anything but a drop, and any error of `open` and `signKey`.
  public init(
    _ bytes: [UInt8], at place: DropPlace, _ seal: DropSeal, open: ([UInt8]) throws -> [UInt8]?,
    signKey: (Author) throws -> Bytes32?
  ) throws {
    guard let plain = try open(try seal.open(bytes, at: place, Self.what)) else {
      throw FormatError(Self.what, "it is for another person")
    }
    var wire = try StoredMessage.decode(
      plain, as: WireDrop.self, Self.what, limit: DropSeal.limit)
    let signature = Array(wire.signature)
    wire.signature = .init()
    wire.clearPadding()
    guard let key = SecretBytes(Array(wire.key)), Self.isName(wire.name) else {
      throw FormatError(Self.what, "its key or its name is invalid")
    }
    var author: Author?
    if let user = UserID(bytes: wire.user), let device = DeviceID(bytes: wire.device) {
      let named = Author(user: user, device: device)
      let body = StoredMessage.encode(wire)
      if let signing = try signKey(named),
        SigningKey.verify(
          signature, by: signing, DropSeal.context, seal.owner.bytes, Array(place.name.utf8), body)
      {
        author = named
      }
    }
    self.init(key: key, name: wire.name, size: wire.size, time: wire.time, author: author)
  }
}

/// The content of a dropped file, in pieces that the key of the drop seals.
public enum DropContent {
  /// The number of bytes of each piece but the last.
  public static let pieceSize: UInt64 = 4 << 20
  /// The maximum size of a file in bytes.
  public static let limit = pieceSize * 16_384

  /// The number of pieces of a file of that size.
  public static func pieces(of size: UInt64) -> UInt32 {
    precondition(size <= limit, "the size was checked before")
    return UInt32((size + pieceSize - 1) / pieceSize)
  }

  /// The number of bytes of a piece before it is sealed.
  public static func size(of piece: UInt32, of size: UInt64) -> Int {
    Int(min(pieceSize, size - UInt64(piece) * pieceSize))
  }

  /// The number of bytes of a piece as it is stored.
  public static func stored(_ piece: UInt32, of size: UInt64) -> Int {
    self.size(of: piece, of: size) + Crypto.tagCount
  }

  /// Seals a piece for its place.
  public static func seal(
    _ plain: [UInt8], key: SecretBytes, at place: DropPlace, of owner: UserID
  ) -> [UInt8] {
    Crypto.seal(plain, key: key, nonce: nonce(place), with: associated(place, owner))
  }

  /// Opens a piece; nil if it isn't the sender's, or was moved.
  public static func open(
    _ sealed: [UInt8], key: SecretBytes, at place: DropPlace, of owner: UserID
  ) -> [UInt8]? {
    Crypto.open(sealed, key: key, nonce: nonce(place), with: associated(place, owner))
  }

  /// The number of the piece, and zeros: each key seals each number once.
  private static func nonce(_ place: DropPlace) -> [UInt8] {
    guard case .piece(let number, _, _) = place else {
      preconditionFailure("a piece has the place of a piece")
    }
    return Crypto.number(UInt64(number))
      + [UInt8](repeating: 0, count: Crypto.nonceCount - 8)
  }

  private static func associated(_ place: DropPlace, _ owner: UserID) -> [UInt8] {
    Crypto.prefix("cairn drop piece v1") + owner.bytes + Array(place.name.utf8)
  }
}
