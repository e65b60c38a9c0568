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
  /// The size in bytes of the largest valid body of an answer. More is an error.
  var most: Int
  /// The number of bytes of a complete object after which no more are needed: a server may ignore
  /// the requested range.
  var enough: Int?
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
  /// A Boolean value that indicates whether the answer was larger than any valid one.
  var isTooLarge = false
  /// A Boolean value that indicates whether the request was aborted because its permit was
  /// withdrawn.
  var isWithdrawn = false
}

/// A client for many concurrent requests over few connections, which it keeps alive. It owns one
/// thread, which starts with the first request and sleeps without any. It must not know the purpose
/// of the requests.
final class HTTPClient: Sendable {
  /// The client of this process.
  static let shared = HTTPClient()

  /// The time limit for a new connection.
  private static let connectMilliseconds = 10_000
  /// The size limit of the body of an answer that only says why something failed.
  private static let mostWords = 64 << 10
  private static let longestSleep: Int32 = 1_000_000
  /// The sleep in milliseconds while a request may be aborted.
  private static let shortSleep: Int32 = 200

  /// A request and its partial answer. Only the client's thread accesses it until the end.
  private final class ZoneSyncState: @unchecked Sendable {
    let request: HTTPRequest
    var answer = HTTPAnswer(status: 0)
    let isWithdrawn = RequestPermit.isWithdrawn
    /// The reason that the client itself ended the answer.
    var end: End?
    let result = Monitor<Result<HTTPAnswer, HTTPFailure>?>(nil)

    enum End { case enough, tooLarge, withdrawn }

    init(_ request: HTTPRequest) { self.request = request }

    /// Takes bytes of the body.
    /// - Returns: false if no more may come.
    func take(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
      if answer.status == 200, let enough = request.enough,
        answer.body.count + bytes.count >= enough
      {
        answer.body += bytes.prefix(enough - answer.body.count)
        end = .enough
        return false
      }
      // Any other body only says why something failed: its beginning is enough.
      let isObject = answer.status / 100 == 2 && request.method == "GET"
      let most = max(isObject ? max(request.most, request.enough ?? 0) : 0, HTTPClient.mostWords)
      guard answer.body.count + bytes.count <= most else {
        answer.body += bytes.prefix(most - answer.body.count)
        end = isObject ? .tooLarge : .enough
        return false
      }
      answer.body += bytes
      return true
    }

    /// The result, unless the library's failure is the reason.
    func result(_ failure: Int32, _ why: String) -> Result<HTTPAnswer, HTTPFailure> {
      switch end {
      case .enough: .success(answer)
      case .tooLarge:
        .failure(
          HTTPFailure(
            why: "the answer is larger than any valid one", isUnsent: false, isTooLarge: true))
      case .withdrawn:
        .failure(HTTPFailure(why: "it was paused", isUnsent: false, isWithdrawn: true))
      case nil:
        failure == 0
          ? .success(answer)
          : .failure(HTTPFailure(why: why, isUnsent: cairn_http_is_unsent(failure) != 0))
      }
    }
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
    var sleep = Self.longestSleep
    while true {
      let waiting = state.withLock { $0.takeWaiting() }
      for exchange in waiting { add(exchange, engine) }
      if waiting.contains(where: { $0.isWithdrawn != nil }) { sleep = Self.shortSleep }
      if cairn_http_step(engine.http, sleep) == 0 { sleep = Self.longestSleep }
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
        lines.withUnsafeBufferPointer { lines in
          var raw = cairn_http_request()
          (raw.method, raw.url, raw.headers) = (method, url, lines.baseAddress)
          (raw.has_body, raw.size) = (request.body == nil ? 0 : 1, request.body?.count ?? 0)
          raw.connect_milliseconds = Self.connectMilliseconds
          raw.stall_seconds = stallSeconds
          return cairn_http_add(engine.http, &raw, context.toOpaque())
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
        guard let exchange = HTTPClient.exchange(context) else { return 1 }
        return exchange.take(UnsafeBufferPointer(start: bytes, count: size)) ? 0 : 1
      },
      give: { context, room, offset, count in
        guard let exchange = HTTPClient.exchange(context), let body = exchange.request.body else {
          return
        }
        UnsafeMutableRawBufferPointer(start: room, count: count)
          .copyBytes(from: body[offset..<offset + count])
      },
      is_withdrawn: { context in
        guard let exchange = HTTPClient.exchange(context), exchange.isWithdrawn?() == true else {
          return 0
        }
        exchange.end = .withdrawn
        return 1
      },
      over: { context, status, failure, why, resent in
        guard let context else { return }
        let exchange = Unmanaged<ZoneSyncState>.fromOpaque(context).takeRetainedValue()
        exchange.answer.status = status
        exchange.answer.isResent = resent != 0
        let result = exchange.result(failure, why.map { String(cString: $0) } ?? "")
        exchange.result.change { $0 = result }
      })
  }
}

extension HTTPAnswer {
  /// Handles a line of the head. A status line starts a new answer: the earlier one may have been
  /// provisional.
  mutating func take(headLine line: String) {
    guard !line.hasPrefix("HTTP/") else {
      status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      return headers = [:]
    }
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return }
    let blanks: Set<Character> = [" ", "\t", "\r", "\n", "\r\n"]
    var value = line[line.utf8.index(after: colon)...]
    while let first = value.first, blanks.contains(first) { value.removeFirst() }
    while let last = value.last, blanks.contains(last) { value.removeLast() }
    let name = line[..<colon].lowercased()
    headers[name] = headers[name].map { "\($0), \(value)" } ?? String(value)
  }
}
