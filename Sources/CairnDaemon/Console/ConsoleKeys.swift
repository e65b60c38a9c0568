import CairnControl

/// The access to an opened console: secrets that are valid once, and the tokens for which they were
/// exchanged. It is a value without a clock.
struct ConsoleKeys: Sendable {
  /// An unused secret.
  private struct Secret: Sendable {
    var text: String
    var expires: Control.Time
  }

  /// The largest number of pages at once, and of unused secrets; the oldest is removed first.
  static let limit = 16

  private var secrets: [Secret] = []
  private var tokens: [String] = []

  /// Makes a secret.
  mutating func makeSecret(until expires: Control.Time) -> String {
    let text = Self.random()
    secrets = secrets.suffix(Self.limit - 1) + [Secret(text: text, expires: expires)]
    return text
  }

  /// Exchanges a secret for a token; nil if it is unknown or expired.
  mutating func enter(_ text: String, at now: Control.Time) -> String? {
    secrets.removeAll { $0.expires < now }
    guard let index = secrets.firstIndex(where: { Self.isEqual($0.text, text) }) else {
      return nil
    }
    secrets.remove(at: index)
    let token = Self.random()
    tokens = tokens.suffix(Self.limit - 1) + [token]
    return token
  }

  /// Returns whether a page has this token.
  func isToken(_ text: some StringProtocol) -> Bool {
    tokens.contains { Self.isEqual($0, text) }
  }

  /// Returns 256 random bits of the system in hexadecimal.
  private static func random() -> String {
    var system = SystemRandomNumberGenerator()
    return (0..<32).map { _ in
      let byte = system.next() as UInt8
      return (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
  }

  /// Compares two texts of one length in constant time.
  private static func isEqual(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    return zip(left.utf8, right.utf8).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
