import CairnZone

/// The secret of a recovery sheet as 24 words, or as the text of its QR code. It knows the keys of
/// the recovery device that follow from the secret, and no person.
///
/// 24 words of 11 bits are the 32 bytes of the secret and one byte of a checksum.
/// `cairn:recovery/` and in base 32: format 1, secret 32, checksum 4 bytes.
public struct RecoveryWords: Equatable, Sendable {
  private let secret: SecretBytes

  /// The prefix of the text of a QR code.
  public static let scheme = "cairn:recovery/"
  /// The number of words.
  public static let count = 24
  private static let format: UInt8 = 1
  /// The number of characters after the prefix: 37 bytes in base 32.
  private static let digitCount = 60
  private static let context = "cairn recovery checksum v1"

  /// The reason why a text is no secret of a sheet. Its description is a sentence for people.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another number of words.
    case count(Int)
    /// A word that is not on the list, with its number from 1.
    case unknown(Int, word: String)
    /// All words are on the list, but a word is wrong, or the order is.
    case mistyped
    /// The text of a QR code with a wrong or missing character.
    case damagedCode
    /// The code of a later version of Cairn.
    case otherFormat(UInt8)

    /// A sentence for people.
    public var description: String {
      switch self {
      case .count(let count):
        "A recovery sheet has \(RecoveryWords.count) words; here are \(count)."
      case .unknown(let number, let word): "Word \(number), “\(word)”, is on no recovery sheet."
      case .mistyped:
        "A word is wrong, or the words are in another order: their checksum doesn't match."
      case .damagedCode: "The text of the QR code isn't complete, or has a wrong character."
      case .otherFormat(let format):
        "The code has format \(format), and this version of Cairn knows only format "
          + "\(RecoveryWords.format): install a newer version of Cairn."
      }
    }
  }

  init(_ secret: SecretBytes) { self.secret = secret }

  /// Creates the words of a new sheet.
  public static func random() -> RecoveryWords { RecoveryWords(.random()) }

  /// The words, in order.
  public var words: [String] {
    var words: [String] = []
    var (bits, value) = (0, 0)
    for byte in secret.copy() + Self.checksum(secret, 1) {
      value = value << 8 | Int(byte)
      bits += 8
      guard bits >= 11 else { continue }
      bits -= 11
      words.append(String(WordList.words[value >> bits]))
      value &= (1 << bits) - 1
    }
    return words
  }

  /// The text of the QR code.
  public var text: String {
    Self.scheme
      + RFC4648.encode([Self.format] + secret.copy() + Self.checksum(secret, 4))
  }

  /// The keys of the recovery device. The secret has 256 random bits, so a plain derivation is
  /// enough: a slow one protects only secrets that can be guessed.
  public var keys: DeviceKeys {
    DeviceKeys(
      signing: SigningKey(seed: Crypto.derive("cairn recovery sign key v1", from: secret)),
      box: BoxKey(secret: Crypto.derive("cairn recovery box key v1", from: secret)))
  }

  private static func checksum(_ secret: SecretBytes, _ count: Int) -> [UInt8] {
    Array(Crypto.digest(context, secret: secret).bytes.prefix(count))
  }

  /// Reads words, or the text of a QR code. Four letters of a word are enough, and numbers between
  /// the words, line breaks and upper case are ignored.
  public init(parsing text: String) throws(Failure) {
    let text = text.prefix(65_536).lowercased()
    if let scheme = text.firstRange(of: Self.scheme) {
      self = try Self.code(text[scheme.upperBound...])
    } else {
      self = try Self.words(text.split { !("a"..."z").contains($0) })
    }
  }

  private static func code(_ text: Substring) throws(Failure) -> RecoveryWords {
    // Other text may follow, as on a printed sheet.
    let digits = text.utf8.filter { !" \t\r\n<>\"'`.,;".utf8.contains($0) }.prefix(digitCount)
    guard let bytes = RFC4648.decode(digits), let format = bytes.first else { throw .damagedCode }
    guard format == Self.format else { throw .otherFormat(format) }
    guard let secret = SecretBytes(Array(bytes.dropFirst().dropLast(4))),
      checksum(secret, 4) == Array(bytes.suffix(4))
    else { throw .damagedCode }
    return RecoveryWords(secret)
  }

  private static func words(_ words: [Substring]) throws(Failure) -> RecoveryWords {
    guard words.count == count else { throw .count(words.count) }
    var bytes: [UInt8] = []
    var (bits, value) = (0, 0)
    for (number, word) in words.enumerated() {
      guard let position = WordList.positions[word.prefix(4)] else {
        throw .unknown(number + 1, word: String(word.prefix(20)))
      }
      value = value << 11 | position
      bits += 11
      while bits >= 8 {
        bits -= 8
        bytes.append(UInt8(value >> bits))
        value &= (1 << bits) - 1
      }
    }
    guard let secret = SecretBytes(Array(bytes.dropLast())),
      checksum(secret, 1) == Array(bytes.suffix(1))
    else { throw .mistyped }
    return RecoveryWords(secret)
  }
}
