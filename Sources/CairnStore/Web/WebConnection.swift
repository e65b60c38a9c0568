import CairnCurl
import CairnThreads
import Glibc
import Synchronization

/// Asks a web server for what is below a path, and asks again where that may help, a bounded number
/// of times. It must not know what the objects are.
final class WebConnection: Sendable {
  /// `https://` or `http://`, and the host.
  let origin: String
  /// Begins and ends with a slash.
  let path: String
  private let client: HTTPClient
  private let pause: @Sendable (_ milliseconds: Int) -> Void
  private let clock: @Sendable () -> Int64
  private let quiet = Mutex(QuietTime())

  /// Nothing is asked yet.
  /// - Parameters:
  ///   - origin: `https://` or `http://`, and the host.
  ///   - path: What all is below of; it begins and ends with a slash.
  ///   - client: Who sends.
  ///   - pause: How to wait between attempts.
  ///   - clock: The monotonic time, in nanoseconds.
  init(
    origin: String, path: String, client: HTTPClient = .shared,
    pause: @escaping @Sendable (_ milliseconds: Int) -> Void = { usleep(UInt32($0) * 1_000) },
    clock: @escaping @Sendable () -> Int64 = { Monotonic.now }
  ) {
    (self.origin, self.path) = (origin, path)
    (self.client, self.pause, self.clock) = (client, pause, clock)
  }

  /// Asks for what is at a place below the path.
  /// - Parameters:
  ///   - method: `GET` or `HEAD`.
  ///   - place: An object's key, or a folder's with a slash at its end; empty: the path itself.
  ///   - range: Which bytes.
  /// - Returns: the answer, whatever the server says of the object.
  /// - Throws: `.unreachable` or `.throttled` if it doesn't answer in the end, `.unsupported` if it
  ///   says that the container is elsewhere.
  func ask(_ method: String, _ place: String, range: Range<Int>? = nil) throws(StoreError)
    -> HTTPAnswer
  {
    if let left = quiet.withLock({ $0.left(now: clock()) }) {
      throw StoreError(
        code: .throttled, cause: "\(origin) wants to be left alone for \(left) seconds more.")
    }
    var request = HTTPRequest(method: method, url: origin + path + place)
    if let range {
      let end = range.upperBound == .max ? "" : String(range.upperBound - 1)
      request.headers = [("range", "bytes=\(range.lowerBound)-\(end)")]
    }
    var persistence = Persistence(now: clock())
    while true {
      let answer: HTTPAnswer
      do throws(HTTPFailure) { answer = try client.send(request) } catch let failure {
        guard !failure.isUnsent, rest(&persistence, nil) else {
          throw StoreError(
            code: .unreachable, cause: "\(origin) can't be reached: \(failure.why).")
        }
        continue
      }
      if answer.isTrouble || !answer.isWholePart {
        guard rest(&persistence, answer) else { throw trouble(answer) }
        continue
      }
      if [301, 302, 303, 307, 308].contains(answer.status) { throw elsewhere(answer) }
      return answer
    }
  }

  private func rest(_ persistence: inout Persistence, _ answer: HTTPAnswer?) -> Bool {
    let asked = answer?.retryAfter(now: Int64(time(nil)))
    guard let milliseconds = persistence.pause(asked: asked, now: clock()) else {
      if let asked { quiet.withLock { $0.ask(asked, now: clock()) } }
      return false
    }
    pause(milliseconds)
    return true
  }

  private func trouble(_ answer: HTTPAnswer) -> StoreError {
    StoreError(
      code: answer.isTooMuch ? .throttled : .unreachable,
      cause: "\(origin) has trouble (HTTP \(answer.status)). It is asked again by itself.")
  }

  /// A server that sends elsewhere isn't followed: a container has one place.
  private func elsewhere(_ answer: HTTPAnswer) -> StoreError {
    let place = (answer.headers["location"] ?? "").prefix(200)
    let isPlain = !place.isEmpty && place.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    return StoreError(
      code: .unsupported,
      cause: "\(origin) says that what is asked for is elsewhere"
        + (isPlain ? ", at \(place)" : "") + ". Correct the container's location.")
  }
}
