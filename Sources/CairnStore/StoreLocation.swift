/// Where a container is kept: a line of text that cairn.conf, links and device codes carry, and the
/// one place where a store is opened. It must not know what the kinds of stores do.
public struct StoreLocation: Hashable, Sendable, CustomStringConvertible {
  /// The kinds of stores that there are. The first that knows a text has it.
  private static let kinds: [any StoreKind.Type] = [
    DirectoryLocation.self, S3Location.self, WebLocation.self,
  ]

  /// The text, in the one form that this kind of store has for it.
  public let text: String
  private let kind: any StoreKind

  /// Reads the text.
  /// - Parameters:
  ///   - text: A line, as a person or a link says it.
  ///   - settings: What else has to be known to open the store.
  public init?(_ text: String, _ settings: StoreSettings = StoreSettings()) {
    for known in Self.kinds {
      guard let kind = known.init(text, settings) else { continue }
      self.kind = kind
      self.text = kind.text
      return
    }
    return nil
  }

  /// Whether the text is meant for a kind of store that isn't a folder, right or wrong.
  public static func isAddress(_ text: String) -> Bool {
    ["s3:", "https:", "http:"].contains { text.hasPrefix($0) }
  }

  /// Two locations are equal if their texts are.
  public static func == (one: StoreLocation, other: StoreLocation) -> Bool {
    one.text == other.text
  }

  /// See `==`.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// The text.
  public var description: String { text }

  /// The folder of this machine that all of it stands in; nil where there is none. Nothing in it
  /// can be mirrored, and its disk can be full.
  public var folder: String? { kind.folder }

  /// The bucket that all of it stands in, and what its keys begin with there; nil for a folder.
  public var bucket: BucketPlace? { kind.bucket }

  /// Whether what is there can only be read, whoever asks.
  public var isReadOnly: Bool { kind.isReadOnly }

  /// Whether one of the two is the other, or stands in it.
  public func overlaps(_ other: StoreLocation) -> Bool {
    let (one, two) = (kind.whole + "/", other.kind.whole + "/")
    return one.hasPrefix(two) || two.hasPrefix(one)
  }

  /// Whether there is something in which a container may be.
  public var isThere: Bool { kind.isThere }

  /// Makes what a new container needs; what is there already is fine.
  /// - Throws: `.denied` with what is missing.
  public func make() throws(StoreError) { try kind.make() }

  /// Opens the store; nothing is asked of it yet.
  /// - Parameters:
  ///   - isReadOnly: Whether nothing at all may be written, not even to tidy up.
  ///   - mark: An object that the store always has; where it is missing, the store isn't there.
  /// - Returns: the store.
  public func open(isReadOnly: Bool = false, mark: ObjectKey? = nil) -> any ObjectStore {
    kind.open(isReadOnly: isReadOnly, mark: mark)
  }

  /// Tries what the store really offers.
  /// - Throws: why it can't be reached or written at all.
  /// - Returns: what was found.
  public func probe() throws(StoreError) -> StoreTraits { try kind.probe() }

  /// Looks what can be told of the store without writing anything.
  /// - Throws: why it can't be reached.
  /// - Returns: its kind, by name, and whether it notifies of what others write.
  public func look() throws(StoreError) -> (fileSystem: String, notifies: Bool) {
    try kind.look()
  }

  /// The time by the store's own clock, in seconds since 1970; nil where it can't be asked.
  public func clock() -> Int64? { kind.clock() }
}

/// What has to be known to open a store beside where it is: what isn't for everybody who may know
/// that.
public struct StoreSettings: Sendable {
  /// For buckets.
  public var s3: S3Settings

  /// Joins the parts; without any, the usual ones.
  public init(s3: S3Settings = S3Settings()) { self.s3 = s3 }
}

/// A place in a bucket.
public struct BucketPlace: Hashable, Sendable {
  /// The bucket's name.
  public let name: String
  /// What all keys begin with: nothing, or something that ends with a slash.
  public let prefix: String

  /// Joins the two.
  public init(name: String, prefix: String) {
    self.name = name
    self.prefix = prefix
  }
}

/// A kind of store: how its locations are written, and what can be done with one. Another kind is a
/// type like `DirectoryLocation`, a store, and what tries it, entered in `StoreLocation`. What its
/// members mean stands there.
protocol StoreKind: Sendable {
  /// Reads a location; nil if the text is none of this kind.
  init?(_ text: String, _ settings: StoreSettings)

  var text: String { get }
  var folder: String? { get }
  var bucket: BucketPlace? { get }
  /// Whether it stores nothing.
  var isReadOnly: Bool { get }
  /// The text without detours: of two that mean the same place it is the same, as far as known.
  var whole: String { get }
  var isThere: Bool { get }
  func make() throws(StoreError)
  func open(isReadOnly: Bool, mark: ObjectKey?) -> any ObjectStore
  func probe() throws(StoreError) -> StoreTraits
  func look() throws(StoreError) -> (fileSystem: String, notifies: Bool)
  func clock() -> Int64?
}
