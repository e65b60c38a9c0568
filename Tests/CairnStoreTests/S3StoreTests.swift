import Foundation
import Synchronization
import Testing

@testable import CairnStore

/// A bucket whose engine has trouble of its own, or loses answers: nothing is stored twice, nothing
/// is taken for gone, and people are told what to do.
@Suite(.serialized) struct S3StoreTests {
  /// The bucket of these tests only, because faults affect the next request of anybody.
  private static let bucket = TestBucket()

  private func store(_ settings: S3Settings = TestBucket.settings()) throws -> any ObjectStore {
    try Self.bucket.location(settings).open()
  }

  /// Sets the fault of the next requests.
  private func fail(_ method: String, _ kind: String, count: Int = 1, after: Int? = nil) throws {
    let retry = after.map { ", \"after\": \($0)" } ?? ""
    let fault = "[{\"method\": \"\(method)\", \"kind\": \"\(kind)\", \"count\": \(count)\(retry)}]"
    _ = try HTTPClient.shared.send(
      HTTPRequest(
        method: "PUT", url: "http://127.0.0.1:\(Self.bucket.port)/_faults",
        body: Array(fault.utf8), most: 1 << 20))
  }

  /// Returns the requests since the last call.
  private func requests() throws -> [String] {
    let answer = try HTTPClient.shared.send(
      HTTPRequest(method: "GET", url: "http://127.0.0.1:\(Self.bucket.port)/_log", most: 1 << 20))
    return try JSONDecoder().decode([String].self, from: Data(answer.body))
  }

  // MARK: Answers

  @Test func `an answer that got lost is looked up, and its object is ours`() throws {
    let store = try store()
    try fail("PUT", "lost")
    #expect(try store.put(key("a/1"), bytes("mine")) == .stored)
    #expect(try store.get(key("a/1")) == bytes("mine"))
    try fail("PUT", "lost")
    #expect(try store.put(key("a/1"), bytes("other")) == .exists)
    #expect(try store.get(key("a/1")) == bytes("mine"))
  }

  @Test(arguments: ["500", "503", "429"])
  func `trouble of the engine's is asked again`(_ status: String) throws {
    let store = try store()
    try fail("*", status, count: 2)
    #expect(try store.put(key("a"), [1]) == .stored)
    try fail("*", status, count: 2, after: 0)
    #expect(try store.get(key("a")) == [1])
  }

  @Test func `trouble that lasts is told, and nothing is taken for gone`() throws {
    let connection = S3Connection(
      S3Address(
        scheme: "http://", host: "127.0.0.1:\(Self.bucket.port)", path: "/bucket",
        bucket: "bucket", prefix: "x/"), TestBucket.settings(), pause: { _ in })
    let store = S3Store(connection, location: "there", mark: nil)
    try fail("*", "503", count: 50)
    let busy = #expect(throws: StoreError.self) { try store.get(key("a")) }
    #expect(busy?.code == .throttled && busy?.isWorthRetrying == true)
    try fail("*", "500", count: 50)
    let broken = #expect(throws: StoreError.self) { try store.put(key("a"), [1]) }
    #expect(broken?.code == .unreachable)
    #expect(broken?.cause.contains("HTTP 500, InternalError") == true)
    try fail("*", "lost", count: 0)
    #expect(try store.get(key("a")) == nil)
  }

  @Test func `a conflict is no answer`() throws {
    let store = try store()
    try fail("PUT", "409", count: 3)
    #expect(try store.put(key("a"), [1]) == .stored)
    try fail("PUT", "taken")
    #expect(try store.put(key("b"), [1]) == .exists)
  }

  @Test func `half an object is none`() throws {
    let store = try store()
    let whole = [UInt8](repeating: 7, count: 100_000)
    #expect(try store.put(key("a"), whole) == .stored)
    try fail("GET", "cut")
    #expect(try store.get(key("a")) == whole)
    try fail("GET", "cut")
    #expect(try store.get(key("a"), range: 10..<50_000) == Array(whole[10..<50_000]))
  }

  @Test func `half an answer that is framed as if it were whole is none`() throws {
    let store = try store()
    let whole = [UInt8](repeating: 7, count: 100_000)
    #expect(try store.put(key("a"), whole) == .stored)
    try fail("GET", "short", count: 2)
    #expect(try store.get(key("a"), range: 10..<50_000) == Array(whole[10..<50_000]))
    for number in 0..<9 { _ = try store.put(key("l/\(number)"), [1]) }
    try fail("GET", "short", count: 2)
    #expect(try store.list("l/", after: nil, limit: 100).count == 9)
  }

  @Test func `that something isn't there only the engine says`() throws {
    let store = try store()
    #expect(try store.put(key("a"), [1]) == .stored)
    try fail("GET", "page", count: 2)
    #expect(try store.get(key("a")) == [1])
    try fail("PUT", "page")
    #expect(try store.put(key("b"), [1]) == .stored)
  }

  @Test func `what came before a 503 may have been carried out`() throws {
    let store = try store()
    try fail("PUT", "late503")
    #expect(try store.put(key("a"), bytes("mine")) == .stored)
  }

  @Test func `a look that is refused without a word is asked for by a part`() throws {
    let store = try store()
    #expect(try store.put(key("a"), [1, 2, 3]) == .stored)
    #expect(try store.put(key("empty"), []) == .stored)
    try fail("HEAD", "expired", count: 3)
    #expect(try store.size(of: key("a")) == 3)
    #expect(try store.size(of: key("empty")) == 0)
    #expect(try store.size(of: key("none")) == nil)
  }

  @Test func `an object that may not be read is looked for in a list, where there may be none`()
    throws
  {
    let store = try store()
    #expect(try store.put(key("a"), [1]) == .stored)
    #expect(try store.put(key("none-2"), [1]) == .stored)
    try fail("GET", "hidden", count: 1)
    #expect(try store.get(key("none")) == nil)
    try fail("*", "hidden", count: 2)
    #expect(try store.size(of: key("none")) == nil)
    try fail("GET", "denied", count: 1)
    let error = #expect(throws: StoreError.self) { try store.get(key("a")) }
    #expect(error?.code == .denied && error?.cause.contains("AccessDenied") == true)
    // Nothing is known where the list is refused, too.
    try fail("GET", "denied", count: 2)
    #expect(throws: StoreError.self) { try store.get(key("none")) }
  }

  @Test func `who asks to be left alone is, by everybody, and for no longer`() throws {
    let now = Mutex<Int64>(0)
    let connection = S3Connection(
      S3Address(
        scheme: "http://", host: "127.0.0.1:\(Self.bucket.port)", path: "/bucket",
        bucket: "bucket", prefix: "y/"), TestBucket.settings(), pause: { _ in },
      clock: { now.withLock { $0 } })
    let store = S3Store(connection, location: "there", mark: nil)
    try fail("*", "503", after: 30)
    let busy = #expect(throws: StoreError.self) { try store.get(key("a")) }
    #expect(busy?.code == .throttled)
    _ = try requests()
    now.withLock { $0 = 29_000_000_000 }
    let left = #expect(throws: StoreError.self) { try store.put(key("a"), [1]) }
    #expect(left?.code == .throttled && left?.cause.contains("1 seconds more") == true)
    #expect(try requests().isEmpty)
    now.withLock { $0 = 30_000_000_000 }
    #expect(try store.get(key("a")) == nil)
  }

  @Test func `an engine that hangs is given up`() throws {
    let now = Mutex<Int64>(0)
    let connection = S3Connection(
      S3Address(
        scheme: "http://", host: "127.0.0.1:\(Self.bucket.port)", path: "/bucket",
        bucket: "bucket", prefix: "y/"), TestBucket.settings(),
      client: HTTPClient(stallSeconds: 1), pause: { _ in now.withLock { $0 += 61_000_000_000 } },
      clock: { now.withLock { $0 } })
    let store = S3Store(connection, location: "there", mark: nil)
    try fail("GET", "hang", count: 2)
    _ = try requests()
    let error = #expect(throws: StoreError.self) { try store.get(key("a")) }
    #expect(error?.code == .unreachable)
    #expect(try requests().count == 2, "a minute is enough")
  }

  @Test func `when to ask again may be said as a number or as a date`() {
    var answer = HTTPAnswer(status: 503)
    #expect(answer.retryAfter(now: 0) == nil)
    for (text, milliseconds) in [
      ("7", 7_000), ("-1", 0), ("soon", nil), ("99999999", 86_400_000),
      ("Sun, 06 Nov 1994 08:49:37 GMT", 5_000), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
    ] as [(String, Int?)] {
      answer.headers = ["retry-after": text, "date": "Sun, 06 Nov 1994 08:49:32 GMT"]
      #expect(answer.retryAfter(now: 0) == milliseconds, "\(text)")
    }
    #expect(SignatureV4.time("1994-11-06T08:49:37Z") == 784_111_777)
    #expect(SignatureV4.time("1994-11-06T08:49:37.000Z") == 784_111_777)
    for text in ["", "1994-11-06", "1994-11-06 08:49:37Z", "x994-11-06T08:49:37Z"] {
      #expect(SignatureV4.time(text) == nil)
    }
  }

  @Test func `a clock that is wrong corrects itself`() throws {
    let store = try store()
    try fail("*", "skewed", count: 4)
    #expect(try store.put(key("a"), [1]) == .stored)
    #expect(try store.get(key("a")) == [1])
  }

  // MARK: Keys

  @Test func `a key that has expired is asked for anew, once`() throws {
    let asked = Mutex<[Bool]>([])
    let settings = S3Settings { anew throws(StoreError) in
      asked.withLock { $0.append(anew) }
      return S3Credentials(id: "AKIDEXAMPLE", secret: "secret")
    }
    let store = try store(settings)
    #expect(try store.put(key("a"), [1]) == .stored)
    #expect(try store.get(key("a")) == [1])
    #expect(asked.withLock { $0 } == [false], "it is kept")
    try fail("*", "expired")
    #expect(try store.get(key("a")) == [1])
    #expect(asked.withLock { $0 } == [false, true])
    try fail("*", "expired", count: 9)
    let error = #expect(throws: StoreError.self) { try store.get(key("a")) }
    #expect(error?.code == .denied && error?.cause.contains("secret") == false)
    try fail("*", "lost", count: 0)
  }

  @Test func `a key that is lent is renewed before it ends`() throws {
    let count = Mutex(0)
    let settings = S3Settings { _ throws(StoreError) in
      count.withLock { $0 += 1 }
      return S3Credentials(
        id: "AKIDEXAMPLE", secret: "secret", token: "t", expires: Int64(time(nil)) + 30)
    }
    let store = try store(settings)
    #expect(try store.get(key("a")) == nil)
    #expect(try store.get(key("a")) == nil)
    #expect(count.withLock { $0 } >= 2)
  }

  @Test func `a list that begins anew again and again has an end, and nothing twice`() throws {
    let store = try store()
    for name in ["list/1", "list/2", "list/3"] { _ = try store.put(key(name), [1]) }
    try fail("GET", "again", count: 50)
    let found = try store.list("list/", after: nil, limit: 10_000)
    #expect(found.map(\.description) == ["list/1", "list/2", "list/3"])
    #expect(try store.listed("list/", after: key("list/2"), limit: 10).count == 1)
    try fail("GET", "again", count: 0)
  }

  @Test func `a wrong key, and none, are refused with what to do`() throws {
    let wrong = try store(TestBucket.settings(secret: "guess"))
    let error = #expect(throws: StoreError.self) { try wrong.get(key("a")) }
    #expect(error?.code == .denied && error?.cause.contains("SignatureDoesNotMatch") == true)
    let none = try store(S3Settings())
    let missing = #expect(throws: StoreError.self) { try none.put(key("a"), [1]) }
    #expect(missing?.code == .denied && missing?.cause.contains("cairn.conf") == true)
  }

  // MARK: What isn't there

  @Test func `a bucket that is away says nothing about its objects`() throws {
    let nobody = try #require(
      StoreLocation("s3:http://127.0.0.1:1/bucket/x", StoreSettings(s3: TestBucket.settings())))
    #expect(!nobody.isThere && nobody.clock() == nil)
    for location in [nobody, try Self.bucket.location(bucket: "no-such-bucket")] {
      let error = #expect(throws: StoreError.self) { try location.open().get(key("a")) }
      #expect(error?.code == .unreachable)
      let put = #expect(throws: StoreError.self) { try location.open().put(key("a"), [1]) }
      #expect(put?.code == .unreachable)
      #expect(throws: StoreError.self) { try location.make() }
    }
    try fail("GET", "elsewhere")
    let moved = #expect(throws: StoreError.self) { try store().get(key("a")) }
    #expect(moved?.cause.contains("eu-north-1") == true)
  }

  @Test func `where the container's mark is missing nothing is gone`() throws {
    let location = try Self.bucket.location()
    let marked = location.open(mark: try key("container"))
    let error = #expect(throws: StoreError.self) { try marked.get(key("zones/a")) }
    #expect(error?.code == .unreachable && error?.cause.contains(location.text) == true)
    #expect(try location.open().put(key("container"), [1]) == .stored)
    #expect(try marked.get(key("zones/a")) == nil)
    _ = try requests()
    #expect(try marked.get(key("zones/a")) == nil)
    #expect(try requests().count == 1, "it is believed for a while")
  }

  // MARK: Costs

  @Test func `each act is one request`() throws {
    let store = try store()
    _ = try requests()
    _ = try store.put(key("log/1"), bytes("entry"))
    _ = try store.get(key("log/1"))
    _ = try store.get(key("log/1"), range: 1..<3)
    _ = try store.size(of: key("log/1"))
    _ = try store.list("log/", after: nil, limit: 10)
    _ = try store.folders(in: "log/")
    try store.delete(key("log/1"))
    let methods = try requests().map { $0.split(separator: " ")[0] }
    #expect(methods == ["PUT", "GET", "GET", "HEAD", "GET", "GET", "DELETE"])
  }

  // MARK: Locations

  @Test(arguments: [
    ("s3:https://s3.example.org/cloud/team", "s3:https://s3.example.org/cloud/team"),
    ("s3:http://127.0.0.1:9000/cloud/", "s3:http://127.0.0.1:9000/cloud"),
    ("s3:https://S3.Example.org:443/my.bucket/a/B", "s3:https://s3.example.org:443/my.bucket/a/B"),
    ("s3://cloud/team", "s3://cloud/team"),
    ("s3:https://[::1]:9000/cloud", "s3:https://[::1]:9000/cloud"),
  ])
  func `a bucket's address is one line`(_ text: String, _ form: String) throws {
    let location = try #require(StoreLocation(text))
    #expect(location.text == form && location.folder == nil && StoreLocation.isAddress(text))
    #expect(StoreLocation(location.text) == location)
  }

  @Test(arguments: [
    "s3:", "s3://", "s3:https://host", "s3:https:///cloud", "s3:ftp://host/cloud",
    "s3:https://key:secret@host/cloud", "s3:https://host/cloud/a//b", "s3:https://host/cloud/../x",
    "s3:https://host/cloud?x=1", "s3:https://host/Cloud", "s3:https://host/cl",
    "s3:https://h h/cloud",
    "s3:https://host/cloud/a b", "S3:https://host/cloud",
  ])
  func `anything else is no bucket's address`(_ text: String) {
    #expect(StoreLocation(text) == nil)
  }

  // MARK: Trust

  @Test func `an engine is tried before it is trusted`() throws {
    let location = try Self.bucket.location()
    let traits = try location.probe()
    #expect(traits.allowsManyWriters && !traits.notifies && traits.isDurable)
    #expect(traits.fileSystem == "s3 (CairnTestBucket)")
    #expect(try location.open().list("", after: nil, limit: 5).isEmpty, "nothing is left")
    try fail("PUT", "blind", count: 2_000)
    let blind = try location.probe()
    try fail("PUT", "blind", count: 0)
    #expect(!blind.allowsManyWriters)
    #expect(blind.findings.first?.note.contains("under a key that is taken") == true)
    #expect(throws: StoreError.self) { try S3Store.refusePretenders("moto/5") }
    try S3Store.refusePretenders("AmazonS3")
  }

  @Test func `an engine that gives itself out as another is known by what it is built on`() throws {
    var answer = HTTPAnswer(status: 200)
    for line in [
      "HTTP/1.1 100 Continue\r\n", "Server: nobody\r\n", "\r\n", "HTTP/1.1 200 OK\r\n",
      "Server: Werkzeug/3.1 Python/3\r\n", "server:\tamazon.com \r\n", "no header\r\n",
    ] { answer.take(headLine: line) }
    #expect(answer.headers == ["server": "Werkzeug/3.1 Python/3, amazon.com"])
    #expect(throws: StoreError.self) {
      try S3Store.refusePretenders(answer.headers["server"] ?? "")
    }
  }

  @Test func `what an engine says is text, whatever it is`() {
    let body = bytes("<a><Key>x&amp;y</Key><Key>&#65;&#x42;&bad;&</Key><Key>no end")
    #expect(S3Answer.all("Key", in: body) == ["x&y", "AB&bad;&"])
    #expect(S3Answer.first("Code", in: bytes("<Code></Code>")) == "")
    #expect(S3Answer.first("Code", in: bytes("<Code")) == nil)
    #expect(S3Answer.all("Key", in: [0xff, 0x3c, 0x4b]) == [])
  }
}
