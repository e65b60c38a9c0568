import CairnCurl
import CairnThreads
import Synchronization

/// Objects in a bucket of an S3-compatible engine. Conditional writes (`If-None-Match: *`)
/// guarantee that nothing is overwritten, and `StoreProbe` tests them before anybody trusts an
/// engine. An engine does not report others' objects, so followers poll.
final class S3Store: ObjectStore {
  private let connection: S3Connection
  private let location: String
  private let mark: ObjectKey?
  /// The monotonic time when the mark was last seen.
  private let seen = Mutex<Int64?>(nil)

  /// The time during which the mark is not checked again, in nanoseconds.
  private static let trust: Int64 = 60_000_000_000
  /// The maximum number of keys in one answer.
  private static let page = 1_000
  /// The size in bytes of the largest valid answer with a list: a key has at most 1 KiB.
  private static let mostListed = 8 << 20
  /// The number of retries for a key that seemed taken and is free.
  private static let conflicts = 8

  init(_ connection: S3Connection, location: String, mark: ObjectKey?) {
    self.connection = connection
    self.location = location
    self.mark = mark
  }

  // MARK: Writing

  /// See `ObjectStore`. After a lost answer, the object is read: equal bytes are our own.
  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    var mayBeOurs = false
    for _ in 0..<Self.conflicts {
      let reply = try connection.send(
        .init(
          method: "PUT", key: key.description, headers: [("if-none-match", "*")], body: bytes))
      mayBeOurs = mayBeOurs || reply.isRepeated
      switch reply.answer.status {
      case 200, 201, 204: return .stored
      case 412:
        guard mayBeOurs else { return .exists }
        return try stands(key, bytes) == true ? .stored : .exists
      case 409:
        // A concurrent writer: that is no answer.
        guard let isSame = try stands(key, bytes) else { continue }
        return mayBeOurs && isSame ? .stored : .exists
      case 501:
        throw StoreError(
          code: .unsupported, key: key,
          cause: "\(connection.address.host) can't store an object only if it isn't there, so "
            + "several people can't share it safely. Use another engine.")
      default: throw unexpected(reply.answer, "store", key)
      }
    }
    throw StoreError(
      code: .throttled, key: key,
      cause: "\(connection.address.host) doesn't decide who may store \(key). It is tried again.")
  }

  /// Returns whether the object has these bytes; nil if there is none.
  private func stands(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> Bool? {
    try read(key, range: nil).map { $0 == bytes }
  }

  /// See `ObjectStore`.
  func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) {
    let reply = try connection.send(.init(method: "PUT", key: key.description, body: bytes))
    guard (200...204).contains(reply.answer.status) else {
      throw unexpected(reply.answer, "store", key)
    }
  }

  /// See `ObjectStore`.
  func delete(_ key: ObjectKey) throws(StoreError) {
    let reply = try connection.send(.init(method: "DELETE", key: key.description))
    guard (200...204).contains(reply.answer.status) || reply.answer.status == 404 else {
      throw unexpected(reply.answer, "delete", key)
    }
  }

  /// See `ObjectStore`.
  func remove(_ key: ObjectKey, ifIts bytes: [UInt8]?, upTo limit: Int) throws(StoreError) {
    // Everything under a key is an object here.
    guard let bytes, try get(key, range: 0..<limit + 1) == bytes else { return }
    try delete(key)
  }

  /// See `ObjectStore`. Does nothing: there are no folders.
  func claim(_ folder: String) throws(StoreError) {}

  /// See `ObjectStore`. Does nothing: there are no folders.
  func prune(_ prefix: String) throws(StoreError) {}

  // MARK: Reading

  /// See `ObjectStore`.
  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    try orAway(try read(key, range: nil))
  }

  /// See `ObjectStore`.
  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    precondition(range.lowerBound >= 0, "A range of an object begins at 0 or later.")
    guard !range.isEmpty else { return try size(of: key).map { _ in [] } }
    return try orAway(try read(key, range: range))
  }

  /// See `ObjectStore`. HTTP/2 sends them in one connection.
  var flight: Int { 16 }

  private func read(_ key: ObjectKey, range: Range<Int>?) throws(StoreError) -> [UInt8]? {
    var request = S3Connection.Request(
      method: "GET", key: key.description, most: StoreCopy.largest)
    if let range, range.upperBound != .max {
      (request.most, request.enough) = (range.count, range.upperBound)
    }
    if let range {
      let end = range.upperBound == .max ? "" : String(range.upperBound - 1)
      request.headers = [("range", "bytes=\(range.lowerBound)-\(end)")]
    }
    let answer = try connection.send(request).answer
    switch answer.status {
    case 200:
      // An engine may ignore the range and return everything.
      return range.map { Array(answer.body[$0.clamped(to: 0..<answer.body.count)]) } ?? answer.body
    case 206:
      guard answer.contentRange.map({ $0.first == range?.lowerBound ?? 0 }) ?? true else {
        throw unexpected(answer, "read", key)
      }
      return answer.body
    case 404: return nil
    case 403:
      guard try isListed(key) else { return nil }
      throw connection.refused(answer)
    case 416: return []
    default: throw unexpected(answer, "read", key)
    }
  }

  /// Returns whether the object exists, by a list. With a key for only one prefix, an engine
  /// answers "access denied" for missing objects.
  private func isListed(_ key: ObjectKey) throws(StoreError) -> Bool {
    let names = try page(key.description, after: nil, count: 1, delimiter: nil)
    return names.keys.contains { $0.name == key.description }
  }

  /// See `ObjectStore`.
  func size(of key: ObjectKey) throws(StoreError) -> Int? {
    let answer = try connection.send(.init(method: "HEAD", key: key.description)).answer
    switch answer.status {
    case 200:
      guard let size = answer.headers["content-length"].flatMap({ Int($0) }), size >= 0 else {
        throw unexpected(answer, "look at", key)
      }
      return size
    // An answer without a body does not say what is missing, or what was wrong with the request.
    case 400, 401, 403, 404: return try sizeByFirstByte(of: key)
    default: throw unexpected(answer, "look at", key)
    }
  }

  private func sizeByFirstByte(of key: ObjectKey) throws(StoreError) -> Int? {
    let answer = try connection.send(
      .init(
        method: "GET", key: key.description, headers: [("range", "bytes=0-0")],
        most: StoreCopy.largest)
    ).answer
    switch answer.status {
    case 206:
      guard let size = answer.contentRange?.size else { throw unexpected(answer, "look at", key) }
      return size
    case 200: return answer.body.count
    case 416: return 0
    case 404: return try orAway(nil).map(\.count)
    case 403:
      guard try isListed(key) else { return try orAway(nil).map(\.count) }
      throw connection.refused(answer)
    default: throw unexpected(answer, "look at", key)
    }
  }

  /// See `ObjectStore`. Always nil: owners are unknown.
  func owner(of key: ObjectKey) -> String? { nil }

  /// Returns nil for a missing object only if the store itself is there.
  private func orAway(_ found: [UInt8]?) throws(StoreError) -> [UInt8]? {
    let now = Monotonic.now
    if found != nil {
      seen.withLock { $0 = now }
      return found
    }
    guard let mark, seen.withLock({ $0.map { now - $0 > Self.trust } ?? true }) else { return nil }
    guard try read(mark, range: 0..<1) != nil else {
      throw StoreError(
        code: .unreachable,
        cause: "There is no container at \(location) any more: \(mark) is missing. Nothing is "
          + "changed until it is back.")
    }
    seen.withLock { $0 = now }
    return nil
  }

  // MARK: Lists

  /// See `ObjectStore`.
  func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    try listed(prefix, after: after, limit: limit).map(\.key)
  }

  /// See `ObjectStore`.
  func listed(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ListedObject] {
    precondition(limit >= 0, "A limit is a count.")
    var found: [ListedObject] = []
    var last = after.map(\.description)
    while found.count < limit {
      let names = try page(
        prefix, after: last, count: min(Self.page, limit - found.count), delimiter: nil)
      let before = last
      // Keys out of order would repeat, or never end.
      for (name, said) in names.keys {
        guard last?.utf8.lexicographicallyPrecedes(name.utf8) ?? true else { continue }
        last = name
        guard let key = ObjectKey(name) else { continue }
        found.append(ListedObject(key: key, size: said.size, version: said.version))
      }
      guard names.hasMore, last != before else { break }
    }
    return found
  }

  /// See `ObjectStore`.
  func folders(in prefix: String) throws(StoreError) -> [String] {
    var found: [String] = []
    var last: String?
    while true {
      let names = try page(prefix, after: last, count: Self.page, delimiter: "/")
      found += names.folders.compactMap { folder in
        let name = folder.dropFirst(prefix.count).dropLast()
        return ObjectKey.isComponent(name.utf8) ? String(name) : nil
      }
      // After a folder follows everything after its possible contents.
      let end = [names.keys.last?.name, names.folders.last.map { $0.dropLast() + "0" }].compactMap {
        $0
      }
      guard names.hasMore, let next = end.max(), next != last else { return found.sorted() }
      last = next
    }
  }

  /// The data about an object in a list; nil values are missing in the answer.
  private struct Said {
    var size: Int?
    var version: String?
  }

  private struct Names {
    var keys: [(name: String, said: Said)]
    var folders: [String]
    var hasMore: Bool
  }

  /// One answer of the engine. Names are without the store's own prefix.
  private func page(
    _ prefix: String, after: String?, count: Int, delimiter: String?
  ) throws(StoreError) -> Names {
    let own = connection.address.prefix
    var query = [
      ("list-type", "2"), ("prefix", own + prefix), ("max-keys", String(max(1, count))),
    ]
    if let after { query.append(("start-after", own + after)) }
    if let delimiter { query.append(("delimiter", delimiter)) }
    let answer = try connection.send(
      .init(method: "GET", key: nil, query: query, most: Self.mostListed)
    ).answer
    guard answer.status == 200 else { throw unexpected(answer, "list", nil) }
    func isInside(_ name: String) -> Bool { name.hasPrefix(own + prefix) }
    let keys = S3Answer.all("Key", in: answer.body)
    /// One value per object, or the values cannot be assigned.
    func each(_ name: String) -> [String?] {
      let found = S3Answer.all(name, in: answer.body)
      return found.count == keys.count ? found : keys.map { _ in nil }
    }
    let (tags, times) = (each("ETag"), each("LastModified"))
    let said = zip(each("Size"), zip(tags, times)).map { size, mark in
      let parts = [mark.0, mark.1].compactMap { $0 }
      return Said(
        size: size.flatMap { Int($0) }.map { max(0, $0) },
        version: parts.isEmpty ? nil : parts.joined(separator: " "))
    }
    let objects = zip(keys, said).filter { isInside($0.0) }
    // The answer repeats the requested prefix outside the results.
    let folders = S3Answer.all("Prefix", in: answer.body).filter {
      isInside($0) && $0 != own + prefix
    }
    return Names(
      keys: objects.map { (String($0.0.dropFirst(own.count)), $0.1) },
      folders: folders.map { String($0.dropFirst(own.count)) },
      hasMore: S3Answer.first("IsTruncated", in: answer.body) == "true")
  }

  /// See `ObjectStore`. It cannot notify.
  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription { .silent }

  // MARK: The engine

  /// The engine's name for itself; empty if it sends none.
  func engine() throws(StoreError) -> String {
    let name = try look().headers["server"] ?? ""
    return String(name.prefix(40).filter { $0.isASCII && !$0.isNewline })
  }

  /// The engine's time, in seconds since 1970; nil if it sends none.
  func serverTime() throws(StoreError) -> Int64? {
    try look().headers["date"].map { cairn_http_date($0) }.flatMap { $0 < 0 ? nil : $0 }
  }

  /// Any answer of the engine, whatever the bucket contains.
  private func look() throws(StoreError) -> HTTPAnswer {
    // A key may be valid only below the prefix.
    let query = [
      ("list-type", "2"), ("max-keys", "1"), ("prefix", connection.address.prefix),
    ]
    let answer = try connection.send(
      .init(method: "GET", key: nil, query: query, most: Self.mostListed)
    ).answer
    guard answer.status == 200 else { throw unexpected(answer, "list", nil) }
    return answer
  }

  /// Refuses engines that pass a race often, but not always.
  static func refusePretenders(_ engine: String) throws(StoreError) {
    let name = engine.lowercased()
    guard let known = ["moto", "werkzeug", "rclone", "juicefs"].first(where: name.contains) else {
      return
    }
    throw StoreError(
      code: .unsupported,
      cause: "This engine (\(known)) doesn't keep what it says about storing an object only if it "
        + "isn't there, so several writers cannot share it safely. Use another one.")
  }

  private func unexpected(_ answer: HTTPAnswer, _ act: String, _ key: ObjectKey?) -> StoreError {
    let what = key.map { "\($0)" } ?? "what is in the bucket"
    let isFull = S3Answer.first("Code", in: answer.body).map { $0.contains("Quota") } ?? false
    return StoreError(
      code: isFull || answer.status == 507 ? .full : .unreachable, key: key,
      cause: "\(connection.address.host) doesn't \(act) \(what): it answers "
        + "\(S3Connection.words(answer)).")
  }
}
