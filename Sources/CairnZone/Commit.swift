/// The person and the device that signed a commit.
public struct Author: Hashable, Sendable {
  /// The person.
  public var user: UserID
  /// The device whose key signed.
  public var device: DeviceID

  /// Joins the two.
  public init(user: UserID, device: DeviceID) {
    self.user = user
    self.device = device
  }
}

/// One change to one record. Aspects that are nil stay as they are.
public struct RecordChange: Hashable, Sendable {
  /// What happens to the record as a whole.
  public enum Act: Hashable, Sendable {
    /// A new record; the id must be unused or deleted.
    case create(RecordType)
    /// A change of an existing record.
    case update
    /// The record goes; a directory must be empty once the commit is applied.
    case delete
  }

  /// Which record.
  public var id: RecordID
  /// Create, update or delete.
  public var act: Act
  /// The new directory and name.
  public var place: Place?
  /// The new bytes of a file.
  public var content: Content?
  /// The new target of a symlink or reference.
  public var target: [UInt8]?
  /// The new executable bit and time.
  public var attributes: Attributes?
  /// New values of fields; `.some(nil)` removes a field.
  public var fields: [String: FieldValue?]

  /// Joins all parts.
  public init(
    id: RecordID, act: Act, place: Place? = nil, content: Content? = nil, target: [UInt8]? = nil,
    attributes: Attributes? = nil, fields: [String: FieldValue?] = [:]
  ) {
    self.id = id
    self.act = act
    self.place = place
    self.content = content
    self.target = target
    self.attributes = attributes
    self.fields = fields
  }
}

/// A chunk that a commit brings into the zone. Where its bytes are and the key to them are
/// `CairnCloud`'s business; here they are opaque.
public struct ChunkEntry: Hashable, Sendable {
  /// The digest of the plaintext.
  public var name: ChunkName
  /// The number of plaintext bytes.
  public var size: UInt32
  /// Pack, offset, key, compression or the inline bytes, as `CairnCloud` encoded them.
  public var place: [UInt8]
  /// The pack that `place` names; nil if the bytes stand in the commit itself.
  public var pack: PackStamp?
  /// Whether the zone has the chunk already, and it stands at `place` from here on: the owner has
  /// packed it anew.
  public var isAgain: Bool

  /// The most plaintext bytes that a chunk has.
  public static let maximumSize: UInt64 = 1 << 20

  /// Joins the parts.
  public init(
    name: ChunkName, size: UInt32, place: [UInt8], pack: PackStamp? = nil, isAgain: Bool = false
  ) {
    self.name = name
    self.size = size
    self.place = place
    self.pack = pack
    self.isAgain = isAgain
  }
}

/// What the first commit of a zone says about it.
public struct Genesis: Hashable, Sendable {
  /// The person who owns the zone; must be the commit's author.
  public var owner: UserID
  /// The zone's name, for people and for the API.
  public var name: String
  /// Where it is made; nil: where the container was made.
  public var site: SiteID?

  /// Joins the parts.
  public init(owner: UserID, name: String, site: SiteID? = nil) {
    self.owner = owner
    self.name = name
    self.site = site
  }
}

/// How far a person's chain of identity entries was read: by it readers who were shown different
/// pasts of a person notice.
public struct ChainHead: Hashable, Sendable {
  /// The number of entries.
  public var length: UInt64
  /// The digest of the last of them.
  public var head: Bytes32

  /// Joins the two.
  public init(length: UInt64, head: Bytes32) {
    self.length = length
    self.head = head
  }
}

/// That a commit takes records back to what they were, with others that were asked for together
/// with it. It decides nothing about the commit.
public struct ReversalNote: Hashable, Sendable {
  /// What was asked for.
  public enum Kind: UInt32, Hashable, Sendable {
    /// That what stood at a path comes back.
    case restore = 1
    /// That what was done since is taken back.
    case rewind = 2
  }

  /// What was asked for.
  public var kind: Kind
  /// The place of the log that is gone back to.
  public var place: UInt64
  /// The place of the first commit of the act, which names it; 0: this is the first.
  public var first: UInt64
  /// Whether no more belongs to the act: one that doesn't end was cut off.
  public var ends: Bool

  /// Joins the four.
  public init(kind: Kind, place: UInt64, first: UInt64 = 0, ends: Bool = false) {
    self.kind = kind
    self.place = place
    self.first = first
    self.ends = ends
  }
}

/// An atomic batch of changes to one zone, opened and with its signature checked.
public struct Commit: Hashable, Sendable {
  /// The digest of the stored entry before this one; zeros for the first.
  public var previous: Bytes32
  /// Who signed it.
  public var author: Author
  /// The author's clock in nanoseconds since 1970, to be shown and nothing else.
  public let time: Int64
  /// In the first commit only.
  public var genesis: Genesis?
  /// The key epoch that the entry was sealed under: the one in force, 1 for the first.
  public var epoch: UInt64
  /// A digest of the next epoch's key, which the entry carries for every member: from the next
  /// entry on, that epoch is in force. Nil: the epoch stays.
  public var nextKey: Bytes32?
  /// Chunks that later changes and this one may refer to.
  public var chunks: [ChunkEntry]
  /// Changes to records, in no particular order: the state after all of them is what must be valid.
  public var records: [RecordChange]
  /// Changes to the share, applied in their order before the changes to records.
  public var share: [ShareChange]
  /// Which run of a program wrote it: a device recognises by it what it didn't write itself. It
  /// decides nothing about the commit.
  public var run: Bytes16?
  /// The author's chain, as the author's device has read it. It decides nothing about the commit.
  public var chain: ChainHead?
  /// The encryption keys of members that come with the commit: the author's own, and those of
  /// people whom it lets in. To these the keys of later epochs are sealed.
  public var keys: [UserID: Bytes32]
  /// In a public zone: a digest of the name of the place behind this one, so that everybody finds
  /// what stands there, and nobody but the author can put anything there before.
  public var lock: Bytes32?
  /// The act of going back that it is a part of; nil: it is none.
  public let reversal: ReversalNote?

  /// Joins all parts.
  public init(
    previous: Bytes32, author: Author, time: Int64, genesis: Genesis? = nil, epoch: UInt64,
    nextKey: Bytes32? = nil, chunks: [ChunkEntry] = [], records: [RecordChange] = [],
    share: [ShareChange] = [], keys: [UserID: Bytes32] = [:], chain: ChainHead? = nil,
    run: Bytes16? = nil, lock: Bytes32? = nil, reversal: ReversalNote? = nil
  ) {
    self.previous = previous
    self.author = author
    self.time = time
    self.genesis = genesis
    self.epoch = epoch
    self.nextKey = nextKey
    self.chunks = chunks
    self.records = records
    self.share = share
    self.keys = keys
    self.chain = chain
    self.run = run
    self.lock = lock
    self.reversal = reversal
  }
}
