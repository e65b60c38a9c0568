import CairnCurl
import CairnThreads
import Synchronization

/// A request over HTTP, as it goes out.
struct HTTPRequest: Sendable {
  /// `GET`, `HEAD`, `PUT` or `DELETE`.
  var method: String
  /// The whole address, encoded.
  var url: String
  /// In the order in which they are sent.
  var headers: [(name: String, value: String)] = []
  /// What is sent; nil for a request without a body.
  var body: [UInt8]?
}

/// What a server answered.
struct HTTPAnswer: Sendable, Equatable {
  /// The number that says what became of the request.
  var status: Int
  /// Names in lower case. The values of several with one name are joined by a comma.
  var headers: [String: String] = [:]
  /// The bytes.
  var body: [UInt8] = []
  /// Whether the request may have gone out twice, and been carried out the first time.
  var isResent = false
}

/// Why no answer came.
struct HTTPFailure: Error, Sendable, Equatable {
  /// A sentence of the library's, for people.
  var why: String
  /// Whether the server can't have got any of the request.
  var isUnsent: Bool
}

/// Sends requests and waits for their answers, many at once over few connections, which are kept
/// alive. It owns one thread, which begins with the first request and sleeps while there is none.
/// It must not know what the requests are for.
final class HTTPClient: Sendable {
  /// The one of this process.
  static let shared = HTTPClient()

  /// How long a connection may take to be made.
  private static let connectMilliseconds = 10_000
  /// What an answer may have at most; who asks for more asks for ranges.
  private static let most = 1 << 30
  private static let longestSleep: Int32 = 1_000_000

  /// One request, and what has come of its answer. Only the client's thread touches what is in it
  /// until it is over.
  private final class Exchange: @unchecked Sendable {
    let request: HTTPRequest
    var answer = HTTPAnswer(status: 0)
    let result = Monitor<Result<HTTPAnswer, HTTPFailure>?>(nil)

    init(_ request: HTTPRequest) { self.request = request }
  }

  /// Curl's side; only the client's thread uses it, but for waking it.
  private struct Engine: @unchecked Sendable {
    let http: OpaquePointer
  }

  private struct State {
    var waiting: [Exchange] = []
    var engine: Engine?

    mutating func takeWaiting() -> [Exchange] {
      defer { waiting = [] }
      return waiting
    }
  }

  private let state = Mutex(State())
  /// After how long without a byte an answer doesn't come any more.
  private let stallSeconds: Int

  /// Sends nothing yet.
  /// - Parameter stallSeconds: After how long without a byte an answer doesn't come any more.
  init(stallSeconds: Int = 30) { self.stallSeconds = stallSeconds }

  /// Sends a request and blocks until its answer is there.
  /// - Throws: `HTTPFailure` if no whole answer comes.
  func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPAnswer {
    let exchange = Exchange(request)
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

  private func add(_ exchange: Exchange, _ engine: Engine) {
    let request = exchange.request
    var lines: [CChar] = []
    // Curl asks the server first whether it wants a body, and waits, unless it is told not to.
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

  private static func exchange(_ context: UnsafeMutableRawPointer?) -> Exchange? {
    context.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
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
        let exchange = Unmanaged<Exchange>.fromOpaque(context).takeRetainedValue()
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
  /// Takes a line of the head. A status line begins anew: an answer may follow one that only said
  /// that it will come.
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
