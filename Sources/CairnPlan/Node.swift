public import CairnZone

/// A file, directory or symlink in one of the three trees. Remote, local and synced nodes have the
/// same type, so that they can be compared aspect by aspect.
public struct Node: Hashable, Sendable {
  /// The kind of a node, with its contents.
  public enum Kind: Hashable, Sendable {
    /// A regular file. Nil: its bytes changed and haven't been read yet, or can't be right now.
    case file(ContentID?)
    /// A directory.
    case directory
    /// A symbolic link with its target.
    case symlink([UInt8])
  }

  /// The directory and name. The root of a mount isn't a node.
  public var place: Place
  /// The kind.
  public var kind: Kind
  /// The executable bit and time. Mode and extended attributes are nil if nobody gave the record
  /// any, or if this device doesn't apply them.
  public var attributes: Attributes

  /// Creates a node from its parts.
  public init(place: Place, kind: Kind, attributes: Attributes) {
    self.place = place
    self.kind = kind
    self.attributes = attributes
  }
}

extension Node {
  /// Returns the common state of both sides if they are equal in some aspects only: the base of the
  /// next merge. The aspects of a node that were sent are agreed on, although other ones must still
  /// come.
  /// - Parameters:
  ///   - other: The other side's node.
  ///   - synced: The last agreed state, which stays for all other aspects.
  /// - Returns: The new agreement.
  public func agreement(with other: Node, after synced: Node) -> Node {
    var common = synced
    if place == other.place { common.place = place }
    if kind == other.kind { common.kind = kind }
    if attributes.isExecutable == other.attributes.isExecutable {
      common.attributes.isExecutable = attributes.isExecutable
    }
    if attributes.modified == other.attributes.modified {
      common.attributes.modified = attributes.modified
    }
    if attributes.mode == other.attributes.mode { common.attributes.mode = attributes.mode }
    if attributes.extended == other.attributes.extended {
      common.attributes.extended = attributes.extended
    }
    return common
  }
}

/// The three trees, as the planner reads them: by record, not by path. Remote is the state in the
/// log, local the state on the disk, and synced the last state that both agreed on. Local nodes
/// without a commit have fresh ids of their own.
public protocol Trees {
  /// Returns the state of the record in the log.
  func remote(_ id: RecordID) throws -> Presence
  /// Returns the node that the last scan of the disk found; nil if there was none.
  func local(_ id: RecordID) throws -> Node?
  /// Returns the last agreed state; nil if there was none.
  func synced(_ id: RecordID) throws -> Node?
  /// Returns the record with that name in that directory of the remote tree.
  func remoteChild(_ place: Place) throws -> RecordID?
  /// Returns the node with that name in that directory of the local tree.
  func localChild(_ place: Place) throws -> RecordID?
  /// Returns all records in that directory of the remote tree.
  func remoteChildren(of parent: RecordID) throws -> [RecordID]
  /// Returns all nodes in that directory of the local tree.
  func localChildren(of parent: RecordID) throws -> [RecordID]
  /// Returns the directories in that directory of the local tree.
  func localDirectories(of parent: RecordID) throws -> [(id: RecordID, name: [UInt8])]
  /// Returns whether the new bytes of a file are still being fetched. Until they are here, its
  /// record waits, and so does a step that needs it.
  func isBeingFetched(_ id: RecordID) throws -> Bool
  /// Returns whether this device's person may change and delete the record; if not, local changes
  /// to it are kept as a conflict copy. For a record that the zone doesn't have: whether they may
  /// create one. A person who may not create any may not change any.
  func mayWrite(_ id: RecordID) throws -> Bool
  /// Returns whether the record once had that content: a local file with it is old, not edited.
  func isPastContent(_ content: ContentID, of id: RecordID) throws -> Bool
  /// Returns whether the record's last change was made by this very device, and in this very
  /// folder: a different local file is then a later edit, even if the index that would say so was
  /// lost.
  func isLastChangedHere(_ id: RecordID) throws -> Bool
  /// Returns whether this very device sent the record's present content from this very folder, in
  /// a commit that the index forgot, while the folder has lost nothing: a different file is a later
  /// edit. False for a merged text, which the folder need not have had.
  func isForgotten(_ id: RecordID) throws -> Bool
  /// Returns whether others, or a restore, may have brought the record back after this folder had
  /// lost it, in a commit that an older index doesn't know. Then a missing entry is no deletion,
  /// although the record is as agreed on.
  func mayBeUnfetched(_ id: RecordID) throws -> Bool
  /// A Boolean value that indicates whether the folder may be in an earlier state than the agreed
  /// one: it was never completely compared, a copy took its place, or a power cut took the last
  /// seconds of it, or of the index.
  var mayBeOlder: Bool { get }
  /// Returns the records that once were a file with exactly these bytes and this time, anywhere in
  /// this mount. Newly written bytes would have another time. Records that the mount never showed
  /// are left out, because no index of this folder ever knew them. If there are very many, only
  /// some are returned. Returns none if the folder was compared with the zone before, because then
  /// a person put the file there since.
  func formerRecords(of file: Node) throws -> [RecordID]
  /// Returns the records that were at that position of the remote tree and moved away, the last one
  /// first; none if the folder was compared with the zone before.
  func records(thatLeft place: Place) throws -> [RecordID]
  /// Returns whether another record was at that place of the remote tree before this one; false if
  /// the folder was compared with the zone before.
  func stood(at place: Place, otherThan id: RecordID) throws -> Bool
  /// Returns the directory that was the last one at that position of the remote tree, if it was
  /// deleted there; nil if the folder was compared with the zone before, because then a person
  /// created a new one.
  func directory(deletedFrom place: Place) throws -> RecordID?
  /// Returns the target of the symlink that was the last one at that position of the remote tree,
  /// if it was deleted there; nil if the folder was compared with the zone before.
  func symlink(deletedFrom place: Place) throws -> [UInt8]?
  /// Returns whether a person moved the local file there from the place of another record that the
  /// folder doesn't have any more: then its bytes are nowhere else, although they are the agreed
  /// ones.
  func cameFromElsewhere(_ id: RecordID) throws -> Bool
  /// Returns whether the deletion of the record in the folder waits for the person's confirmation
  /// (`DeletionBrake`); called only for records that the folder doesn't have any more.
  func isHeld(_ id: RecordID) throws -> Bool
  /// Returns whether the record is selected for the folder of this device. A deselected record is
  /// removed from the folder as soon as the zone has all its changes, and isn't deleted in the zone
  /// for that. A directory above a selected record is selected, too.
  func isWanted(_ id: RecordID) throws -> Bool
  /// Returns whether the changed file, whose bytes were not read, is damaged by a stop of the
  /// machine (`DamageRule`). The zone has its contents.
  func isDamaged(_ id: RecordID) throws -> Bool
  /// Returns whether the machine stopped while the daemon ran, and this very device had deleted the
  /// record in the zone, or given it other bytes than the node's: the stop made the folder show
  /// these again. It undid a person's change, or a move that was only half seen, and nobody knows
  /// which.
  func cameBack(_ id: RecordID, as node: Node) throws -> Bool
  /// The largest length of the path of a directory, from the mount's root on, with a separator
  /// before each name. Longer paths can't be opened on this device.
  var longestPath: Int { get }
  /// Returns whether this very version, with its time, already became a conflict copy because of
  /// the record. A file system that shows a rename late, or never, shows the version again.
  func wasSetAside(_ node: Node, for id: RecordID) throws -> Bool
}

extension Trees {
  /// The default: the folder is in its present state.
  public var mayBeOlder: Bool { false }

  /// The default: the index forgot nothing.
  public func isForgotten(_ id: RecordID) throws -> Bool { false }

  /// The default: the index knows everything that the folder had.
  public func mayBeUnfetched(_ id: RecordID) throws -> Bool { false }

  /// The default: those of the children that are directories.
  public func localDirectories(of parent: RecordID) throws -> [(id: RecordID, name: [UInt8])] {
    try localChildren(of: parent).compactMap { id in
      guard let node = try local(id), node.kind == .directory else { return nil }
      return (id, node.place.name.bytes)
    }
  }

  /// The default: paths have any length.
  public var longestPath: Int { .max }

  /// The default: nobody has moved anything.
  public func records(thatLeft place: Place) throws -> [RecordID] { [] }

  /// The default: each record has always had its place.
  public func stood(at place: Place, otherThan id: RecordID) throws -> Bool { false }

  /// The default: nobody has deleted a directory.
  public func directory(deletedFrom place: Place) throws -> RecordID? { nil }

  /// The default: nobody has deleted a symbolic link.
  public func symlink(deletedFrom place: Place) throws -> [UInt8]? { nil }

  /// The default: each file has always had its place.
  public func cameFromElsewhere(_ id: RecordID) throws -> Bool { false }

  /// The default: everything is selected.
  public func isWanted(_ id: RecordID) throws -> Bool { true }

  /// The default: no deletion waits.
  public func isHeld(_ id: RecordID) throws -> Bool { false }

  /// The default: the machine didn't stop.
  public func isDamaged(_ id: RecordID) throws -> Bool { false }

  /// The default: nothing became a conflict copy before.
  public func wasSetAside(_ node: Node, for id: RecordID) throws -> Bool { false }

  /// The default: the machine didn't stop.
  public func cameBack(_ id: RecordID, as node: Node) throws -> Bool { false }
}

extension Trees {
  /// Returns false: the bytes of all files are here.
  public func isBeingFetched(_ id: RecordID) -> Bool { false }
}
