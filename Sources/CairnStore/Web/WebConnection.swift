import CairnCurl
import CairnThreads
import Glibc
import Synchronization

/// A connection to a web server, for everything below a path. It repeats requests a bounded number
/// of times if that may help. It must not know the objects' meaning.
final class WebConnection: Sendable {
  /// `https://` or `http://`, and the host.
  let origin: String
  /// The path, with a slash at both ends.
  let path: String
  private let client: HTTPClient
  private let pause: @Sendable (_ milliseconds: Int) -> Void
  private let clock: @Sendable () -> Int64
  private let quiet = Mutex(QuietTime())

  /// Creates a connection without sending a request.
  /// - Parameters:
  ///   - origin: `https://` or `http://`, and the host.
  ///   - path: The path above all objects, with a slash at both ends.
  ///   - client: The HTTP client.
  ///   - pause: Waits between attempts.
  ///   - clock: The monotonic time, in nanoseconds.
  init(
    origin: String, path: String, client: HTTPClient = .shared,
    pause: @escaping @Sendable (_ milliseconds: Int) -> Void = { usleep(UInt32($0) * 1_000) },
    clock: @escaping @Sendable () -> Int64 = { Monotonic.now }
  ) {
    (self.origin, self.path) = (origin, path)
    (self.client, self.pause, self.clock) = (client, pause, clock)
  }

  /// Requests a place below the path.
  /// - Parameters:
  ///   - method: `GET` or `HEAD`.
  ///   - place: An object's key, or a folder's with a slash at its end; empty: the path itself.
  ///   - range: The bytes to read.
  /// - Returns: the answer, whatever it says about the object.
  /// - Throws: `.unreachable` or `.throttled` if the server does not answer in the end,
  ///   `.unsupported` if it redirects.
  func ask(_ method: String, _ place: String, range: Range<Int>? = nil) throws(StoreError)
    -> HTTPAnswer
  {
    if let left = quiet.withLock({ $0.left(now: clock()) }) {
      throw StoreError(
        code: .throttled, cause: "\(origin) wants to be left alone for \(left) seconds more.")
    }
    var request = HTTPRequest(
      method: method, url: origin + path + place, most: StoreCopy.largest)
    if let range, range.upperBound != .max {
      (request.most, request.enough) = (range.count, range.upperBound)
    }
    if let range {
      let end = range.upperBound == .max ? "" : String(range.upperBound - 1)
      request.headers = [("range", "bytes=\(range.lowerBound)-\(end)")]
    }
    var persistence = Persistence(now: clock())
    while true {
      let answer: HTTPAnswer
      do throws(HTTPFailure) { answer = try client.send(request) } catch let failure {
        if failure.isTooLarge {
          throw StoreError(
            code: place.isEmpty || place.hasSuffix("/") ? .unreachable : .corrupt,
            key: ObjectKey(place),
            cause: "\(origin) answers with more bytes than the request can have.")
        }
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

  /// The error for a redirect, which is not followed: a container has one location.
  private func elsewhere(_ answer: HTTPAnswer) -> StoreError {
    let place = (answer.headers["location"] ?? "").prefix(200)
    let isPlain = !place.isEmpty && place.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    return StoreError(
      code: .unsupported,
      cause: "\(origin) says that what is asked for is elsewhere"
        + (isPlain ? ", at \(place)" : "") + ". Correct the container's location.")
  }
}
