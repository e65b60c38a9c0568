import CairnCurl
import CairnThreads
import Synchronization

/// Objects that a web server shows, as files below a path: what is there can be read, and nothing
/// else. Keys are listed by the pages that many servers make of folders; one that makes none is
/// asked for objects whose keys are known. A server tells nobody of what is new: whoever follows
/// asks.
final class WebStore: ObjectStore {
  private let connection: WebConnection
  private let location: String
  private let mark: ObjectKey?
  /// When the mark was seen last, by the monotonic clock.
  private let seen = Mutex<Int64?>(nil)
  /// Whether the server shows pages of folders, once that was tried.
  private let lists = Mutex<Bool?>(nil)

  /// For how long the mark isn't looked for again, in nanoseconds.
  private static let trust: Int64 = 60_000_000_000
  /// No list asks for more pages: what a server shows can go on for ever.
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

  /// See `ObjectStore`: refused.
  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    throw Self.onlyRead(location)
  }

  /// See `ObjectStore`: refused.
  func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) {
    throw Self.onlyRead(location)
  }

  /// See `ObjectStore`: refused.
  func delete(_ key: ObjectKey) throws(StoreError) { throw Self.onlyRead(location) }

  /// See `ObjectStore`: refused.
  func remove(_ key: ObjectKey, ifIts bytes: [UInt8]?, upTo limit: Int) throws(StoreError) {
    throw Self.onlyRead(location)
  }

  /// See `ObjectStore`: nothing.
  func claim(_ folder: String) throws(StoreError) {}

  /// See `ObjectStore`: nothing.
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
      // Many servers give all of a file, whatever was asked for.
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

  /// See `ObjectStore`: nobody can tell.
  func owner(of key: ObjectKey) -> String? { nil }

  private func noteSeen() {
    let now = Monotonic.now
    seen.withLock { $0 = now }
  }

  /// Nothing where something may be counts only if the container itself is there.
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

  /// A walk in the order of keys: a folder stands where its name with a "/" would.
  private struct Walk {
    let prefix: String
    let after: String?
    let limit: Int
    var keys: [ObjectKey] = []
    var pages = 0

    /// Whether something that is asked for can stand in a folder.
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
        // What is too deep for a key is none.
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

  /// What the server shows of a folder, with a slash at its end; nil if it isn't there.
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
      // One of many that nobody may look into hides nothing else.
      guard mark != nil else { throw listless }
      return nil
    default: throw unexpected(answer, nil)
    }
  }

  /// A page that shows the mark is one of the folder.
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
        + "found without them can be read there. Whoever runs it can switch them on; "
        + "cairn-init(1), A WEB SERVER, says how.")
  }

  /// See `ObjectStore`: it can't notify.
  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription { .silent }

  // MARK: The server

  /// Sees that the server says of what isn't there that it isn't.
  /// - Returns: what it calls itself; empty if it doesn't say.
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

  /// The time by the server's clock, in seconds since 1970; nil if it doesn't say.
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
