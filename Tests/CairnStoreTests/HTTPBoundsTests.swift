import CairnThreads
import Synchronization
import Testing

@testable import CairnStore

/// Each request knows the largest valid answer, and a pause aborts a large put.
@Suite struct HTTPBoundsTests {
  private static func bucket(_ server: EndlessServer) -> S3Store {
    S3Store(
      S3Connection(
        S3Address(
          scheme: "http://", host: "127.0.0.1:\(server.port)", path: "/bucket",
          bucket: "bucket", prefix: ""), TestBucket.settings(), client: HTTPClient(),
        pause: { _ in }),
      location: "there", mark: nil)
  }

  private static func web(_ server: EndlessServer) -> WebStore {
    WebStore(
      WebConnection(
        origin: "http://127.0.0.1:\(server.port)", path: "/", client: HTTPClient(),
        pause: { _ in }), location: "there", mark: nil)
  }

  @Test func `an answer without end is left, whatever was asked`() throws {
    let server = try EndlessServer(.endless)
    defer { server.close() }
    let bucket = Self.bucket(server)
    // A list is never larger than its thousand names.
    let list = #expect(throws: StoreError.self) { try bucket.list("", after: nil, limit: 9) }
    #expect(list?.code == .unreachable)
    #expect(server.sent < 24 << 20)
    #expect(try bucket.put(key("a"), [1]) == .stored, "its head says so")
    #expect(server.sent < 40 << 20)
    let whole = #expect(throws: StoreError.self) { try bucket.get(key("a")) }
    #expect(whole?.code == .corrupt && whole?.key != nil)
    #expect(server.sent < 130 << 20)
  }

  @Test func `of a whole file only the asked bytes are taken, where ranges are ignored`() throws {
    let server = try EndlessServer(.endless)
    defer { server.close() }
    #expect(try Self.bucket(server).get(key("a"), range: 5..<9) == [7, 7, 7, 7])
    #expect(try Self.web(server).get(key("a"), range: 5..<9) == [7, 7, 7, 7])
    #expect(server.sent < 32 << 20)
    let page = #expect(throws: StoreError.self) { try Self.web(server).folders(in: "users/") }
    #expect(page?.code == .unreachable)
  }

  @Test(arguments: [nil, "zone"]) func `a pause aborts the put of a pack that nobody takes`(
    part: String?
  ) throws {
    let server = try EndlessServer(.deaf)
    defer { server.close() }
    let traffic = Traffic(date: { 5 })
    let line = TrafficStore(Self.bucket(server), traffic, .line)
    let store = part.map { TrafficStore(line, traffic, .parts).part($0) } ?? line
    let result = Waiter<StoreError?>()
    let isStarted = PosixThread.run("put") {
      do throws(StoreError) {
        _ = try store.put(try ObjectKeyForTest.key, [UInt8](repeating: 1, count: 9 << 20))
        result.complete(nil)
      } catch { result.complete(error) }
    }
    try #require(isStarted)
    server.awaitRequest()
    var pauses = Traffic.Pauses()
    if let part {
      pauses.parts[part] = Traffic.Pause(since: 1, until: nil)
    } else {
      pauses.all = Traffic.Pause(since: 1, until: nil)
    }
    traffic.set(pauses)
    #expect(result.wait()?.code == .paused)
  }
}

/// A key for threads that can't throw errors of the test.
private enum ObjectKeyForTest {
  static var key: ObjectKey {
    get throws(StoreError) {
      guard let key = ObjectKey("users/a/packs/0/1") else {
        throw StoreError(code: .unsupported, cause: "no key")
      }
      return key
    }
  }
}
