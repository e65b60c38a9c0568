import CairnCurl
import CairnThreads
import Glibc
import Synchronization

/// Asks a bucket: signs requests, and asks again where the engine says that it may help, a bounded
/// number of times. It owns what was learned on the way: how far the engine's clock is from ours,
/// and the key that is good now. It must not know what the objects are.
final class S3Connection: Sendable {
  /// A request, before it is signed.
  struct Request {
    var method: String
    /// Behind the store's prefix; nil: the bucket itself.
    var key: String?
    var query: [(String, String)] = []
    var headers: [(name: String, value: String)] = []
    var body: [UInt8]?
  }

  /// What came of a request.
  struct Reply {
    var answer: HTTPAnswer
    /// Whether an earlier attempt may have been carried out, though no answer to it came.
    var isRepeated: Bool
  }

  private struct State {
    /// The engine's clock less ours, in seconds.
    var skew: Int64 = 0
    var credentials: S3Credentials?
    var quiet = QuietTime()
  }

  /// A key that is lent is renewed that many seconds before its end.
  private static let margin: Int64 = 60
  /// How often one request corrects the clock: an engine whose answers have wrong dates would be
  /// asked for ever.
  private static let corrections = 3

  let address: S3Address
  private let settings: S3Settings
  private let client: HTTPClient
  private let state = Mutex(State())
  private let pause: @Sendable (_ milliseconds: Int) -> Void
  private let clock: @Sendable () -> Int64

  /// Nothing is asked yet.
  /// - Parameters:
  ///   - address: The bucket.
  ///   - settings: Whose key, for which region.
  ///   - client: Who sends.
  ///   - pause: How to wait between attempts.
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

  /// Sends a request, and again while the engine has trouble of its own.
  /// - Returns: the answer, whatever the engine says of the object. What it refuses to a `HEAD` is
  ///   an answer, too: without a body it doesn't say why; and so is that an object isn't to be
  ///   read: perhaps there is none.
  /// - Throws: `.unreachable` or `.throttled` if it doesn't answer in the end, `.denied` if it
  ///   doesn't take the key.
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
        if !failure.isUnsent { isRepeated = true }
        guard !failure.isUnsent, rest(&persistence, nil) else { throw unreachable(failure.why) }
        continue
      }
      let code = answer.status < 300 ? nil : S3Answer.first("Code", in: answer.body)
      if answer.isTrouble || code == "RequestTimeout" || !isWhole(answer, request, code) {
        // It may have been carried out all the same.
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

  /// Whether it is the engine that answers, and all of its answer came: that something isn't there
  /// is said by the engine, and not by what stands before it; and half a list is none.
  private func isWhole(_ answer: HTTPAnswer, _ request: Request, _ code: String?) -> Bool {
    switch answer.status {
    case 404: return code != nil || request.method == "HEAD"
    case 200 where request.key == nil: return S3Answer.isWholeList(answer.body)
    default: return answer.isWholePart
    }
  }

  /// The engine's clock, as it is known by now, in seconds since 1970.
  private var now: Int64 { Int64(time(nil)) + state.withLock { $0.skew } }

  /// What the engine says of its time in the answer itself counts: a header's date can be that of
  /// what stands before it.
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
      headers: headers, body: request.body)
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

  /// Waits as long as the engine asks for, or longer each time.
  /// - Returns: false if it isn't to be asked again: nor by others, if it said for how long.
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

  /// Why the engine doesn't take a request.
  func refused(_ answer: HTTPAnswer, _ code: String? = "AccessDenied") -> StoreError {
    let remedy =
      code == "AccessDenied"
      ? "Ask whoever has the bucket for the right, or name another key in cairn.conf."
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

  /// What an engine said, for people: its code, or the number, and nothing longer.
  static func words(_ answer: HTTPAnswer) -> String {
    let code = S3Answer.first("Code", in: answer.body).map { $0.prefix(40) } ?? ""
    let isPlain = code.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    return code.isEmpty || !isPlain ? "HTTP \(answer.status)" : "HTTP \(answer.status), \(code)"
  }
}
