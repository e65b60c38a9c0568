/// What became of a `put`.
public enum PutOutcome: Sendable, Equatable {
  /// The object was not there before and is durable now.
  case stored
  /// An object stands under this key already. It was not touched.
  case exists
}

/// What was asked for in the same flights.
public struct Looks: Sendable {
  /// What stands under each key, in their order; nil if nothing does.
  public var objects: [Result<[UInt8]?, StoreError>]
  /// The first keys of each folder, in their order.
  public var names: [Result<[ObjectKey], StoreError>]

  /// Joins the two.
  public init(
    objects: [Result<[UInt8]?, StoreError>], names: [Result<[ObjectKey], StoreError>]
  ) {
    (self.objects, self.names) = (objects, names)
  }
}

/// Immutable objects under keys. A store must not know zones, keys of encryption, or what the bytes
/// mean. Calls block; call them from a thread of your own.
public protocol ObjectStore: Sendable {
  /// Stores the object if nothing stands under the key: atomic among all writers, never visible
  /// half-written, and durable when the answer is `.stored`. After an error the object may
  /// nevertheless be there: read the slot and compare.
  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome

  /// The whole object; nil if it is not there.
  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]?

  /// A part of the object, in bytes from its beginning; shorter, or empty, where the object ends
  /// earlier; nil if it is not there. The range must not begin below 0.
  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]?

  /// What `get(_:range:)` says of each of several objects, in their order, asked for in flights:
  /// in no certain order, and as many at the same time as this store gains by.
  func get(each keys: [ObjectKey], range: Range<Int>) -> [Result<[UInt8]?, StoreError>]

  /// The same, and in the same flights what `list(_:after:limit:)` says of the beginning of each of
  /// these folders.
  func look(
    at keys: [ObjectKey], range: Range<Int>, in folders: [String], limit: Int
  ) -> Looks

  /// How many objects are worth asking for at the same time; 1 where answers come at once. There is
  /// no default: a store in front of another one that forgot to pass this on would ask one by one.
  var flight: Int { get }

  /// The size in bytes; nil if the object is not there.
  func size(of key: ObjectKey) throws(StoreError) -> Int?

  /// At most `limit` keys that begin with the characters of `prefix` (end it with "/" to mean a
  /// folder), in byte order, beginning behind `after`. Goes into folders. Objects that others put
  /// meanwhile may be missing.
  func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey]

  /// The objects that `list` gives, with their sizes and versions: a name says nothing of what
  /// stands under it once that was deleted and something else put there.
  func listed(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ListedObject]

  /// The names of the folders directly in the folder `prefix`, which ends with "/", in byte order:
  /// one look, whatever they hold.
  func folders(in prefix: String) throws(StoreError) -> [String]

  /// Whose object it is, for people, whatever kind of thing stands under the key; nil if that can't
  /// be told.
  func owner(of key: ObjectKey) -> String?

  /// Removes the object. That it is not there is fine.
  func delete(_ key: ObjectKey) throws(StoreError)

  /// Removes what stands under the key if it still is these bytes, or without bytes, if it is no
  /// object; anything else stays. An object of more than `limit` bytes is known by its first
  /// `limit + 1`; of any other all are compared, since what a store gave in part once is the
  /// beginning of what stands there.
  func remove(_ key: ObjectKey, ifIts bytes: [UInt8]?, upTo limit: Int) throws(StoreError)

  /// Stores the object in the place of one that is damaged: the only way in which anything is ever
  /// overwritten. Whoever calls has proved that what stands there isn't what was put there.
  func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError)

  /// Makes the folder, if it isn't there, in a store where a folder belongs to whoever makes it
  /// first, who could keep all others out; elsewhere nothing.
  func claim(_ folder: String) throws(StoreError)

  /// Removes what a store may keep of the folder `prefix` when no object stands in it any more.
  func prune(_ prefix: String) throws(StoreError)

  /// Hints that something directly in the folder `prefix` ("" for the root) may have appeared
  /// since this call returned; look once after following. Hints are coalesced, may come without
  /// need, and may be lost: a lost hint costs time, never correctness. The folder need not be there
  /// yet. `onHint` runs on a thread of the store and must return quickly. A store that can't notify
  /// answers `.silent`; who follows it looks by itself.
  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription

  /// Who follows a folder, and who writes in it, have agreed on a tag by which bells may name it to
  /// them, and to nobody else. For a store that asks for its followers; elsewhere nothing.
  func agree(on tag: UInt32, for folder: String)

  /// The same store for the traffic of one part of what is in it, which its person can pause by
  /// itself. Where nobody can, it is this one.
  func part(_ name: String) -> any ObjectStore
}
