public import CairnZone

/// The steps that make remote, local and synced equal at some records: from the planner, for the
/// engine. It has only ids, no files and no zones.
///
/// The engine's part: if there are identity steps, it applies only those, and plans again.
/// Otherwise it applies the folder steps in their order, then commits the zone's groups in their
/// order and replays those commits, then records `agreed`. A failed step leaves its record dirty
/// and affects at most the steps that need it; every prefix of a plan is safe.
public struct Plan: Hashable, Sendable {
  /// Changes of identity that come before everything else; if there are any, the other lists are
  /// empty.
  public var identity: [IdentityStep] = []
  /// The steps that bring the folder from local to the target, in an order in which each one can be
  /// applied.
  public var folder: [FolderStep] = []
  /// The changes that bring the zone from remote to the target: groups, each valid as a commit of
  /// its own after the groups before it. Consecutive groups may share a commit.
  public var zone: [[ZoneChange]] = []
  /// Records with equal local and remote nodes after all steps: synced becomes remote (and is
  /// deleted where remote is nil), provided that each step of the record succeeded.
  public var agreed: [RecordID] = []
  /// Those of `agreed` that the folder doesn't have, or loses by this plan, because this device
  /// doesn't want them (`Trees.isWanted`): their synced node is deleted.
  public var unwanted: Set<RecordID> = []
  /// Records that are left alone for now, with the reasons.
  public var deferred: [RecordID: Deferral] = [:]

  /// Creates an empty plan.
  public init() {}

  /// A Boolean value that indicates whether nothing is left to do, not even to record an agreement.
  public var isEmpty: Bool {
    identity.isEmpty && folder.isEmpty && zone.isEmpty && agreed.isEmpty
  }
}

/// The reason that a record has to wait. It stays dirty.
public enum Deferral: Hashable, Sendable {
  /// The local file changed, and its bytes were not read yet.
  case unread
  /// Its new bytes in the zone are still being fetched.
  case unfetched
  /// A step of this record needs another one out of its way, or in its place, that waits itself.
  case blocked(by: RecordID)
  /// It was deleted in the folder, together with so many others that the person must confirm it.
  case held
  /// The folder shows a version that is in a conflict copy already.
  case repeated
  /// The path of the directory, or of one in it, would be longer than the system allows.
  case tooLong
}

/// A correction of the record of a local node, or a rename of local nodes within their directory.
/// If a directory gets a new id, the engine also changes the parent of every node that is in it on
/// the disk, in the local *and* the synced tree. It doesn't change the synced places of nodes that
/// are gone.
public enum IdentityStep: Hashable, Sendable {
  /// The node `local` is the record `remote`, which has no local node: equal bytes, an older
  /// version, or two directories at one place. `local`'s node becomes `remote`'s; the synced node
  /// of `remote`, if there is one, stays. If `local` is a record, for which an old index took the
  /// node, it loses its synced node, and is dirty.
  case adopt(local: RecordID, remote: RecordID)
  /// The unrecorded file `local` is an earlier state of the record. The zone has deleted or moved
  /// the record, and another record has the name. `local`'s node becomes the record's, and its
  /// synced node, too: it was not changed here since.
  case recall(local: RecordID, as: RecordID)
  /// The local node becomes a new, unrecorded node `fresh` at the same place on the disk: its
  /// record was deleted in the zone while it was changed here, or has another kind. The old id
  /// keeps its synced node, and both ids are dirty.
  case detach(RecordID, fresh: RecordID)
  /// A conflict of contents: the local node gets a conflict name (see `ConflictLabel`) in its
  /// directory and becomes the new, unrecorded node `fresh`. The old id loses its local and its
  /// synced node, and both ids are dirty.
  case setAside(RecordID, fresh: RecordID)
  /// A conflict of contents whose bytes are in a conflict copy already, so that another copy would
  /// be useless; or an earlier version that came back. The local node becomes the agreed one, so
  /// that the zone's replaces it.
  case giveWay(RecordID)
  /// A conflict of names: the local node keeps its id and gets a conflict name in its directory,
  /// because the zone has another record with its name. A parked node goes to the mount's root. The
  /// name must be free in the folder and in the remote tree.
  case renameAside(RecordID)
  /// The local file or symbolic link goes to the rescue folder. The id loses its local and its
  /// synced node, and is dirty if the zone has the record.
  case rescue(RecordID, RescueCause)
}

/// The reason that a local version is neither sent nor left in its place.
public enum RescueCause: Hashable, Sendable {
  /// Its person may not write there.
  case permission
  /// It is the earlier state of a record that others deleted, and no index knows that it was put
  /// back.
  case deletion
  /// A stop of the machine damaged it; see `Trees.isDamaged`.
  case damage
  /// It came back by a stop of the machine; see `Trees.cameBack`.
  case cameBack
}

/// One step in the folder. `expected` is the state that the planner saw: if the disk differs when
/// the step is applied, the step isn't done. A place names its directory by id, so that an earlier
/// step may have moved that directory. Earlier steps free the names that a step takes.
public enum FolderStep: Hashable, Sendable {
  /// Creates a directory.
  case makeDirectory(RecordID, Place)
  /// Adds a file or symbolic link that isn't there yet.
  case install(RecordID, Node)
  /// Replaces the bytes or the target in place, with the attributes of `with`.
  case replace(RecordID, expected: Node, with: Node)
  /// Sets attributes and nothing else.
  case setAttributes(RecordID, expected: Node, Attributes)
  /// Changes the directory or the name. `from` is in `RecordID.parked` if the node is parked.
  case move(RecordID, from: Place, to: Place)
  /// Moves a node away until a later `move`, because another step needs its name, or its directory
  /// empty. From then on the local node's place is its old name in `RecordID.parked`.
  case park(RecordID, from: Place)
  /// Removes the node; a directory only if it is empty, as it is by then.
  case remove(RecordID, expected: Node)

  /// The record of the step.
  public var id: RecordID {
    switch self {
    case .makeDirectory(let id, _), .install(let id, _), .replace(let id, _, _),
      .setAttributes(let id, _, _), .move(let id, _, _), .park(let id, _), .remove(let id, _):
      id
    }
  }
}

/// One change to one record of the zone, as the planner has it: a `RecordChange` of CairnZone
/// before the engine adds the chunks of the content. Aspects that are nil stay.
public struct ZoneChange: Hashable, Sendable {
  /// The record.
  public var id: RecordID
  /// Create, update or delete.
  public var act: RecordChange.Act
  /// The new directory and name.
  public var place: Place?
  /// The new bytes of a file: those of the local file `id`.
  public var content: ContentID?
  /// The new target of a symbolic link.
  public var target: [UInt8]?
  /// The new executable bit and time.
  public var attributes: Attributes?
  /// The last place of a deleted node in the folder. The change is made only if another scan finds
  /// nothing there. Nil if its node is in the folder and is removed by a step of this plan, or
  /// never was there.
  public var goneFrom: Place?

  /// Creates a change.
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
  /// The directory of parked nodes outside of the mirrored tree: reserved, and never a record's id.
  public static let parked = RecordID(Bytes16(high: .max, low: .max))
}
