public import CairnZone

/// The code with which a new device joins a person: the container's location, the person, a secret
/// that only the two devices share, and the first device's position in the person's chain. Its
/// holder can become that person within its time. It is valid for one device.
///
/// `cairn:device/` and in base 32: format 1, container id 16, user id 32, secret 32, end of its
/// time in seconds since 1970 8, length of the chain 8, the first bytes of its head 16, the
/// container's path, checksum 4 bytes.
public struct DeviceCode: Equatable, Sendable {
  /// The container.
  public let container: ContainerID
  /// The container's location, as the creating device knows it.
  public let path: [UInt8]
  /// The person.
  public let user: UserID
  /// The expiry in seconds since 1970.
  public let expires: Int64
  /// The secret that only the two devices share.
  public let secret: SecretBytes
  /// The anchor that the new device's view of the chain must contain.
  public let anchor: ChainAnchor

  /// The prefix of a code.
  public static let scheme = "cairn:device/"
  private static let format: UInt8 = 1
  private static let context = "cairn device code v1"
  /// The bytes before the path.
  private static let head = 1 + 16 + 32 + 32 + 8 + 8 + 16

  /// The reason why a text is no code. Its description is a sentence for people.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing in the text looks like a code.
    case notACode
    /// A mistyped code: a character is wrong, missing or additional.
    case mistyped
    /// A code of a later version of Cairn.
    case otherFormat(UInt8)

    /// A sentence for people.
    public var description: String {
      switch self {
      case .notACode: "This isn't a code of `cairn device link`: those begin with \(scheme)."
      case .mistyped:
        "The code has a typing error or isn't complete (its checksum is wrong): copy it again."
      case .otherFormat(let format):
        "The code has format \(format), and this version of Cairn knows only format "
          + "\(DeviceCode.format): install a newer version of Cairn to use it."
      }
    }
  }

  /// Creates a code.
  public init(
    container: ContainerID, path: [UInt8], user: UserID, expires: Int64, secret: SecretBytes,
    anchor: ChainAnchor
  ) {
    self.container = container
    self.path = path
    self.user = user
    self.expires = expires
    self.secret = secret
    self.anchor = anchor
  }

  /// The code as text, including the secret.
  public var text: String {
    let bytes =
      [Self.format] + container.bytes + user.bytes + secret.copy()
      + Crypto.number(UInt64(max(0, expires))) + Crypto.number(anchor.length)
      + anchor.head.bytes + path
    return PastedBytes.text(bytes, scheme: Self.scheme, context: Self.context)
  }

  /// Reads a code from pasted text.
  public init(parsing text: String) throws(Failure) {
    let body: [UInt8]
    do throws(PastedBytes.Failure) {
      body = try PastedBytes.read(text, scheme: Self.scheme, context: Self.context)
    } catch {
      throw error == .noScheme ? .notACode : .mistyped
    }
    guard body[0] == Self.format else { throw .otherFormat(body[0]) }
    guard body.count > Self.head, let container = Bytes16(body[1..<17]),
      let user = UserID(bytes: body[17..<49]), let secret = SecretBytes(Array(body[49..<81])),
      let expires = Int64(exactly: Self.number(body[81..<89])),
      let head = Bytes16(body[97..<113])
    else { throw .mistyped }
    self.init(
      container: ContainerID(container), path: Array(body[Self.head...]), user: user,
      expires: expires, secret: secret,
      anchor: ChainAnchor(length: Self.number(body[89..<97]), head: head))
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
