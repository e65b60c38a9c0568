import CairnCurl
import CairnThreads
import Synchronization

/// Read-only objects behind a web server, as files below a path. Keys are listed by the folder
/// pages that many servers create. Without pages, only objects with known keys can be read. A
/// server does not report changes, so followers poll.
final class WebStore: ObjectStore {
  private let connection: WebConnection
  private let location: String
  private let mark: ObjectKey?
  /// The monotonic time when the mark was last seen.
  private let seen = Mutex<Int64?>(nil)
  /// A Boolean value that indicates whether the server shows folder pages, once that is known.
  private let lists = Mutex<Bool?>(nil)

  /// The time during which the mark is not checked again, in nanoseconds.
  private static let trust: Int64 = 60_000_000_000
  /// The maximum number of pages for one list: a server can show endless folders.
  private static let mostPages = 100_000

  init(_ connection: WebConnection, location: String, mark: ObjectKey?) {
    self.connection = connection
    self.location = location
    self.mark = mark
  }

  // MARK: Writing

  static func onlyRead(_ location: String) -> StoreError {
    StoreError(
      code: .denied,
      cause: "The container at \(location) is behind a web server, which stores nothing: it can "
        + "only be read there.")
  }

  /// See `ObjectStore`. Always throws.
  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    throw Self.onlyRead(location)
  }

  /// See `ObjectStore`. Always throws.
  func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) {
    throw Self.onlyRead(location)
  }

  /// See `ObjectStore`. Always throws.
  func delete(_ key: ObjectKey) throws(StoreError) { throw Self.onlyRead(location) }

  /// See `ObjectStore`. Always throws.
  func remove(_ key: ObjectKey, ifIts bytes: [UInt8]?, upTo limit: Int) throws(StoreError) {
    throw Self.onlyRead(location)
  }

  /// See `ObjectStore`. Does nothing.
  func claim(_ folder: String) throws(StoreError) {}

  /// See `ObjectStore`. Does nothing.
  func prune(_ prefix: String) throws(StoreError) {}

  // MARK: Reading

  /// See `ObjectStore`.
  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? { try read(key, range: nil) }

  /// See `ObjectStore`.
  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    precondition(range.lowerBound >= 0, "A range of an object begins at 0 or later.")
    guard !range.isEmpty else { return try size(of: key).map { _ in [] } }
    return try read(key, range: range)
  }

  /// See `ObjectStore`.
  var flight: Int { 16 }

  private func read(_ key: ObjectKey, range: Range<Int>?) throws(StoreError) -> [UInt8]? {
    let answer = try connection.ask("GET", key.description, range: range)
    switch answer.status {
    case 200:
      noteSeen()
      // Many servers ignore the range and return the whole file.
      return range.map { Array(answer.body[$0.clamped(to: 0..<answer.body.count)]) } ?? answer.body
    case 206:
      guard answer.contentRange.map({ $0.first == range?.lowerBound ?? 0 }) ?? true else {
        throw unexpected(answer, key)
      }
      noteSeen()
      return answer.body
    case 404, 410:
      try checkMark(key)
      return nil
    case 416: return []
    default: throw unexpected(answer, key)
    }
  }

  /// See `ObjectStore`.
  func size(of key: ObjectKey) throws(StoreError) -> Int? {
    let answer = try connection.ask("HEAD", key.description)
    switch answer.status {
    case 200:
      noteSeen()
      guard let size = answer.headers["content-length"].flatMap({ Int($0) }), size >= 0 else {
        return try get(key).map(\.count)
      }
      return size
    case 404, 410:
      try checkMark(key)
      return nil
    default: throw unexpected(answer, key)
    }
  }

  /// See `ObjectStore`. Always nil: owners are unknown.
  func owner(of key: ObjectKey) -> String? { nil }

  private func noteSeen() {
    let now = Monotonic.now
    seen.withLock { $0 = now }
  }

  /// Throws if the container itself is missing. Only then does a missing object count.
  private func checkMark(_ key: ObjectKey?) throws(StoreError) {
    let now = Monotonic.now
    guard let mark, mark != key, seen.withLock({ $0.map { now - $0 > Self.trust } ?? true }) else {
      return
    }
    guard try connection.ask("GET", mark.description, range: 0..<1).status / 100 == 2 else {
      throw StoreError(
        code: .unreachable,
        cause: "There is no container at \(location) any more: \(mark) is missing. Nothing is "
          + "changed until it is back.")
    }
    noteSeen()
  }

  // MARK: Lists

  /// See `ObjectStore`.
  func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    precondition(limit >= 0, "A limit is a count.")
    let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
    guard folder.isEmpty || ObjectKey(String(folder.dropLast())) != nil, limit > 0 else {
      return []
    }
    var walk = Walk(prefix: prefix, after: after?.description, limit: limit)
    try visit(folder, &walk)
    return walk.keys
  }

  /// A walk in the order of keys: a folder sorts like its name with a "/".
  private struct Walk {
    let prefix: String
    let after: String?
    let limit: Int
    var keys: [ObjectKey] = []
    var pages = 0

    /// Returns whether a folder can contain requested objects.
    func wants(folder: String) -> Bool {
      guard folder.hasPrefix(prefix) || prefix.hasPrefix(folder) else { return false }
      guard let after else { return true }
      return folder > after || after.hasPrefix(folder)
    }

    func wants(object: String) -> Bool {
      object.hasPrefix(prefix) && after.map { object > $0 } ?? true
    }
  }

  private func visit(_ folder: String, _ walk: inout Walk) throws(StoreError) {
    walk.pages += 1
    guard walk.pages <= Self.mostPages else {
      throw StoreError(
        code: .unsupported, cause: "\(location) shows more folders than a container has.")
    }
    guard let page = try page(of: folder) else { return }
    let names = page.objects.map { folder + $0 } + page.folders.map { folder + $0 + "/" }
    for name in names.sorted() where walk.keys.count < walk.limit {
      if name.hasSuffix("/") {
        // A path too deep for a key is skipped.
        guard walk.wants(folder: name), ObjectKey(name + "a") != nil else { continue }
        try visit(name, &walk)
      } else if walk.wants(object: name), let key = ObjectKey(name) {
        walk.keys.append(key)
      }
    }
  }

  /// See `ObjectStore`.
  func folders(in prefix: String) throws(StoreError) -> [String] {
    try page(of: prefix)?.folders.sorted() ?? []
  }

  /// The page of a folder, with a slash at its end; nil if the folder is missing.
  private func page(of folder: String) throws(StoreError) -> FolderPage? {
    if let mark, try !offersLists(mark) { throw listless }
    let answer = try connection.ask("GET", folder)
    switch answer.status {
    case 404, 410:
      try checkMark(nil)
      return nil
    case 200:
      guard FolderPage.isWhole(answer.body) else { throw listless }
      return FolderPage(answer.body, path: connection.path + folder)
    case 403:
      // An unreadable folder among many hides nothing else.
      guard mark != nil else { throw listless }
      return nil
    default: throw unexpected(answer, nil)
    }
  }

  /// Returns whether the server shows folder pages: such a page shows the mark.
  private func offersLists(_ mark: ObjectKey) throws(StoreError) -> Bool {
    if let known = lists.withLock({ $0 }) { return known }
    let answer = try connection.ask("GET", "")
    let isShown =
      answer.status == 200 && FolderPage.isWhole(answer.body)
      && FolderPage(answer.body, path: connection.path).objects.contains(mark.name)
    lists.withLock { $0 = isShown }
    return isShown
  }

  private var listless: StoreError {
    StoreError(
      code: .unlisted,
      cause: "The web server at \(location) shows no lists of its folders, so only what can be "
        + "found without them can be read there. The owner of the server can switch them on; "
        + "cairn-init(1), A WEB SERVER, says how.")
  }

  /// See `ObjectStore`. It cannot notify.
  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription { .silent }

  // MARK: The server

  /// Checks that the server reports missing objects as missing.
  /// - Returns: the server's name for itself; empty if it sends none.
  @discardableResult
  func checkHonesty() throws(StoreError) -> String {
    let answer = try connection.ask("HEAD", "probe/" + StagedObject.randomName())
    guard [404, 410].contains(answer.status) else {
      throw StoreError(
        code: .unsupported,
        cause: "\(location) doesn't say of a file that isn't there that it isn't "
          + "(HTTP \(answer.status) instead of 404), so nothing can be read there reliably. "
          + "cairn-init(1), A WEB SERVER, says what a server has to do.")
    }
    let name = (answer.headers["server"] ?? "").prefix(40)
    return String(name.filter { $0.isASCII && !$0.isNewline })
  }

  /// The server's time, in seconds since 1970; nil if it sends none.
  func serverTime() -> Int64? {
    do throws(StoreError) {
      return try connection.ask("HEAD", "").headers["date"].map { cairn_http_date($0) }
        .flatMap { $0 < 0 ? nil : $0 }
    } catch { return nil }
  }

  private func unexpected(_ answer: HTTPAnswer, _ key: ObjectKey?) -> StoreError {
    let what = key.map { "\($0)" } ?? "its folders"
    if [401, 403].contains(answer.status) {
      return StoreError(
        code: .denied, key: key,
        cause: "\(location) refuses \(what) (HTTP \(answer.status)). A server that answers so for "
          + "what isn't there has to say 404.")
    }
    return StoreError(
      code: .unreachable, key: key,
      cause: "\(location) doesn't give \(what): it answers HTTP \(answer.status).")
  }
}
