/// The result of a `put`.
public enum PutOutcome: Sendable, Equatable {
  /// The object was not there before and is durable now.
  case stored
  /// An object already exists under this key. It was not touched.
  case exists
}

/// The results of one batch of concurrent requests.
public struct Looks: Sendable {
  /// The object under each key, in their order; nil if there is none.
  public var objects: [Result<[UInt8]?, StoreError>]
  /// The first keys of each folder, in their order.
  public var names: [Result<[ObjectKey], StoreError>]

  /// Creates the results.
  public init(
    objects: [Result<[UInt8]?, StoreError>], names: [Result<[ObjectKey], StoreError>]
  ) {
    (self.objects, self.names) = (objects, names)
  }
}

/// Immutable objects under keys. A store must not know zones, encryption keys, or the meaning of
/// the bytes. Calls block; call them from a thread of your own.
public protocol ObjectStore: Sendable {
  /// Stores the object if its key is free. The put is atomic among all writers, never visible
  /// half-written, and durable when the result is `.stored`. After an error the object may
  /// nevertheless be stored: read it and compare.
  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome

  /// Returns the whole object; nil if it does not exist.
  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]?

  /// Returns a range of bytes of the object; fewer, or none, if the object ends earlier; nil if it
  /// does not exist. The range must not begin below 0.
  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]?

  /// Returns the result of `get(_:range:)` for each key, in their order. The requests run
  /// concurrently in any order, as many at a time as this store benefits from.
  func get(each keys: [ObjectKey], range: Range<Int>) -> [Result<[UInt8]?, StoreError>]

  /// Gets objects and, in the same batch, the first keys of each folder, like
  /// `list(_:after:limit:)`.
  func look(
    at keys: [ObjectKey], range: Range<Int>, in folders: [String], limit: Int
  ) -> Looks

  /// The number of useful concurrent requests; 1 for immediate answers. There is no default: a
  /// wrapping store that forgot to forward it would send requests one by one.
  var flight: Int { get }

  /// Returns the size in bytes; nil if the object does not exist.
  func size(of key: ObjectKey) throws(StoreError) -> Int?

  /// Lists at most `limit` keys with the prefix `prefix` (end it with "/" for a folder), in byte
  /// order, after `after`. Includes subfolders. Objects that others put meanwhile may be missing.
  func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey]

  /// Lists the objects of `list` with their sizes and versions. The version shows whether an object
  /// was deleted and replaced under the same name.
  func listed(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ListedObject]

  /// Lists the names of the folders directly in the folder `prefix`, which ends with "/", in byte
  /// order, in one request.
  func folders(in prefix: String) throws(StoreError) -> [String]

  /// Returns the owner of the object for display, whatever kind of file is under the key; nil if it
  /// is unknown.
  func owner(of key: ObjectKey) -> String?

  /// Deletes the object. A missing object is no error.
  func delete(_ key: ObjectKey) throws(StoreError)

  /// Deletes the object if it still has these bytes; without bytes, if it is no object. Anything
  /// else stays. An object above `limit` bytes is identified by its first `limit + 1` bytes. Other
  /// objects are compared completely, because a store may once have returned only the beginning.
  func remove(_ key: ObjectKey, ifIts bytes: [UInt8]?, upTo limit: Int) throws(StoreError)

  /// Replaces a damaged object. Nothing else ever overwrites an object. The caller has proved that
  /// the stored bytes are not the bytes that were put.
  func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError)

  /// Creates the folder if it is missing, in stores where the creator of a folder can lock out all
  /// others. Other stores do nothing.
  func claim(_ folder: String) throws(StoreError)

  /// Describes an entry in the place of a folder in which this process can't put objects: what
  /// stands there, and whose it is. Nil if objects can be put there, or the folder is missing.
  func obstacle(at folder: String) throws(StoreError) -> String?

  /// Takes the obstacle of a folder away, and creates the folder. Objects in an obstacle stay
  /// beside it under another name.
  func reclaim(_ folder: String) throws(StoreError)

  /// Removes the remains of the folder `prefix` once it contains no objects.
  func prune(_ prefix: String) throws(StoreError)

  /// Calls `onHint` after new names may have appeared directly in the folder `prefix` ("" for the
  /// root) since this call returned. Check once after following. Hints are coalesced, may be
  /// needless, and may be lost: a lost hint costs time, never correctness. The folder may be
  /// missing. `onHint` runs on a thread of the store and must return quickly. A store that cannot
  /// notify returns `.silent`; then the follower polls by itself.
  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription

  /// Sets the topic of a folder: followers and writers of the folder know it, and change markers
  /// name the folder by it. For stores that poll for their followers; other stores do nothing.
  func agree(on tag: UInt32, for folder: String)

  /// The same store for the traffic of one part, which a person can pause separately. Stores
  /// without pauses return themselves.
  func part(_ name: String) -> any ObjectStore
}
