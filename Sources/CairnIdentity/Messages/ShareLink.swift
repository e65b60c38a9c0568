import CairnStore
import CairnZone

/// The text that locates a share (CKShare.url): container, founder and zone, and for links that
/// admit people a secret. It opens nothing without an invitation or that secret.
///
/// `cairn:share/` and in base 32: container id 16, founder 32, zone id 32, format 1, location 0 to
/// 1,024, checksum 4 bytes; with a secret then `#` and in base 32: secret 32, inviter 0 or 16,
/// checksum 4 bytes.
public struct ShareLink: Equatable, Sendable, CustomStringConvertible {
  /// The container of the zone.
  public var container: ContainerID
  /// The founder of the zone, whose folder contains it.
  public var founder: UserID
  /// The zone.
  public var zone: ZoneID
  /// The container's location for the link's creator, such as the absolute path of its directory,
  /// so that the link alone sets up a newcomer. Empty if it is not included.
  public private(set) var location: String
  /// The secret of a link for anyone or for one person; nil if the link has none.
  public var secret: SecretBytes?
  /// With a secret: the first half of the inviter's id; nil: the founder. The content behind the
  /// link must be by them, so the link is as trustworthy as its channel.
  public var inviter: Bytes16?

  static let scheme = "cairn:share/"
  static let format: UInt8 = 1
  /// The maximum number of bytes of a location; a longer one is left out.
  public static let locationLimit = 1024
  private static let context = "cairn link v1"
  private static let secretContext = "cairn link secret v1"

  /// The reason why a text is no link. Its description is a sentence for people.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing in the text looks like a link.
    case notALink
    /// The link of a drop box.
    case aDropBox
    /// A mistyped link: a character is wrong, missing or additional.
    case mistyped
    /// A mistyped secret: the part after `#` is wrong, missing or too long.
    case mistypedSecret
    /// A link of a later version of Cairn.
    case otherFormat(UInt8)

    /// A sentence for people.
    public var description: String {
      switch self {
      case .notALink: "This isn't a link to a share: those begin with \(ShareLink.scheme)."
      case .aDropBox:
        "This is the link of a drop box: `cairn drop put LINK FILE` puts a file into it."
      case .mistyped:
        "The link has a typing error or isn't complete (its checksum is wrong): copy it again."
      case .mistypedSecret:
        "The part of the link after '#' has a typing error or isn't complete: copy it again."
      case .otherFormat(let format):
        "The link has format \(format), and this version of Cairn knows only format "
          + "\(ShareLink.format): install a newer version of Cairn to use it."
      }
    }
  }

  /// Creates a link. An invalid or too long location is left out.
  public init(
    container: ContainerID, founder: UserID, zone: ZoneID, location: String = "",
    secret: SecretBytes? = nil, inviter: Bytes16? = nil
  ) {
    self.container = container
    self.founder = founder
    self.inviter = inviter
    self.zone = zone
    self.location = Self.isLocation(location) ? location : ""
    self.secret = secret
  }

  /// Returns whether the text can be a location in a link: one line.
  static func isLocation(_ text: String) -> Bool {
    StoreLocation(text) != nil && text.utf8.count <= locationLimit
      && !text.unicodeScalars.contains { $0.value < 32 || (127..<160).contains($0.value) }
  }

  /// Returns whether the content behind the link may be by that person.
  public func isBy(_ user: UserID) -> Bool {
    inviter.map { $0 == Bytes16(user.bytes.prefix(16)) } ?? (user == founder)
  }

  private var locator: [UInt8] {
    container.bytes + founder.bytes + zone.bytes + [Self.format] + Array(location.utf8)
  }

  /// The link without the secret, for display and logs.
  public var description: String {
    Self.scheme + RFC4648.encode(locator + Self.checksum(Self.context, locator))
  }

  /// The link with its secret, for its recipient.
  public var text: String {
    guard let secret else { return description }
    let bytes = secret.copy() + (inviter?.bytes ?? [])
    let sum = Self.checksum(Self.secretContext, locator + bytes)
    return description + "#" + RFC4648.encode(bytes + sum)
  }

  private static func checksum(_ context: String, _ bytes: [UInt8]) -> [UInt8] {
    Array(Crypto.digest(context, bytes).bytes.prefix(4))
  }

  /// Reads a link from pasted text. White space, angle brackets, quotation marks, line breaks of
  /// mail and following punctuation do no harm.
  public init(parsing text: String) throws(Failure) {
    let words = try Self.words(text)
    var failure = Failure.mistyped
    var found: ShareLink?
    var joined: [UInt8] = []
    for word in words {
      joined += word
      do throws(Failure) {
        // The longest match: the secret may be on a line of its own.
        found = try Self.exact(joined)
      } catch {
        if error != .mistyped { failure = error }
      }
      if joined.last == UInt8(ascii: "=") { joined.removeLast() }
    }
    guard let found else { throw failure }
    // An incomplete secret must not be dropped silently.
    if found.secret == nil, joined.contains(UInt8(ascii: "#")), failure == .mistypedSecret {
      throw failure
    }
    self = found
  }

  /// The words after the scheme, cut at white space, without additions of mail programs.
  private static func words(_ text: String) throws(Failure) -> [[UInt8]] {
    let bytes = Array(text.utf8.prefix(65536))
    let scheme = Array(scheme.utf8)
    let last = bytes.count - scheme.count
    guard last >= 0 else { throw .notALink }
    let start = (0...last).first { start in
      scheme.indices.allSatisfy { lower(bytes[start + $0]) == scheme[$0] }
    }
    guard let start else { throw DropLink.isIn(text) ? .aDropBox : .notALink }
    let rest = bytes[(start + scheme.count)...]
    let words = rest.split { $0 == 32 || (9...13).contains($0) }.prefix(64)
    guard !words.isEmpty else { throw .mistyped }
    // A line of quoted mail begins with ">".
    return words.map { Array($0.drop { $0 == UInt8(ascii: ">") }) }
  }

  private static func lower(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
  }

  /// Reads the bytes after the scheme, with only punctuation at their end.
  private static func exact(_ bytes: [UInt8]) throws(Failure) -> ShareLink {
    var bytes = bytes[...]
    let punctuation = Array(".,;:!?)]}>\"'`*=/#".utf8)
    while let last = bytes.last, punctuation.contains(last) { bytes.removeLast() }
    let parts = bytes.split(
      separator: UInt8(ascii: "#"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let whole = RFC4648.decode(first), whole.count > 5 else {
      throw .mistyped
    }
    let locator = Array(whole.dropLast(4))
    guard checksum(context, locator) == Array(whole.suffix(4)) else { throw .mistyped }
    guard locator.count >= 81, let container = Bytes16(locator[0..<16]),
      let founder = UserID(bytes: locator[16..<48]), let zone = ZoneID(bytes: locator[48..<80])
    else { throw .mistyped }
    guard locator[80] == Self.format else { throw .otherFormat(locator[80]) }
    let tail = locator[81...]
    guard let location = String(validating: tail, as: UTF8.self),
      tail.isEmpty || isLocation(location)
    else { throw .mistyped }
    var link = ShareLink(
      container: ContainerID(container), founder: founder, zone: zone, location: location)
    guard parts.count > 1 else { return link }
    guard let fragment = RFC4648.decode(parts[1]), [36, 52].contains(fragment.count),
      checksum(secretContext, locator + fragment.dropLast(4)) == Array(fragment.suffix(4))
    else { throw .mistypedSecret }
    link.secret = SecretBytes(Array(fragment.prefix(32)))
    link.inviter = Bytes16(fragment[32...].dropLast(4))
    return link
  }
}
