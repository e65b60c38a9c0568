import CairnCurl
import CairnThreads
import Synchronization

/// An outgoing HTTP request.
struct HTTPRequest: Sendable {
  /// `GET`, `HEAD`, `PUT` or `DELETE`.
  var method: String
  /// The whole address, encoded.
  var url: String
  /// The headers in the order of sending.
  var headers: [(name: String, value: String)] = []
  /// The body; nil for a request without one.
  var body: [UInt8]?
}

/// The answer of a server.
struct HTTPAnswer: Sendable, Equatable {
  /// The status code.
  var status: Int
  /// The headers. Names are in lower case, and values of repeated names are joined by a comma.
  var headers: [String: String] = [:]
  /// The bytes of the body.
  var body: [UInt8] = []
  /// A Boolean value that indicates whether the request may have been sent twice, and executed the
  /// first time.
  var isResent = false
}

/// The reason why no answer came.
struct HTTPFailure: Error, Sendable, Equatable {
  /// The library's sentence, for people.
  var why: String
  /// A Boolean value that indicates whether the server received nothing of the request.
  var isUnsent: Bool
}

/// A client for many concurrent requests over few connections, which it keeps alive. It owns one
/// thread, which starts with the first request and sleeps without any. It must not know the purpose
/// of the requests.
final class HTTPClient: Sendable {
  /// The client of this process.
  static let shared = HTTPClient()

  /// The time limit for a new connection.
  private static let connectMilliseconds = 10_000
  /// The size limit of an answer. Larger objects are requested in ranges.
  private static let most = 1 << 30
  private static let longestSleep: Int32 = 1_000_000

  /// A request and its partial answer. Only the client's thread accesses it until the end.
  private final class ZoneSyncState: @unchecked Sendable {
    let request: HTTPRequest
    var answer = HTTPAnswer(status: 0)
    let result = Monitor<Result<HTTPAnswer, HTTPFailure>?>(nil)

    init(_ request: HTTPRequest) { self.request = request }
  }

  /// The state of curl. Only the client's thread uses it, except to wake it.
  private struct Engine: @unchecked Sendable {
    let http: OpaquePointer
  }

  private struct State {
    var waiting: [ZoneSyncState] = []
    var engine: Engine?

    mutating func takeWaiting() -> [ZoneSyncState] {
      defer { waiting = [] }
      return waiting
    }
  }

  private let state = Mutex(State())
  /// The number of seconds without a byte after which an answer fails.
  private let stallSeconds: Int

  /// Creates a client without sending anything.
  /// - Parameter stallSeconds: The number of seconds without a byte after which an answer fails.
  init(stallSeconds: Int = 30) { self.stallSeconds = stallSeconds }

  /// Sends a request and blocks until the answer.
  /// - Throws: `HTTPFailure` if no complete answer comes.
  func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPAnswer {
    let exchange = ZoneSyncState(request)
    let engine = state.withLock { state -> Engine? in
      if state.engine == nil { state.engine = begin() }
      if state.engine != nil { state.waiting.append(exchange) }
      return state.engine
    }
    guard let engine else {
      throw HTTPFailure(
        why:
          "libcurl.so.4 can't be opened (Debian's package libcurl4 has it), or no thread is left",
        isUnsent: true)
    }
    cairn_http_wake(engine.http)
    guard let result = exchange.result.wait(until: nil, for: { $0 }) else {
      throw HTTPFailure(why: "nothing came", isUnsent: false)
    }
    return try result.get()
  }

  // MARK: The thread

  private func begin() -> Engine? {
    guard let http = cairn_http_make(Self.events) else { return nil }
    let engine = Engine(http: http)
    return PosixThread.run("cairn-http") { self.run(engine) } ? engine : nil
  }

  private func run(_ engine: Engine) -> Never {
    while true {
      for exchange in state.withLock({ $0.takeWaiting() }) { add(exchange, engine) }
      _ = cairn_http_step(engine.http, Self.longestSleep)
    }
  }

  private func add(_ exchange: ZoneSyncState, _ engine: Engine) {
    let request = exchange.request
    var lines: [CChar] = []
    // Otherwise curl first asks the server whether it accepts the body, and waits.
    for (name, value) in request.headers + [("Expect", "")] {
      let line = value.isEmpty ? "\(name):" : "\(name): \(value)"
      lines += line.utf8CString
    }
    lines.append(0)
    let context = Unmanaged.passRetained(exchange)
    let failure = request.method.withCString { method in
      request.url.withCString { url in
        (request.body ?? []).withUnsafeBufferPointer { body in
          lines.withUnsafeBufferPointer { lines in
            var raw = cairn_http_request()
            (raw.method, raw.url, raw.headers) = (method, url, lines.baseAddress)
            (raw.has_body, raw.body, raw.size) =
              (request.body == nil ? 0 : 1, body.baseAddress, body.count)
            raw.connect_milliseconds = Self.connectMilliseconds
            raw.stall_seconds = stallSeconds
            return cairn_http_add(engine.http, &raw, context.toOpaque())
          }
        }
      }
    }
    guard failure != 0 else { return }
    context.release()
    exchange.result.change { $0 = .failure(HTTPFailure(why: "no memory is left", isUnsent: true)) }
  }

  private static func exchange(_ context: UnsafeMutableRawPointer?) -> ZoneSyncState? {
    context.map { Unmanaged<ZoneSyncState>.fromOpaque($0).takeUnretainedValue() }
  }

  private static var events: cairn_http_events {
    cairn_http_events(
      head: { context, line, size in
        guard let exchange = HTTPClient.exchange(context), let line else { return }
        let bytes = UnsafeRawBufferPointer(start: line, count: size)
        exchange.answer.take(headLine: String(decoding: bytes, as: UTF8.self))
      },
      body: { context, bytes, size in
        guard let exchange = HTTPClient.exchange(context),
          exchange.answer.body.count + size <= HTTPClient.most
        else { return 1 }
        exchange.answer.body += UnsafeBufferPointer(start: bytes, count: size)
        return 0
      },
      over: { context, status, failure, why, resent in
        guard let context else { return }
        let exchange = Unmanaged<ZoneSyncState>.fromOpaque(context).takeRetainedValue()
        exchange.answer.status = status
        exchange.answer.isResent = resent != 0
        let answer = exchange.answer
        let sentence = why.map { String(cString: $0) } ?? ""
        exchange.result.change {
          $0 =
            failure == 0
            ? .success(answer)
            : .failure(HTTPFailure(why: sentence, isUnsent: cairn_http_is_unsent(failure) != 0))
        }
      })
  }
}

extension HTTPAnswer {
  /// Handles a line of the head. A status line starts a new answer: the earlier one may have been
  /// provisional.
  mutating func take(headLine line: String) {
    guard !line.hasPrefix("HTTP/") else { return headers = [:] }
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return }
    let blanks: Set<Character> = [" ", "\t", "\r", "\n", "\r\n"]
    var value = line[line.utf8.index(after: colon)...]
    while let first = value.first, blanks.contains(first) { value.removeFirst() }
    while let last = value.last, blanks.contains(last) { value.removeLast() }
    let name = line[..<colon].lowercased()
    headers[name] = headers[name].map { "\($0), \(value)" } ?? String(value)
  }
}
