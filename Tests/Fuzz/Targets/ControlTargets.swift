import CairnThreads
import NIOCore
import NIOEmbedded
import NIOHTTP1

@testable import CairnControl
@testable import CairnDaemon

extension FuzzTarget {
  /// The bytes on the control socket, in both directions.
  static let controlTargets = [
    // The bytes of one or more requests from any kind of client, in two writes.
    FuzzTarget("request", limit: 8192) {
      let body = #"{"path":"/home/ana/x"}"#
      let request = """
        POST /v1/status HTTP/1.1\r\nhost: cairnd\r\ncontent-length: \(body.utf8.count)\r\n\r\n
        """
      let chunked = """
        POST /v1/add?x HTTP/1.1\r\nhost: c\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n
        """
      return [[9] + Array((request + body).utf8), [200] + Array(chunked.utf8)]
    } check: { bytes in
      try checkRequest(bytes)
    },

    // The body of each operation. The first byte selects the operation.
    FuzzTarget("operation") {
      let bodies = [
        "{}", #"{"path":"/x"}"#, #"{"path":{"base64":"/w==","text":"?"}}"#,
        #"{"share":"trip","user":"bob","permission":"read-only"}"#,
        #"{"paths":["/a","/b"],"title":"Trip","follow":true,"since":18446744073709551615}"#,
        #"{"timeoutSeconds":1e308}"#, #"{"expires":"2026-11-21T14:03:00Z"}"#,
      ]
      return bodies.enumerated().map { [UInt8(9 * $0)] + Array($1.utf8) }
    } check: { bytes in
      guard let first = bytes.first else { return }
      let operation = FuzzedOperations.all[Int(first) % FuzzedOperations.all.count]
      try checkOperation(operation, Array(bytes.dropFirst()))
    },

    // The daemon's answer as a command reads it. The first byte selects the operation, and the
    // second one the end of the first read.
    FuzzTarget("answer") {
      let lines = """
        {"progress":{"done":1,"total":2,"unit":"files","what":"reading"}}
        {"error":{"code":"permissionFailure","message":"No."}}

        """
      return [0, 9, 18, 27, 36, 45].map { [$0, 7] + Array(lines.utf8) }
        + [[0, 200] + Array("{\"reply\":{\"pid\":1,\"version\":\"0.1.0\"}}\n".utf8)]
    } check: { bytes in
      var parts = Parts(bytes)
      let operation = FuzzedOperations.all[Int(parts.byte()) % FuzzedOperations.all.count]
      let cut = Int(parts.byte())
      let stream = parts.all()
      let lines = ResponseLines()
      lines.append(stream.prefix(cut))
      lines.append(stream.dropFirst(cut))
      lines.end()
      try checkAnswer(operation, lines)
    },
  ]

  private static func checkOperation<Operation: ControlOperation>(
    _ type: Operation.Type, _ body: [UInt8]
  ) throws {
    let value: Operation
    do { value = try ControlJSON.decode(type, from: body) } catch {
      try must(!ControlJSON.explain(error).isEmpty, "a refusal without a reason")
      return
    }
    let once = try ControlJSON.encode(value)
    let twice = try ControlJSON.encode(try ControlJSON.decode(type, from: once))
    try must(once == twice, "\(Operation.name) changes")
  }

  private static func checkAnswer<Operation: ControlOperation>(
    _ type: Operation.Type, _ lines: ResponseLines
  ) throws {
    do throws(ControlError) {
      let answer = try ControlAnswer<Operation.Reply>.read(
        from: { () throws(ControlError) in lines.next() }, whatEnded: "The connection ended"
      ) { _ in }
      _ = answer.json
    } catch {
      try must(!error.message.isEmpty, "a failure without a reason")
    }
  }

  /// A responder without any operation. The daemon's own threads can't be asked here.
  private struct Nobody: ControlResponder {
    func work(for operation: String) -> ControlWork? { nil }
    func respond(to operation: String, body: [UInt8], stream: ResponseStream) {
      preconditionFailure("an operation that nobody knows was asked for: \(operation)")
    }
  }

  private static let pool: BlockingPool = {
    guard let pool = BlockingPool(threads: 1) else { preconditionFailure("no thread") }
    return pool
  }()

  private static func checkRequest(_ bytes: [UInt8]) throws {
    var parts = Parts(bytes)
    let cut = Int(parts.byte())
    let stream = parts.all()
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(
      withPipeliningAssistance: false)
    try channel.pipeline.syncOperations.addHandler(
      ControlConnection(door: SocketDoor(responder: Nobody()), pool: pool))
    for part in [stream.prefix(cut), stream.dropFirst(cut)] where channel.isActive || cut > 0 {
      _ = try unlessRefused { try channel.writeInbound(ByteBuffer(bytes: part)) }
      channel.embeddedEventLoop.run()
    }
    var answered = 0
    while let out = try unlessRefused({ try channel.readOutbound(as: ByteBuffer.self) }) ?? nil {
      answered += out.readableBytes
    }
    try must(answered <= 2 * bytes.count + 65_536, "a request is answered with a flood")
    _ = try unlessRefused { try channel.finish(acceptAlreadyClosed: true) }
  }
}
