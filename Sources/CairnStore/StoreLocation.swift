/// The location of a container: a line of text in cairn.conf, links and device codes. This is the
/// one place that opens stores. It must not know the work of the kinds of stores.
public struct StoreLocation: Hashable, Sendable, CustomStringConvertible {
  /// The kinds of stores. The first that accepts a text gets it.
  private static let kinds: [any StoreKind.Type] = [
    DirectoryLocation.self, S3Location.self, WebLocation.self,
  ]

  /// The text, in the canonical form of its kind of store.
  public let text: String
  private let kind: any StoreKind

  /// Reads the text.
  /// - Parameters:
  ///   - text: A line, from a person or a link.
  ///   - settings: Additional settings to open the store.
  public init?(_ text: String, _ settings: StoreSettings = StoreSettings()) {
    for known in Self.kinds {
      guard let kind = known.init(text, settings) else { continue }
      self.kind = kind
      self.text = kind.text
      return
    }
    return nil
  }

  /// Returns whether the text is meant for a kind of store that is not a folder, valid or not.
  public static func isAddress(_ text: String) -> Bool {
    ["s3:", "https:", "http:"].contains { text.hasPrefix($0) }
  }

  /// Returns the part of an invalid address that is wrong, as a sentence; nil if it is unknown.
  public static func mistake(in text: String) -> String? {
    kinds.lazy.compactMap { $0.mistake(in: text) }.first
  }

  /// Two locations are equal if their texts are.
  public static func == (one: StoreLocation, other: StoreLocation) -> Bool {
    one.text == other.text
  }

  /// See `==`.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// The text.
  public var description: String { text }

  /// The local folder that contains the whole store; nil if there is none. Nothing in it can be
  /// mirrored, and its disk can be full.
  public var folder: String? { kind.folder }

  /// The bucket of the store and its key prefix there; nil for a folder.
  public var bucket: BucketPlace? { kind.bucket }

  /// A Boolean value that indicates whether the store is read-only for everybody.
  public var isReadOnly: Bool { kind.isReadOnly }

  /// Returns whether one of the two locations is or contains the other.
  public func overlaps(_ other: StoreLocation) -> Bool {
    let (one, two) = (kind.whole + "/", other.kind.whole + "/")
    return one.hasPrefix(two) || two.hasPrefix(one)
  }

  /// A Boolean value that indicates whether the folder or bucket for a container exists.
  public var isThere: Bool { kind.isThere }

  /// Creates everything that a new container needs. Existing parts are fine.
  /// - Throws: `.denied` with the missing part.
  public func make() throws(StoreError) { try kind.make() }

  /// Opens the store, without sending a request.
  /// - Parameters:
  ///   - isReadOnly: Whether nothing may be written, not even to remove old temporary files.
  ///   - mark: An object that the store always contains. If it is missing, the store is not there.
  /// - Returns: the store.
  public func open(isReadOnly: Bool = false, mark: ObjectKey? = nil) -> any ObjectStore {
    kind.open(isReadOnly: isReadOnly, mark: mark)
  }

  /// Tests the features of the store.
  /// - Throws: the reason if it cannot be reached or written at all.
  /// - Returns: the findings.
  public func probe() throws(StoreError) -> StoreTraits { try kind.probe() }

  /// Inspects the store without writing.
  /// - Throws: the reason if it cannot be reached.
  /// - Returns: the name of its kind, and whether it notifies of others' changes.
  public func look() throws(StoreError) -> (fileSystem: String, notifies: Bool) {
    try kind.look()
  }

  /// The time of the store's own clock, in seconds since 1970; nil if it is unknown.
  public func clock() -> Int64? { kind.clock() }
}

/// Settings to open a store beside its location, which may be secret.
public struct StoreSettings: Sendable {
  /// The settings for buckets.
  public var s3: S3Settings

  /// Creates settings, with the usual defaults.
  public init(s3: S3Settings = S3Settings()) { self.s3 = s3 }
}

/// A place in a bucket.
public struct BucketPlace: Hashable, Sendable {
  /// The bucket's name.
  public let name: String
  /// The prefix of all keys: empty, or with a slash at its end.
  public let prefix: String

  /// Creates a place.
  public init(name: String, prefix: String) {
    self.name = name
    self.prefix = prefix
  }
}

/// A kind of store: the form of its locations, and its operations. A new kind is a type like
/// `DirectoryLocation`, a store and its probe, entered in `StoreLocation`, which documents the
/// members.
protocol StoreKind: Sendable {
  /// Reads a location; nil if the text belongs to another kind.
  init?(_ text: String, _ settings: StoreSettings)
  static func mistake(in text: String) -> String?

  var text: String { get }
  var folder: String? { get }
  var bucket: BucketPlace? { get }
  /// A Boolean value that indicates whether the store is read-only.
  var isReadOnly: Bool { get }
  /// The text without detours: equal for two texts with the same place, as far as known.
  var whole: String { get }
  var isThere: Bool { get }
  func make() throws(StoreError)
  func open(isReadOnly: Bool, mark: ObjectKey?) -> any ObjectStore
  func probe() throws(StoreError) -> StoreTraits
  func look() throws(StoreError) -> (fileSystem: String, notifies: Bool)
  func clock() -> Int64?
}

extension StoreKind {
  /// Returns nil: the kind has nothing to say about an invalid text.
  static func mistake(in text: String) -> String? { nil }
}
