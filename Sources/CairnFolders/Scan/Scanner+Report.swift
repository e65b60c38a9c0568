import CairnPlan
import CairnZone

extension Scanner {
  /// The rules for the file of a single-file mount.
  struct SingleFile {
    /// A Boolean value that indicates whether it counts as deleted if it isn't in its directory.
    var takesDeletion = false
    /// Returns whether another file at its name is that file, rewritten; nil if nobody else knows.
    var isRewritten: ((FileStat) -> Bool)?
    /// The file that the mount around this one has to judge, and the time since then.
    var unjudged: (file: FileStat, since: Int64)?
  }

  /// The findings of a scan beside changes.
  struct Report {
    /// The number of names.
    var looked = 0
    /// Paths that couldn't be read, or aren't mirrored.
    var problems: [PathProblem] = []
    /// Directories that couldn't be read.
    var unreadable: Set<[UInt8]> = []
    /// Those of them with a reason that may end by itself.
    var unread: Set<[UInt8]> = []
    /// Paths with problems that were checked again.
    var revisited: Set<[UInt8]> = []
    /// A Boolean value that indicates whether directories have moved.
    var movedDirectories = false
    /// A Boolean value that indicates whether folders of other mounts were seen at new places.
    var strangers = false
    /// A Boolean value that indicates whether the ignored names may have changed.
    var ignoredChanged = false
    /// A Boolean value that indicates whether somebody created something.
    var madeNew = false
    /// A Boolean value that indicates whether the mount around this one must judge its file first.
    var isUnjudged = false
  }

  /// The looks of a scan, and its subject.
  struct Order {
    /// The parts of the folder to scan.
    var looks: [Look]
    /// A Boolean value that indicates whether it is the scan of the whole folder.
    var isEverything = false
  }

  /// The end of a stretch of a scan.
  struct Stretch {
    /// The number of new entries after which the scan may pause.
    var count: Int
    /// Returns whether nothing else prevents it.
    var mayEnd: () throws -> Bool
  }

  /// A scan between two stretches. All entries so far are in the index, and none of them is
  /// missing.
  struct Pause {
    var order: Order
    /// The remaining looks.
    var queue: [Look]
    var matcher: Matcher
    /// The findings so far.
    var report = Report()
  }

  /// The directories that a scan lists without being told.
  struct Listed {
    /// A Boolean value that indicates whether the scan lists every directory in the index.
    var isWhole = false
    /// The directories that turned up in the scan.
    var new: Set<RecordID> = []
  }
}
