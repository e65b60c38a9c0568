public import CairnZone

/// What has to happen so that remote, local and synced become equal at some records: steps out of
/// the planner, to be carried out by the engine. Knows no files and no zones, only ids.
///
/// The engine's part: if there are identity steps, it carries out those and nothing else, and plans
/// again. Otherwise it carries out the folder steps in their order, then commits the zone's groups
/// in their order and folds those commits, then records `agreed`. A step that fails leaves its
/// record dirty and spoils at most the steps that need it; every prefix of a plan is safe.
public struct Plan: Hashable, Sendable {
  /// Bookkeeping to be done before everything else; if there is any, the other lists are empty.
  public var identity: [IdentityStep] = []
  /// What brings the folder from local to the target, in an order in which each step can be done.
  public var folder: [FolderStep] = []
  /// What brings the zone from remote to the target: groups of changes, each group valid as a
  /// commit of its own after the groups before it. Consecutive groups may share a commit.
  public var zone: [[ZoneChange]] = []
  /// Records of which, after all steps, local equals remote: synced becomes remote (and is dropped
  /// where remote is nil), provided that each step of the record did succeed.
  public var agreed: [RecordID] = []
  /// Those of `agreed` that the folder doesn't have, or loses by this plan, because this device
  /// doesn't want them (`Trees.isWanted`): their synced node is dropped.
  public var unwanted: Set<RecordID> = []
  /// Records that are left alone for now, and why.
  public var deferred: [RecordID: Deferral] = [:]

  /// A plan of nothing.
  public init() {}

  /// Whether nothing is left to do, not even to record an agreement.
  public var isEmpty: Bool {
    identity.isEmpty && folder.isEmpty && zone.isEmpty && agreed.isEmpty
  }
}

/// Why a record has to wait. It stays dirty.
public enum Deferral: Hashable, Sendable {
  /// The local file changed and its bytes haven't been read yet.
  case unread
  /// A step of this record needs another one out of its way, or in its place, that waits itself.
  case blocked(by: RecordID)
  /// It was deleted in the folder, together with so much that the person has to say that they
  /// meant it.
  case held
}

/// A correction of which local node is which record, and renames of local nodes within their
/// directory. A node that gets a new id may be a directory: in the places of all nodes that are in
/// it on disk, local *and* synced ones, the engine then puts the new id in the place of the old
/// one. It leaves the synced places of nodes that aren't there any more as they are.
public enum IdentityStep: Hashable, Sendable {
  /// The node `local` is the record `remote`, which has no local node: equal bytes, an older
  /// version, or two directories at one place. `local`'s node becomes `remote`'s; the synced node
  /// of `remote`, if there is one, stays. If `local` is a record, for which an old index took the
  /// node, it loses its synced node, and is dirty.
  case adopt(local: RecordID, remote: RecordID)
  /// The unrecorded file `local` is the record as it once was, which the zone deleted or has
  /// elsewhere by now, while another record has the name. `local`'s node becomes the record's, and
  /// its synced node, too: here nothing was changed since.
  case recall(local: RecordID, as: RecordID)
  /// The local node goes on as a new, unrecorded node `fresh`, at the same place on disk: its
  /// record was deleted in the zone while it was changed here, or is of another kind. The old id
  /// keeps its synced node, and both ids are dirty.
  case detach(RecordID, fresh: RecordID)
  /// A conflict of contents: the local node is renamed to a conflict name (see `ConflictLabel`) in
  /// its directory and goes on as the new, unrecorded node `fresh`. The old id loses its local and
  /// its synced node, and both ids are dirty.
  case setAside(RecordID, fresh: RecordID)
  /// A conflict of contents whose bytes stand in a conflict copy already: another one would tell
  /// nobody anything; or an earlier version that came back. The local node becomes what both agreed
  /// on, so the zone's takes its place.
  case giveWay(RecordID)
  /// A conflict of names: the local node keeps its id and is renamed to a conflict name in its
  /// directory, because the zone has another record under its name. A parked node goes to the
  /// mount's root. The name must be free in the folder and in the remote tree.
  case renameAside(RecordID)
  /// The local file or symlink goes to the rescue folder. The id loses its local and its synced
  /// node, and is dirty if the zone has the record.
  case rescue(RecordID, RescueCause)
}

/// Why a local version is neither sent nor left where it is.
public enum RescueCause: Hashable, Sendable {
  /// Its person may not write there.
  case permission
  /// It is what a record was that others deleted, and no index knows that it was put back.
  case deletion
  /// It is what a stop of the machine left of a file; see `Trees.isDamaged`.
  case damage
  /// It is there again by a stop of the machine; see `Trees.cameBack`.
  case cameBack
}

/// One step in the folder. `expected` is what the planner saw; if the disk shows something else by
/// now, the step fails. Its place is where the node stands when the step's turn comes. Parents are
/// named by their ids, wherever they stand at that moment.
public enum FolderStep: Hashable, Sendable {
  /// Makes a directory; the name is free by then.
  case makeDirectory(RecordID, Place)
  /// Brings a file or symlink that isn't there yet; the name is free by then.
  case install(RecordID, Node)
  /// New bytes or a new symlink target in place, with the attributes of `with`.
  case replace(RecordID, expected: Node, with: Node)
  /// New attributes and nothing else.
  case setAttributes(RecordID, expected: Node, Attributes)
  /// Another directory or name; the name is free by then. `from` is in `RecordID.parked` if the
  /// node is parked.
  case move(RecordID, from: Place, to: Place)
  /// Out of the way of a step that needs the node's name, or needs its directory empty, until a
  /// later `move`. From then on the local node's place is its old name in `RecordID.parked`.
  case park(RecordID, from: Place)
  /// Takes the node away; a directory only if it's empty, as it is by then.
  case remove(RecordID, expected: Node)

  /// The record that the step is about.
  public var id: RecordID {
    switch self {
    case .makeDirectory(let id, _), .install(let id, _), .replace(let id, _, _),
      .setAttributes(let id, _, _), .move(let id, _, _), .park(let id, _), .remove(let id, _):
      id
    }
  }
}

/// One change to one record of the zone, as the planner knows it: a `RecordChange` of CairnZone
/// before the engine has filled in the chunks of the content. Aspects that are nil stay.
public struct ZoneChange: Hashable, Sendable {
  /// Which record.
  public var id: RecordID
  /// Create, update or delete.
  public var act: RecordChange.Act
  /// The new directory and name.
  public var place: Place?
  /// The new bytes of a file, which are those of the local file `id`.
  public var content: ContentID?
  /// The new target of a symlink.
  public var target: [UInt8]?
  /// The new executable bit and time.
  public var attributes: Attributes?
  /// Of a deletion: where the folder showed it last. The change is to be made only if another look
  /// finds nothing there; nil if its node stands in the folder and goes by a step of this plan, or
  /// never stood there.
  public var goneFrom: Place?

  /// Joins all parts.
  public init(
    id: RecordID, act: RecordChange.Act, place: Place? = nil, content: ContentID? = nil,
    target: [UInt8]? = nil, attributes: Attributes? = nil, goneFrom: Place? = nil
  ) {
    self.id = id
    self.act = act
    self.place = place
    self.content = content
    self.target = target
    self.attributes = attributes
    self.goneFrom = goneFrom
  }
}

extension RecordID {
  /// The directory, outside of the mirrored tree, where parked nodes stand: reserved, never a
  /// record's id.
  public static let parked = RecordID(Bytes16(high: .max, low: .max))
}
