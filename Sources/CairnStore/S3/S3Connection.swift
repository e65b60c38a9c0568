import CairnCurl
import CairnThreads
import Glibc
import Synchronization

/// A connection to a bucket. It signs requests, and repeats them a bounded number of times if that
/// may help. It owns the offset of the engine's clock and the valid key. It must not know the
/// objects' meaning.
final class S3Connection: Sendable {
  /// A request before it is signed.
  struct Request {
    var method: String
    /// The key after the store's prefix; nil: the bucket itself.
    var key: String?
    var query: [(String, String)] = []
    var headers: [(name: String, value: String)] = []
    var body: [UInt8]?
    /// The size in bytes of the largest valid body of an answer.
    var most = 0
    /// The number of bytes of a complete object after which no more are needed.
    var enough: Int?
  }

  /// The result of a request.
  struct Reply {
    var answer: HTTPAnswer
    /// A Boolean value that indicates whether an earlier attempt may have been executed without an
    /// answer.
    var isRepeated: Bool
  }

  private struct State {
    /// The engine's clock minus ours, in seconds.
    var skew: Int64 = 0
    var credentials: S3Credentials?
    var quiet = QuietTime()
  }

  /// The number of seconds before its end at which a temporary key is renewed.
  private static let margin: Int64 = 60
  /// The maximum number of clock corrections for one request: an engine with wrong dates would be
  /// asked forever.
  private static let corrections = 3

  let address: S3Address
  private let settings: S3Settings
  private let client: HTTPClient
  private let state = Mutex(State())
  private let pause: @Sendable (_ milliseconds: Int) -> Void
  private let clock: @Sendable () -> Int64

  /// Creates a connection without sending a request.
  /// - Parameters:
  ///   - address: The bucket.
  ///   - settings: The key and the region.
  ///   - client: The HTTP client.
  ///   - pause: Waits between attempts.
  ///   - clock: The monotonic time, in nanoseconds.
  init(
    _ address: S3Address, _ settings: S3Settings, client: HTTPClient = .shared,
    pause: @escaping @Sendable (_ milliseconds: Int) -> Void = { usleep(UInt32($0) * 1_000) },
    clock: @escaping @Sendable () -> Int64 = { Monotonic.now }
  ) {
    self.address = address
    self.settings = settings
    self.client = client
    self.pause = pause
    self.clock = clock
  }

  /// Sends a request, and repeats it while the engine has trouble of its own.
  /// - Returns: the answer, whatever it says about the object. A refused `HEAD` is an answer,
  ///   because it has no body with a reason. A refusal to read an object is an answer, too: the
  ///   object may not exist.
  /// - Throws: `.unreachable` or `.throttled` if the engine does not answer in the end, `.denied`
  ///   if it refuses the key.
  func send(_ request: Request) throws(StoreError) -> Reply {
    var isRepeated = false
    var hasNewKey = false
    var corrections = 0
    if let left = state.withLock({ $0.quiet.left(now: clock()) }) { throw leftAlone(left) }
    var persistence = Persistence(now: clock())
    while true {
      let answer: HTTPAnswer
      let signed = try signed(request)
      do throws(HTTPFailure) { answer = try client.send(signed) } catch let failure {
        if failure.isWithdrawn { throw StoreError(code: .paused, cause: "Traffic is paused.") }
        if failure.isTooLarge { throw tooLarge(request) }
        if !failure.isUnsent { isRepeated = true }
        guard !failure.isUnsent, rest(&persistence, nil) else { throw unreachable(failure.why) }
        continue
      }
      let code = answer.status < 300 ? nil : S3Answer.first("Code", in: answer.body)
      if answer.isTrouble || code == "RequestTimeout" || !isWhole(answer, request, code) {
        // It may have been executed anyway.
        isRepeated = true
        guard rest(&persistence, answer) else { throw overloaded(answer) }
        continue
      }
      switch (answer.status, code) {
      case (403, "RequestTimeTooSkewed"):
        corrections += 1
        guard corrections <= Self.corrections else { throw timeless(answer) }
        learnTime(answer)
      case (400, "ExpiredToken"), (403, "ExpiredToken"), (403, "InvalidAccessKeyId"),
        (403, "SignatureDoesNotMatch"), (400, "InvalidToken"):
        guard !hasNewKey else { throw refused(answer, code) }
        hasNewKey = true
        state.withLock { $0.credentials = nil }
        _ = try credentials(anew: true)
      case (301, _), (302, _), (307, _), (308, _), (400, "AuthorizationHeaderMalformed"):
        throw elsewhere(answer)
      case (401, _), (403, _):
        let isLook = request.method == "GET" && request.key != nil && code == "AccessDenied"
        guard isLook || request.method == "HEAD" else { throw refused(answer, code) }
        return Reply(answer: answer, isRepeated: isRepeated)
      case (404, "NoSuchBucket"):
        throw StoreError(
          code: .unreachable,
          cause:
            "There is no bucket \(address.bucket) at \(address.host). Make it first, or correct "
            + "the container's location.")
      default: return Reply(answer: answer, isRepeated: isRepeated || answer.isResent)
      }
    }
  }

  /// Returns whether the engine itself sent a complete answer. Only the engine can say that an
  /// object is missing, not a proxy. Half a list is no list.
  private func isWhole(_ answer: HTTPAnswer, _ request: Request, _ code: String?) -> Bool {
    switch answer.status {
    case 404: return code != nil || request.method == "HEAD"
    case 200 where request.key == nil: return S3Answer.isWholeList(answer.body)
    default: return answer.isWholePart
    }
  }

  /// The current time of the engine's clock as known, in seconds since 1970.
  private var now: Int64 { Int64(time(nil)) + state.withLock { $0.skew } }

  /// Learns the engine's time. The time in the body counts more than a header's date, which may be
  /// a proxy's.
  private func learnTime(_ answer: HTTPAnswer) {
    let said = S3Answer.first("ServerTime", in: answer.body).flatMap { SignatureV4.time($0) }
    let date = answer.headers["date"].map { cairn_http_date($0) }.flatMap { $0 < 0 ? nil : $0 }
    guard let time = said ?? date else { return }
    state.withLock { $0.skew = time - Int64(Glibc.time(nil)) }
  }

  // MARK: Signing

  private func signed(_ request: Request) throws(StoreError) -> HTTPRequest {
    let path =
      address.path + "/"
      + SignatureV4.encoded(
        request.key.map { address.prefix + $0 } ?? "", keepingSlashes: true)
    let signature = SignatureV4(
      credentials: try credentials(anew: false), region: settings.region, time: now)
    let headers = signature.headers(
      request.method, host: address.host, path: path, query: request.query,
      headers: request.headers, body: request.body ?? [])
    let query = SignatureV4.canonical(request.query)
    return HTTPRequest(
      method: request.method,
      url: address.scheme + address.host + path + (query.isEmpty ? "" : "?" + query),
      headers: headers, body: request.body, most: request.most, enough: request.enough)
  }

  private func credentials(anew: Bool) throws(StoreError) -> S3Credentials {
    let time = Int64(Glibc.time(nil))
    if !anew, let known = state.withLock({ $0.credentials }),
      known.expires.map({ $0 - Self.margin > time }) ?? true
    {
      return known
    }
    let found = try settings.credentials(anew)
    state.withLock { $0.credentials = found }
    return found
  }

  // MARK: Waiting

  /// Waits as long as the engine requests, or longer each time.
  /// - Returns: false to give up. If the engine said for how long, others do not ask, either.
  private func rest(_ persistence: inout Persistence, _ answer: HTTPAnswer?) -> Bool {
    let asked = answer?.retryAfter(now: Int64(time(nil)))
    guard let milliseconds = persistence.pause(asked: asked, now: clock()) else {
      if let asked { state.withLock { $0.quiet.ask(asked, now: clock()) } }
      return false
    }
    pause(milliseconds)
    return true
  }

  // MARK: Errors

  private func unreachable(_ why: String) -> StoreError {
    StoreError(
      code: .unreachable,
      cause: "The bucket \(address.bucket) can't be reached at \(address.host): \(why).")
  }

  private func tooLarge(_ request: Request) -> StoreError {
    let key = request.key.flatMap { ObjectKey($0) }
    return StoreError(
      code: key == nil ? .unreachable : .corrupt, key: key,
      cause: "\(address.host) answers with more bytes than the request can have.")
  }

  private func overloaded(_ answer: HTTPAnswer) -> StoreError {
    let said = isHalf(answer) ? "half an answer, or none of an engine's" : Self.words(answer)
    return StoreError(
      code: answer.isTooMuch ? .throttled : .unreachable,
      cause: "\(address.host) has trouble (\(said)). It is asked again by itself.")
  }

  private func isHalf(_ answer: HTTPAnswer) -> Bool { answer.status < 300 || answer.status == 404 }

  private func leftAlone(_ seconds: Int64) -> StoreError {
    StoreError(
      code: .throttled,
      cause: "\(address.host) wants to be left alone for \(seconds) seconds more. It is asked "
        + "again by itself.")
  }

  private func timeless(_ answer: HTTPAnswer) -> StoreError {
    StoreError(
      code: .unreachable,
      cause: "\(address.host) says that this machine's clock is wrong "
        + "(\(Self.words(answer))), and doesn't say what is right. Set the clock; it is asked "
        + "again by itself.")
  }

  /// The error for a refused request.
  func refused(_ answer: HTTPAnswer, _ code: String? = "AccessDenied") -> StoreError {
    let remedy =
      code == "AccessDenied"
      ? "Ask the owner of the bucket for the right, or name another key in cairn.conf."
      : "Check the key that cairn.conf names."
    return StoreError(
      code: .denied,
      cause: "\(address.host) refuses access to the bucket \(address.bucket) "
        + "(\(Self.words(answer))). \(remedy)")
  }

  private func elsewhere(_ answer: HTTPAnswer) -> StoreError {
    let region = answer.headers["x-amz-bucket-region"] ?? S3Answer.first("Region", in: answer.body)
    let remedy =
      region.map { "It is in the region \($0): set region in the section [s3] of cairn.conf." }
      ?? "Correct the container's location, or the region in cairn.conf."
    return StoreError(
      code: .unsupported, cause: "The bucket \(address.bucket) isn't at \(address.host). \(remedy)")
  }

  /// The engine's code or the status number for people, and nothing longer.
  static func words(_ answer: HTTPAnswer) -> String {
    let code = S3Answer.first("Code", in: answer.body).map { $0.prefix(40) } ?? ""
    let isPlain = code.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    return code.isEmpty || !isPlain ? "HTTP \(answer.status)" : "HTTP \(answer.status), \(code)"
  }
}
