import CSodium
import Glibc

/// The credentials for an S3-compatible engine: a key id with its secret. The secret is never
/// printed.
public struct S3Credentials: Sendable, Hashable, CustomStringConvertible {
  /// The key's id.
  public var id: String
  /// The secret.
  public var secret: String
  /// The session token of a temporary key.
  public var token: String?
  /// The expiry in seconds since 1970; nil: none.
  public var expires: Int64?

  /// Creates credentials.
  public init(id: String, secret: String, token: String? = nil, expires: Int64? = nil) {
    self.id = id
    self.secret = secret
    self.token = token
    self.expires = expires
  }

  /// The key id, without the secret.
  public var description: String { "the key \(id)" }
}

/// The signature of a request to an S3-compatible engine: AWS Signature Version 4 for the service
/// `s3`, as in Amazon's guide "Authenticating Requests (AWS Signature Version 4)". Pure: the time
/// is an argument.
struct SignatureV4 {
  /// The credentials of the signer.
  let credentials: S3Credentials
  /// The region, by the name that the engine uses.
  let region: String
  /// The time of the request, in seconds since 1970. The engine compares it with its clock.
  let time: Int64

  /// Returns the headers of a signed request, including those of the request itself.
  /// - Parameters:
  ///   - method: `GET` and so on.
  ///   - host: The value of the header `Host`.
  ///   - path: The encoded path from the first slash on, as it is sent.
  ///   - query: Names and values before encoding.
  ///   - headers: Additional signed headers.
  ///   - body: The bytes to send.
  /// - Returns: all headers except `Host`, in the order of the signature, and `Authorization`.
  func headers(
    _ method: String, host: String, path: String, query: [(String, String)],
    headers: [(name: String, value: String)], body: [UInt8]
  ) -> [(name: String, value: String)] {
    let moment = Self.moment(time)
    let digest = Self.hexadecimal(Self.hash(body))
    var all = headers.map { (name: $0.name.lowercased(), value: $0.value) }
    all += [("x-amz-content-sha256", digest), ("x-amz-date", moment)]
    if let token = credentials.token { all.append(("x-amz-security-token", token)) }
    let signed = (all + [("host", host)]).sorted { $0.name < $1.name }
    let names = signed.map(\.name).joined(separator: ";")
    let canonical =
      [method, path, Self.canonical(query)]
      + signed.map { "\($0.name):\(Self.squeezed($0.value))" } + ["", names, digest]
    let day = moment.prefix(8)
    let scope = "\(day)/\(region)/s3/aws4_request"
    let text = [
      "AWS4-HMAC-SHA256", moment, scope,
      Self.hexadecimal(Self.hash(Array(canonical.joined(separator: "\n").utf8))),
    ].joined(separator: "\n")
    var key = Array("AWS4\(credentials.secret)".utf8)
    for part in [String(day), region, "s3", "aws4_request"] { key = Self.mac(part, key) }
    let signature = Self.hexadecimal(Self.mac(text, key))
    let value =
      "AWS4-HMAC-SHA256 Credential=\(credentials.id)/\(scope),SignedHeaders=\(names),"
      + "Signature=\(signature)"
    return all.sorted { $0.name < $1.name } + [("Authorization", value)]
  }

  // MARK: Encoding

  /// The canonical form of a query, which is signed and sent.
  static func canonical(_ query: [(String, String)]) -> String {
    query.map { (encoded($0.0), encoded($0.1)) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
      .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }

  /// Encodes every byte except letters, digits and `-._~` as `%` and two digits. Slashes stay only
  /// between components.
  static func encoded(_ text: String, keepingSlashes: Bool = false) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      case UInt8(ascii: "/") where keepingSlashes: result.append("/")
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += (byte < 16 ? "%0" : "%") + digits
      }
    }
    return result
  }

  /// A header's value without surrounding blanks, and with single blanks between words.
  private static func squeezed(_ value: String) -> String {
    value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
  }

  /// A time in the form `20260101T000000Z`.
  static func moment(_ time: Int64) -> String {
    var seconds = time_t(time)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func digits(_ number: Int32, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    return digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2)
      + "T" + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2) + "Z"
  }

  /// Parses a time in the form `2026-11-23T18:05:00Z` of engines' answers, into seconds since 1970;
  /// nil if it is invalid.
  static func time(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    let form = Array("0000-00-00T00:00:00".utf8)
    guard bytes.count > form.count,
      zip(bytes, form).allSatisfy({ byte, mark in
        mark == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == mark
      })
    else { return nil }
    func number(_ range: Range<Int>) -> Int32 {
      bytes[range].reduce(0) { $0 * 10 + Int32($1 - 0x30) }
    }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) =
      (number(0..<4) - 1900, number(5..<7) - 1, number(8..<10))
    (parts.tm_hour, parts.tm_min, parts.tm_sec) =
      (number(11..<13), number(14..<16), number(17..<19))
    return Int64(timegm(&parts))
  }

  // MARK: Hashes

  static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
    crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return digest
  }

  private static func mac(_ text: String, _ key: [UInt8]) -> [UInt8] {
    var state = crypto_auth_hmacsha256_state()
    var digest = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
    let bytes = Array(text.utf8)
    crypto_auth_hmacsha256_init(&state, key, key.count)
    crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
    crypto_auth_hmacsha256_final(&state, &digest)
    return digest
  }

  static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
