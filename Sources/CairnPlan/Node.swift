public import CairnZone

/// A file, directory or symlink as one of the three trees sees it. The same type serves for remote,
/// local and synced, so that they can be compared aspect by aspect.
public struct Node: Hashable, Sendable {
  /// What it is, with the bytes it stands for.
  public enum Kind: Hashable, Sendable {
    /// A regular file. Nil: its bytes changed and haven't been read yet, or can't be right now.
    case file(ContentID?)
    /// A directory.
    case directory
    /// A symbolic link with its target.
    case symlink([UInt8])
  }

  /// Directory and name. The root of a mount isn't a node.
  public var place: Place
  /// What it is.
  public var kind: Kind
  /// Executable bit and time; zero for directories and symlinks.
  public var attributes: Attributes

  /// Joins the three.
  public init(place: Place, kind: Kind, attributes: Attributes) {
    self.place = place
    self.kind = kind
    self.attributes = attributes
  }
}

extension Node {
  /// What both sides have in common where they are equal in some aspects only: the base of the next
  /// merge. What was sent of a node is agreed on, though something else of it still has to come.
  /// - Parameters:
  ///   - other: The other side's node.
  ///   - synced: What both last agreed on, which stays for all else.
  /// - Returns: the new agreement.
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
    return common
  }
}

/// The three trees, as the planner asks about them: by record, not by path. Remote is what the log
/// says, local what the disk shows, synced what both last agreed on. Local nodes that no commit
/// knows yet have fresh ids of their own.
public protocol Trees {
  /// The record as the log says it is.
  func remote(_ id: RecordID) throws -> Presence
  /// The node as the last look at the disk found it; nil if it isn't there.
  func local(_ id: RecordID) throws -> Node?
  /// What both sides last agreed on; nil if they never did.
  func synced(_ id: RecordID) throws -> Node?
  /// The record with that name in that directory of the remote tree.
  func remoteChild(_ place: Place) throws -> RecordID?
  /// The node with that name in that directory of the local tree.
  func localChild(_ place: Place) throws -> RecordID?
  /// All records in that directory of the remote tree.
  func remoteChildren(of parent: RecordID) throws -> [RecordID]
  /// All nodes in that directory of the local tree.
  func localChildren(of parent: RecordID) throws -> [RecordID]
  /// Whether this device's person may change and delete the record; if not, local changes to it are
  /// set aside. For a record that the zone doesn't have: whether they may create one. Who may not
  /// create any may not change any.
  func mayWrite(_ id: RecordID) throws -> Bool
  /// Whether the record once had that content: a local file with it is old, not edited.
  func isPastContent(_ content: ContentID, of id: RecordID) throws -> Bool
  /// Whether the record's last change was made by this very device, and in this very folder: a
  /// different local file is then a later edit, even if the index that would say so was lost.
  func isLastChangedHere(_ id: RecordID) throws -> Bool
  /// Whether the folder may be of an earlier time than what was agreed on: nothing was ever all
  /// compared, a copy took its place, or a power cut took the last seconds of it, or of the index.
  var mayBeOlder: Bool { get }
  /// The records that once were a file with exactly these bytes and this time, wherever they stood
  /// in this mount: whoever wrote anew would have left another time. A record that the mount never
  /// showed isn't one of them, because no index of this folder ever knew it. Some of them, if there
  /// are very many; none where the folder was compared with the zone before: then a person put the
  /// file there since.
  func formerRecords(of file: Node) throws -> [RecordID]
  /// The records that stood at that place of the remote tree and were moved away, the last one
  /// first; none where the folder was compared with the zone before.
  func records(thatLeft place: Place) throws -> [RecordID]
  /// Whether another record stood at that place of the remote tree before this one did; false where
  /// the folder was compared with the zone before.
  func stood(at place: Place, otherThan id: RecordID) throws -> Bool
  /// The directory that was the last to stand at that place of the remote tree, if it was deleted
  /// there; nil where the folder was compared with the zone before: then a person made one anew.
  func directory(deletedFrom place: Place) throws -> RecordID?
  /// The target of the symlink that was the last to stand at that place of the remote tree, if it
  /// was deleted there; nil where the folder was compared with the zone before.
  func symlink(deletedFrom place: Place) throws -> [UInt8]?
  /// Whether the local file was put there by its person from where another record stood, which the
  /// folder doesn't have any more: then its bytes are nowhere else, though they are those that were
  /// agreed on.
  func cameFromElsewhere(_ id: RecordID) throws -> Bool
  /// Whether the deletion of the record in the folder waits for a word of the person
  /// (`DeletionBrake`); asked of records only that the folder doesn't have any more.
  func isHeld(_ id: RecordID) throws -> Bool
  /// Whether this device wants the record in its folder. What it doesn't want goes from there as
  /// soon as the zone has all that was changed of it, and isn't deleted in the zone for that. A
  /// directory with something below it that is wanted is wanted, too.
  func isWanted(_ id: RecordID) throws -> Bool
  /// Whether the changed file, whose bytes weren't read, is what a stop of the machine left of it
  /// (`DamageRule`): what it was is in the zone.
  func isDamaged(_ id: RecordID) throws -> Bool
  /// Whether the machine stopped under the daemon, and this very device had deleted the record in
  /// the zone, or given it other bytes than those of the node: that the folder shows these all the
  /// same is the stop's doing. It undid what a person did, or a move of which only one half had
  /// been seen, and nobody knows which.
  func cameBack(_ id: RecordID, as node: Node) throws -> Bool
}

extension Trees {
  /// Where nothing else is said, the folder is what it was.
  public var mayBeOlder: Bool { false }

  /// Where nothing else is said, nobody has moved anything.
  public func records(thatLeft place: Place) throws -> [RecordID] { [] }

  /// Where nothing else is said, each record stands where it always stood.
  public func stood(at place: Place, otherThan id: RecordID) throws -> Bool { false }

  /// Where nothing else is said, nobody has deleted a directory.
  public func directory(deletedFrom place: Place) throws -> RecordID? { nil }

  /// Where nothing else is said, nobody has deleted a symlink.
  public func symlink(deletedFrom place: Place) throws -> [UInt8]? { nil }

  /// Where nothing else is said, each file stands where it stood.
  public func cameFromElsewhere(_ id: RecordID) throws -> Bool { false }

  /// Where nothing else is said, a device wants everything.
  public func isWanted(_ id: RecordID) throws -> Bool { true }

  /// Where nothing else is said, no deletion waits.
  public func isHeld(_ id: RecordID) throws -> Bool { false }

  /// Where nothing else is said, the machine didn't stop.
  public func isDamaged(_ id: RecordID) throws -> Bool { false }

  /// Where nothing else is said, the machine didn't stop.
  public func cameBack(_ id: RecordID, as node: Node) throws -> Bool { false }
}
