import CairnStore
import CairnZone
import Foundation
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// A container with several people, each with index files of their own, in a folder that is removed
/// with the value. Nothing runs outside of the test.
final class ZoneWorld {
  let store: any ObjectStore
  let id: ContainerID
  let folder: String
  private var indexes = 0

  init(_ store: any ObjectStore = DistantStore(MemoryStore())) throws {
    self.store = store
    folder = NSTemporaryDirectory() + "cairn-zone-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    id = try Container.make(in: store, note: "test").id
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: folder) } catch {
      Issue.record("the test's folder can't be removed: \(error)")
    }
  }

  func account(_ handle: String) throws -> Account {
    let account = try Sample.account(handle).account
    try People(store: store).publish(account)
    return account
  }

  /// Returns another device of a person, which one of their devices lets in.
  func device(_ name: String, by other: Container) throws -> Account {
    let code = try other.devices.linkCode(path: [47], now: 0)
    let join = DeviceJoin(code, in: store, deviceName: name)
    #expect(try join.advance() == nil)
    #expect(try other.devices.answerJoins(now: 1).count == 1)
    let account = try #require(try join.advance())
    join.clean()
    return account
  }

  /// Opens the container for that person, with new or used index files.
  func open(
    _ account: Account, index: String? = nil, store: (any ObjectStore)? = nil
  ) throws -> Container {
    indexes += 1
    let path = index ?? "\(folder)/index-\(indexes)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return try Container(
      store: store ?? self.store, id: id, account: account, indexFolder: path)
  }

  /// Returns a zone of Ana's that Bob was invited to and accepted.
  func shared(
    _ permission: Permission = .readWrite
  ) throws -> (ana: Zone, bob: Zone, accounts: [Account]) {
    let (ana, bob) = (try account("ana"), try account("bob"))
    let container = try open(ana)
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.sharing.share(zone, title: "Trip")
    _ = try container.sharing.invite(bob.user, to: zone, permission: permission)
    let accepted = try open(bob).participation.accept(zone.id)
    try zone.pull()
    return (zone, accepted, [ana, bob])
  }

  /// Returns the link to a zone that its founder would give.
  func link(_ zone: Zone, _ secret: SecretBytes? = nil) throws -> ShareLink {
    ShareLink(
      container: id, founder: zone.folder.founder, zone: zone.id, secret: secret)
  }

  /// Returns the keys of all objects.
  func keys(_ prefix: String = "") throws -> [ObjectKey] {
    try store.list(prefix, after: nil, limit: 100_000)
  }

  /// Returns the keys of all packs.
  func packs() throws -> Set<ObjectKey> {
    Set(try keys("users/").filter { "\($0)".contains("/packs/") })
  }

  /// Replaces the bytes of an object, as a faulty disk does.
  func replace(_ key: ObjectKey, _ change: (inout [UInt8]) -> Void) throws {
    var bytes = try #require(try store.get(key))
    change(&bytes)
    try store.delete(key)
    #expect(try store.put(key, bytes) == .stored)
  }
}

extension Zone {
  /// The key of a place of the log, as this reader knows it.
  func place(_ sequence: UInt64) throws -> ObjectKey {
    try #require(try exclusively { try $0.place(sequence) })
  }

  func ingest(_ bytes: [UInt8]) throws -> Content {
    var content: Content?
    try ingestAll { content = try Self.read(bytes, with: $0) }
    return try #require(content)
  }

  /// Reads bytes as one file of several.
  static func read(_ bytes: [UInt8], with ingest: Ingest) throws -> Content {
    var offset = 0
    return try ingest { room in
      let count = min(room.count, bytes.count - offset)
      room.copyBytes(from: bytes[offset..<offset + count])
      offset += count
      return count
    }
  }

  static func file(_ name: String, _ content: Content) throws -> RecordChange {
    RecordChange(
      id: .random(), act: .create(.file),
      place: Place(parent: .root, name: try #require(FileName(name))), content: content,
      attributes: Attributes(isExecutable: false, modified: 1))
  }

  /// Commits a file on top of the replayed state.
  @discardableResult
  func write(_ name: String, _ bytes: [UInt8]) throws -> RecordID {
    let change = try Self.file(name, try ingest(bytes))
    try commit([change], expecting: header.sequence)
    return change.id
  }

  /// Returns the names and bytes of all files of the root.
  func files() throws -> [String: [UInt8]] {
    let records = try read { view in
      try view.children(of: .root).compactMap { try view.record($0) }
    }
    var files: [String: [UInt8]] = [:]
    for record in records {
      let (name, content) = (try #require(record.place?.name), try #require(record.content))
      var bytes: [UInt8] = []
      try readContent(content) { bytes += Array($0) }
      files[name.description] = bytes
    }
    return files
  }

  func names() throws -> Set<String> {
    let names = try read { view in
      try view.children(of: .root).compactMap { try view.record($0)?.place?.name.description }
    }
    return Set(names)
  }
}

/// A store whose calls fail on request.
final class FaultyStore: StoreAround {
  enum Fault: Sendable {
    /// The call has no effect.
    case before
    /// The call has its effect, and its answer gets lost.
    case after
    /// Neither the call nor any later one has an effect, as if the process had ended.
    case forGood
  }

  let inner: any ObjectStore
  private let plan = Mutex<(countdown: Int, fault: Fault, putsOnly: Bool)?>(nil)
  /// A Boolean value that indicates whether the planned fault happened.
  var isSpent: Bool { plan.withLock { $0.map { $0.countdown == 0 } ?? true } }

  init(_ inner: any ObjectStore) { self.inner = inner }

  /// Lets the n-th call from now fail once.
  func fail(call: Int, _ fault: Fault, putsOnly: Bool = false) {
    plan.withLock { $0 = (call, fault, putsOnly) }
  }

  func heal() { plan.withLock { $0 = nil } }

  private func call<Result>(
    isPut: Bool = false, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let fault = plan.withLock { plan -> Fault? in
      guard var next = plan, isPut || !next.putsOnly else { return nil }
      next.countdown = max(0, next.countdown - 1)
      plan = next.countdown == 0 && next.fault != .forGood ? nil : next
      return next.countdown == 0 ? next.fault : nil
    }
    let error = StoreError(code: .unreachable, cause: "a fault of the test")
    if fault == .before || fault == .forGood { throw error }
    let result = try body()
    if fault == .after { throw error }
    return result
  }

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    try call(isPut: true) { () throws(StoreError) in try inner.put(key, bytes) }
  }

  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    try call { () throws(StoreError) in try inner.get(key) }
  }

  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    try call { () throws(StoreError) in try inner.get(key, range: range) }
  }

  func size(of key: ObjectKey) throws(StoreError) -> Int? {
    try call { () throws(StoreError) in try inner.size(of: key) }
  }

  func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    try call { () throws(StoreError) in try inner.list(prefix, after: after, limit: limit) }
  }

  func delete(_ key: ObjectKey) throws(StoreError) {
    try call { () throws(StoreError) in try inner.delete(key) }
  }

  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription {
    try inner.follow(prefix, onHint)
  }
}

/// A store that counts the requested objects.
final class CountingStore: StoreAround {
  let inner: any ObjectStore
  private let count = Mutex(0)
  /// The number of times that an object was read, or looked for.
  var gets: Int { count.withLock { $0 } }

  init(_ inner: any ObjectStore) { self.inner = inner }

  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    count.withLock { $0 += 1 }
    return try inner.get(key)
  }

  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    count.withLock { $0 += 1 }
    return try inner.get(key, range: range)
  }
}

/// Returns the code of the `CloudError` that the body throws, or nil if it throws none.
func cloudCode(_ body: () throws -> Void) throws -> CloudError.Code? {
  do { try body() } catch let error as CloudError { return error.code }
  return nil
}
