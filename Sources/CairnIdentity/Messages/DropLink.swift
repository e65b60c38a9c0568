import CairnStore
public import CairnZone

/// The link of a drop box: its holder can put files for the owner into the container, and see none.
///
/// `cairn:drop/` and in base 32: format 1, container id 16, owner 32, secret 32, location 0 to
/// 1,024, checksum 4 bytes.
public struct DropLink: Equatable, Sendable {
  /// The container.
  public let container: ContainerID
  /// The owner of the box. Files are sealed to their key.
  public let owner: UserID
  /// The secret of the box.
  public let secret: SecretBytes
  /// The container's location for the owner; empty if it is not included.
  public let location: String

  /// The beginning of a link.
  public static let scheme = "cairn:drop/"
  private static let format: UInt8 = 1
  private static let context = "cairn drop link v1"
  /// The bytes before the location.
  private static let head = 1 + 16 + 32 + 32

  /// The reason why a text is no link. Its description is a sentence for people.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing in the text looks like a link.
    case notALink
    /// A mistyped link: a character is wrong, missing or additional.
    case mistyped
    /// A link of a later version of Cairn.
    case otherFormat(UInt8)

    /// A sentence for people.
    public var description: String {
      switch self {
      case .notALink: "This isn't the link of a drop box: those begin with \(scheme)."
      case .mistyped:
        "The link has a typing error or isn't complete (its checksum is wrong): copy it again."
      case .otherFormat(let format):
        "The link has format \(format), and this version of Cairn knows only format "
          + "\(DropLink.format): install a newer version of Cairn to use it."
      }
    }
  }

  /// Creates a link. An invalid or too long location is left out.
  public init(container: ContainerID, owner: UserID, secret: SecretBytes, location: String = "") {
    self.container = container
    self.owner = owner
    self.secret = secret
    self.location = ShareLink.isLocation(location) ? location : ""
  }

  /// The link as text, including the secret.
  public var text: String {
    let bytes =
      [Self.format] + container.bytes + owner.bytes + secret.copy() + Array(location.utf8)
    return PastedBytes.text(bytes, scheme: Self.scheme, context: Self.context)
  }

  /// The owner of the change marker that senders put: one name for all senders of a box, so that
  /// markers don't accumulate.
  public var bellOwner: String {
    let digest = Crypto.digest("cairn drop bell owner v1", secret: secret)
    return hexadecimal(digest.bytes.prefix(16))
  }

  /// Returns whether a text contains the beginning of such a link.
  static func isIn(_ text: String) -> Bool { text.prefix(65_536).lowercased().contains(scheme) }

  /// Reads a link from pasted text.
  public init(parsing text: String) throws(Failure) {
    let body: [UInt8]
    do throws(PastedBytes.Failure) {
      body = try PastedBytes.read(text, scheme: Self.scheme, context: Self.context)
    } catch {
      throw error == .noScheme ? .notALink : .mistyped
    }
    guard body[0] == Self.format else { throw .otherFormat(body[0]) }
    guard body.count >= Self.head, let container = Bytes16(body[1..<17]),
      let owner = UserID(bytes: body[17..<49]), let secret = SecretBytes(Array(body[49..<81])),
      let location = String(validating: body[Self.head...], as: UTF8.self),
      location.isEmpty || ShareLink.isLocation(location)
    else { throw .mistyped }
    self.init(
      container: ContainerID(container), owner: owner, secret: secret, location: location)
  }
}
