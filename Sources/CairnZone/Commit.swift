/// A chunk that a commit adds to the zone. `CairnReplica` handles the place and key of its bytes,
/// which are opaque here.
public struct ChunkEntry: Hashable, Sendable {
  /// The digest of the plaintext.
  public var name: ChunkName
  /// The number of plaintext bytes.
  public var size: UInt32
  /// Pack, offset, key, compression or the inline bytes, encoded by `CairnReplica`.
  public var place: [UInt8]
  /// The pack that `place` names; nil if the bytes are in the commit itself.
  public var pack: PackStamp?
  /// A Boolean value that indicates whether the zone already has the chunk, and it moves to
  /// `place`, because the owner repacked it.
  public var isAgain: Bool
  /// The chunk with which this one begins; nil in the state of a zone. Its pack is this one's, too,
  /// and `place` is what follows its place.
  public var after: ChunkName?

  /// The maximum number of bytes of a place that follows another one, together with that one.
  public static let longestPlace = 128 << 10
  /// The maximum number of chunks after others in a commit.
  public static let mostAfter = 64
  /// The maximum number of plaintext bytes in a chunk.
  public static let maximumSize: UInt64 = 1 << 20

  /// Creates an entry.
  public init(
    name: ChunkName, size: UInt32, place: [UInt8], pack: PackStamp? = nil, isAgain: Bool = false,
    after: ChunkName? = nil
  ) {
    self.name = name
    self.size = size
    self.place = place
    self.pack = pack
    self.isAgain = isAgain
    self.after = after
  }
}

/// The first commit's facts about its zone.
public struct Genesis: Hashable, Sendable {
  /// The owner of the zone; must be the commit's author.
  public var owner: UserID
  /// The zone's name, for people and for the API.
  public var name: String
  /// The location of its creation; nil: the container's first location.
  public var site: SiteID?

  /// Creates the facts.
  public init(owner: UserID, name: String, site: SiteID? = nil) {
    self.owner = owner
    self.name = name
    self.site = site
  }
}

/// The position of a reader in a person's identity chain. Readers who were shown different chains
/// notice it by this value.
public struct ChainHead: Hashable, Sendable {
  /// The number of entries.
  public var length: UInt64
  /// The digest of the last entry.
  public var head: Bytes32

  /// Creates a position.
  public init(length: UInt64, head: Bytes32) {
    self.length = length
    self.head = head
  }
}

/// The note that a commit reverts records, together with other commits. It decides nothing about
/// the commit.
public struct ReversalNote: Hashable, Sendable {
  /// The kinds of requests.
  public enum Kind: UInt32, Hashable, Sendable {
    /// Bring back the earlier state of a path.
    case restore = 1
    /// Revert later changes.
    case rewind = 2
  }

  /// The kind of request.
  public var kind: Kind
  /// The position of the log to go back to.
  public var place: UInt64
  /// The position of the first commit of the act, which identifies it; 0: this is the first.
  public var first: UInt64
  /// A Boolean value that indicates whether this is the last commit of the act. An act without an
  /// end was interrupted.
  public var ends: Bool

  /// Creates a note.
  public init(kind: Kind, place: UInt64, first: UInt64 = 0, ends: Bool = false) {
    self.kind = kind
    self.place = place
    self.first = first
    self.ends = ends
  }
}

/// An atomic batch of changes to one zone, opened and with a verified signature.
public struct Commit: Hashable, Sendable {
  /// The digest of the stored entry before this one; zeros for the first.
  public var previous: Bytes32
  /// The signer.
  public var author: Author
  /// The author's clock in nanoseconds since 1970, only for display.
  public let time: Int64
  /// The facts about the zone; in the first commit only.
  public var genesis: Genesis?
  /// The key epoch of the entry's seal: the one in force, and 1 for the first.
  public var epoch: UInt64
  /// A digest of the next epoch's key, which the entry carries for every member. That epoch is in
  /// force from the next entry on. Nil: the epoch stays.
  public var nextKey: Bytes32?
  /// The chunks that this commit and later ones may refer to.
  public var chunks: [ChunkEntry]
  /// The changes to records, in any order: the state after all of them must be valid.
  public var records: [RecordChange]
  /// The changes to the share, applied in this order before the changes to records.
  public var share: [ShareChange]
  /// The run of the program that wrote the commit. By it a device recognizes commits with its own
  /// signature that it did not write. It decides nothing about the commit.
  public var run: Bytes16?
  /// The author's chain as the author's device has read it. It decides nothing about the commit.
  public var chain: ChainHead?
  /// The encryption keys of members in this commit: the author's own, and those of people that it
  /// lets in. The keys of later epochs are sealed to them.
  public var keys: [UserID: Bytes32]
  /// In a public zone, a digest of the name of the next position. So everybody finds its entry, and
  /// only the author can put an entry there.
  public var lock: Bytes32?
  /// The act of reverting that this commit is a part of; nil: none.
  public let reversal: ReversalNote?

  /// Creates a commit.
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
