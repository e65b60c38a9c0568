import CSodium
import Glibc

/// Who asks an S3-compatible engine: a key that it knows, with its secret. It is never printed.
public struct S3Credentials: Sendable, Hashable, CustomStringConvertible {
  /// The key's id.
  public var id: String
  /// The secret.
  public var secret: String
  /// What goes with a key that is lent for a while.
  public var token: String?
  /// Until when it is good, in seconds since 1970; nil: until it is taken away.
  public var expires: Int64?

  /// Joins the parts.
  public init(id: String, secret: String, token: String? = nil, expires: Int64? = nil) {
    self.id = id
    self.secret = secret
    self.token = token
    self.expires = expires
  }

  /// Nothing of the secret.
  public var description: String { "the key \(id)" }
}

/// Signs a request to an S3-compatible engine: AWS Signature Version 4, for the service `s3`, as
/// Amazon's guide "Authenticating Requests (AWS Signature Version 4)" describes it. Pure: the time
/// is given.
struct SignatureV4 {
  /// Whose signature.
  let credentials: S3Credentials
  /// Which of Amazon's regions, or what the engine calls its own.
  let region: String
  /// The time that the engine will compare with its clock, in seconds since 1970.
  let time: Int64

  /// The headers that make a request a signed one, those of the request itself included.
  /// - Parameters:
  ///   - method: `GET` and so on.
  ///   - host: the value of the header `Host`.
  ///   - path: from the first slash on, encoded, as it is sent.
  ///   - query: names and values, as they are before they are encoded.
  ///   - headers: those that are signed beside the usual ones.
  ///   - body: what is sent.
  /// - Returns: all headers but `Host`, in the order of the signature, and `Authorization`.
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

  /// A query in the one form in which it is signed, and sent.
  static func canonical(_ query: [(String, String)]) -> String {
    query.map { (encoded($0.0), encoded($0.1)) }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
      .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }

  /// Every byte that isn't a letter, a digit or one of `-._~` as `%` and two digits; a slash only
  /// where it separates nothing.
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

  /// A header's value without blanks around it, and with one between its words.
  private static func squeezed(_ value: String) -> String {
    value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
  }

  /// A moment as `20261123T180500Z`.
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

  /// A moment as engines write it in their answers, `2026-11-23T18:05:00Z`, in seconds since 1970;
  /// nil if it is none.
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
