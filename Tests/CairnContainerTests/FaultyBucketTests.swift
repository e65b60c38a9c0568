import BuiltPrograms
import CairnThreads
import CairnZone
import Glibc
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica
@testable import CairnStore

/// Four people who write to one zone in a bucket. The proxy in between loses answers, cuts and
/// repeats requests, and poses as the engine (`Tests/Buckets/proxy.py`). Each commit is there once.
/// `make bad-line COMMITS=5000` plays more. `make engines` uses real engines.
@Suite struct FaultyBucketTests {
  private static let people = ["ana", "bob", "cleo", "dan"]

  @Test func `four writers' commits over a bad line are neither lost nor doubled`()
    throws
  {
    let commits = Self.number("BAD_LINE_COMMITS") ?? 200
    let seed = Self.number("BAD_LINE_SEED") ?? 1
    let bucket = try BadLine(seed: seed)
    let zones = try bucket.zones(of: Self.people)
    let before = zones[0].header.sequence
    let problems = Mutex<[String]>([])
    PosixThread.race(zones.count) { writer in
      do {
        for number in 0..<(commits / zones.count) {
          try Self.write("\(Self.people[writer]) \(number)", to: zones[writer])
        }
      } catch {
        problems.withLock { $0.append("\(Self.people[writer]): \(error)") }
      }
    }
    #expect(problems.withLock { $0 } == [])

    // A new reader asks the engine itself.
    let reader = try bucket.reader(of: zones[0])
    try reader.pull()
    let names = Self.people.flatMap { person in
      (0..<(commits / zones.count)).map { "\(person) \($0)" }
    }
    #expect(try reader.names() == Set(names))
    #expect(reader.header.sequence == before + UInt64(names.count), "an entry each")
    #expect(try reader.exclusively { $0.trouble } == nil)
    for zone in zones {
      try Self.insist { try zone.pull() }
      #expect(zone.header.head == reader.header.head)
    }
    // No entry is beside the log.
    let log = try bucket.direct.list("\(reader.folder.log)/", after: nil, limit: 1_000_000)
    #expect(log.count == Int(reader.header.sequence))
    let told = try bucket.told()
    print("over the bad line (seed \(seed)): \(told)")
    #expect(told.contains("lost") && told.contains("short") && told.contains("twice"))
  }

  /// Commits one file as an engine does: until it is there, whatever the answers are.
  private static func write(_ name: String, to zone: Zone) throws {
    let change = try insist { try Zone.file(name, try zone.ingest(Array(name.utf8))) }
    for _ in 0..<1_000 {
      do {
        try zone.commit([change], expecting: zone.header.sequence)
        return
      } catch let error as CloudError {
        guard passes(error) || error.code == .serverRecordChanged else { throw error }
      }
      try insist { try zone.pull() }
      if try zone.read({ try $0.record(change.id) }) != nil { return }
    }
    Issue.record("\(name) was not stored")
  }

  @discardableResult
  private static func insist<Value>(_ act: () throws -> Value) throws -> Value {
    for _ in 0..<100 {
      do { return try act() } catch let error as CloudError {
        guard passes(error) else { throw error }
      }
    }
    return try act()
  }

  /// Returns whether engines try again after an error. They also do for a key that is reported as
  /// expired right after it was read again.
  private static func passes(_ error: CloudError) -> Bool {
    error.isWorthRetrying || error.isOfContainer
  }

  static func number(_ name: String) -> Int? {
    getenv(name).flatMap { Int(String(cString: $0)) }
  }
}

/// A bucket, and a bad line to it.
private final class BadLine {
  let direct: any ObjectStore
  private let engine: S3Engine
  private let proxy: PythonServer
  private let world: ZoneWorld
  private var accounts: [Account] = []

  init(seed: Int) throws {
    engine = S3Engine()
    proxy = PythonServer(
      "Buckets/proxy.py", ["127.0.0.1", "\(engine.port)", "--seed", "\(seed)"])
    direct = engine.store(at: engine.port)
    world = try ZoneWorld(direct)
  }

  /// Returns one zone for each of these people over the bad line.
  func zones(of people: [String]) throws -> [Zone] {
    accounts = try people.map { try world.account($0) }
    let founder = try world.open(accounts[0], store: engine.store(at: proxy.port))
    let zone = try founder.privateDatabase.createZone(named: "Trip")
    _ = try founder.sharing.share(zone, title: "Trip")
    let others = try accounts.dropFirst().map { account in
      _ = try founder.sharing.invite(account.user, to: zone, permission: .readWrite)
      return try world.open(account, store: engine.store(at: proxy.port)).participation.accept(
        zone.id)
    }
    try zone.pull()
    return [zone] + others
  }

  /// Returns the zone for a member with a new index and a good line.
  func reader(of zone: Zone) throws -> Zone {
    try #require(try world.open(accounts[1]).zone(zone.id))
  }

  /// Returns the number of problems of each kind.
  func told() throws -> String {
    let answer = try HTTPClient.shared.send(
      HTTPRequest(method: "GET", url: "http://127.0.0.1:\(proxy.port)/_proxy", most: 1 << 20))
    return String(decoding: answer.body, as: UTF8.self)
  }
}

/// The engine behind the line: the tests' bucket, or the one of `Tests/Engines/run`.
private struct S3Engine {
  let port: Int
  private let bucket: String
  private let key: S3Credentials
  private let prefix = String(UInt64.random(in: 0 ... .max), radix: 36) + "/"
  /// The server, which runs as long as it is needed.
  private let server: BucketServer?

  init() {
    let given = Self.value("ENGINE_LOCATION").split(separator: "/").map(String.init)
    if given.count == 3, given[0] == "s3:http:", let port = Int(given[1].split(separator: ":")[1]) {
      (self.port, bucket, server) = (port, given[2], nil)
      key = S3Credentials(id: Self.value("ENGINE_ID"), secret: Self.value("ENGINE_SECRET"))
    } else {
      let server = BucketServer()
      (port, bucket, self.server) = (server.port, "bucket", server)
      key = S3Credentials(id: BucketServer.key.id, secret: BucketServer.key.secret)
    }
  }

  private static func value(_ name: String) -> String {
    getenv(name).map { String(cString: $0) } ?? ""
  }

  /// Returns a store that doesn't wait between attempts, because the clock isn't tested.
  func store(at port: Int) -> any ObjectStore {
    let address = S3Address(
      scheme: "http://", host: "127.0.0.1:\(port)", path: "/\(bucket)", bucket: bucket,
      prefix: prefix)
    let key = key
    let settings = S3Settings { _ throws(StoreError) in key }
    let connection = S3Connection(address, settings, pause: { _ in })
    return S3Store(connection, location: "there", mark: ObjectKey(ContainerFile.key))
  }
}
