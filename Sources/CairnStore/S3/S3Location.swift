import Glibc

/// A bucket of an S3-compatible engine, or a prefix in one:
/// `s3:https://HOST[:PORT]/BUCKET[/PREFIX]`, or `s3://BUCKET[/PREFIX]` for Amazon in the region of
/// the settings.
struct S3Location: StoreKind {
  let text: String
  /// The engine's address without a slash at its end; nil: Amazon.
  private let endpoint: String?
  private let name: String
  /// The prefix, empty or with a slash at its end.
  private let prefix: String
  private let settings: S3Settings

  init?(_ text: String, _ settings: StoreSettings) {
    guard text.hasPrefix("s3:"), text.utf8.count <= 2048 else { return nil }
    let rest = text.dropFirst(3)
    var parts: [Substring]
    if rest.hasPrefix("//") {
      endpoint = nil
      parts = AddressText.split(rest.dropFirst(2))
    } else {
      guard let scheme = ["https://", "http://"].first(where: { rest.hasPrefix($0) }) else {
        return nil
      }
      parts = AddressText.split(rest.dropFirst(scheme.count))
      guard let host = parts.first, AddressText.isHost(host) else { return nil }
      endpoint = scheme + host.lowercased()
      parts.removeFirst()
    }
    guard let bucket = parts.first, Self.isBucket(bucket),
      parts.dropFirst().allSatisfy({ AddressText.isName($0) })
    else { return nil }
    name = String(bucket)
    prefix = parts.dropFirst().map { $0 + "/" }.joined()
    self.text =
      "s3:" + (endpoint.map { "\($0)/" } ?? "//") + parts.joined(separator: "/")
    self.settings = settings.s3
  }

  static func mistake(in text: String) -> String? {
    guard text.hasPrefix("s3:") else { return nil }
    let rest = text.dropFirst(3)
    let scheme = ["https://", "http://", "//"].first { rest.hasPrefix($0) }
    guard let scheme else { return "After s3: comes https://, http:// or //." }
    var parts = AddressText.split(rest.dropFirst(scheme.count))
    if scheme != "//" {
      guard let host = parts.first, AddressText.isHost(host) else {
        return "\(parts.first ?? "") is not a host."
      }
      parts.removeFirst()
    }
    guard let bucket = parts.first else { return "It names no bucket." }
    guard isBucket(bucket) else {
      return "\(bucket) is not the name of a bucket: those have 3 to 63 lowercase letters, digits, "
        + "dots and hyphens."
    }
    return parts.dropFirst().first { !AddressText.isName($0) }.map {
      "\($0) can't be part of a prefix."
    }
  }

  private static func isBucket(_ text: Substring) -> Bool {
    (3...63).contains(text.utf8.count) && ObjectKey.isComponent(text.utf8)
      && !text.utf8.contains(UInt8(ascii: "_"))
  }

  // MARK: StoreKind

  var folder: String? { nil }

  var bucket: BucketPlace? { BucketPlace(name: name, prefix: prefix) }

  var whole: String { text }

  var isReadOnly: Bool { false }

  private var address: S3Address {
    let isVirtual = settings.style.map { $0 == .virtual } ?? (endpoint == nil)
    let endpoint = endpoint ?? "https://s3.\(settings.region).amazonaws.com"
    let cut = endpoint.hasPrefix("https://") ? 8 : 7
    let host = String(endpoint.dropFirst(cut))
    return S3Address(
      scheme: String(endpoint.prefix(cut)), host: isVirtual ? "\(name).\(host)" : host,
      path: isVirtual ? "" : "/\(name)", bucket: name, prefix: prefix)
  }

  private func store(mark: ObjectKey? = nil) -> S3Store {
    S3Store(S3Connection(address, settings), location: text, mark: mark)
  }

  /// A Boolean value that indicates whether the bucket answers.
  var isThere: Bool {
    do throws(StoreError) {
      _ = try store().list("", after: nil, limit: 1)
      return true
    } catch { return false }
  }

  /// Does not create the bucket: its payer does.
  func make() throws(StoreError) { _ = try store().list("", after: nil, limit: 1) }

  func open(isReadOnly: Bool, mark: ObjectKey?) -> any ObjectStore { store(mark: mark) }

  func probe() throws(StoreError) -> StoreTraits {
    let store = store()
    let engine = try store.engine()
    var excuse: String?
    do throws(StoreError) {
      try S3Store.refusePretenders(engine)
      try StoreProbe.check(store, writers: 16, keys: 40)
    } catch {
      guard error.code == .unsupported else { throw error }
      excuse = error.cause
    }
    return StoreTraits(
      findings: [
        StoreTraits.Finding(
          "put-if-absent", works: excuse == nil,
          note: excuse ?? "of 16 writers who raced for each of 40 keys one won, and kept it")
      ],
      allowsManyWriters: excuse == nil, isDurable: true, notifies: false,
      fileSystem: engine.isEmpty ? "s3" : "s3 (\(engine))")
  }

  func look() throws(StoreError) -> (fileSystem: String, notifies: Bool) {
    let engine = try store().engine()
    return (engine.isEmpty ? "s3" : "s3 (\(engine))", false)
  }

  func clock() -> Int64? {
    do throws(StoreError) { return try store().serverTime() } catch { return nil }
  }
}

/// The destination of requests for a bucket.
struct S3Address: Sendable {
  /// `https://` or `http://`.
  var scheme: String
  /// The host, with its port.
  var host: String
  /// The path before the keys: empty, or a slash and the bucket.
  var path: String
  /// The bucket's name, for people.
  var bucket: String
  /// The prefix of all keys.
  var prefix: String
}
