import CairnControl
import CairnFolders
import CairnZone

/// The state of a mount, readable from other threads during its work.
struct MountSnapshot: Sendable {
  /// The reports of cairn-watch about the folder.
  struct Watching: Sendable {
    private(set) var directories = 0
    /// A Boolean value that indicates whether the folder is watched, except the refused parts.
    private var isReady = false
    /// The paths of unwatched directories in the mount; everything below is unwatched, too.
    private var refused: Set<[UInt8]> = []
    private var reason: String?
    /// The time between two scans of the unwatched parts, in nanoseconds; nil if everything is
    /// watched.
    var scanEvery: Int64?

    /// Creates the state of a folder that is not watched, with the reason if it is known.
    init(note: String? = nil) { reason = note }

    /// Creates the state of a folder with so many directories, which are all watched.
    init(directories: Int) {
      self.directories = directories
      isReady = true
    }

    /// The number of unwatched directories; 0 also if nothing is watched.
    var unwatched: Int { refused.count }

    /// A Boolean value that indicates whether all of the folder is watched.
    var isWhole: Bool { isReady && refused.isEmpty }

    /// The unwatched parts of the mount, by their paths in it; empty is the mount itself.
    var parts: [[UInt8]] { isReady ? refused.sorted { $0.count < $1.count } : [[]] }

    /// The reason that not everything is watched, and the action to take; nil if it is unknown.
    var note: String? {
      refused.isEmpty
        ? reason
        : "the kernel's limit of watches is reached; raise fs.inotify.max_user_watches"
    }

    /// Notes that there was no watch left for a directory.
    mutating func refuse(_ path: [UInt8]) { refused.insert(path) }

    /// Notes that a directory is watched with everything below it; exceptions are noted after this.
    mutating func grant(_ path: [UInt8]) {
      refused = refused.filter { !Self.isInside($0, path) }
    }

    /// Returns the state of a mount at a path in this one.
    func within(_ path: [UInt8]) -> Watching {
      var inner = self
      inner.refused = Set(
        refused.compactMap {
          if Self.isInside(path, $0) { return [] }
          return Self.isInside($0, path) ? Array($0.dropFirst(path.count + 1)) : nil
        })
      return inner
    }

    /// Returns whether a path is another one, or inside of it; everything is inside the empty one.
    private static func isInside(_ path: [UInt8], _ outer: [UInt8]) -> Bool {
      outer.isEmpty || path == outer || path.starts(with: outer + [UInt8(ascii: "/")])
    }
  }

  /// The contents of the folder that aren't in the zone, and the reverse, with the reasons.
  struct Absent: Sendable {
    /// The problems that keep changes waiting.
    var hindrances: [PathProblem] = []
    /// The ignored names.
    var ignored: [IgnoredNames] = []
    /// The part of the zone that the folder has.
    var selection = SyncSelection()
    /// The records of the zone that aren't selected; nil if everything is.
    var leftOut: MountReport.LeftOut?
  }

  var phase = Control.Phase.starting
  var progress = MountReport.Progress()
  var watching = Watching()
  /// The engine's knowledge of the folder's disk.
  var disk = MountReport.DiskReport()
  var problems: [PathProblem] = []
  var rescued: [MountReport.Rescued] = []
  var conflicts: [[UInt8]] = []
  /// The differences between folder and zone, with the reasons.
  var absent = Absent()
  /// The deletions that wait for a confirmation.
  var held: MountReport.Held?
  /// The error that stops the whole mount.
  var failure: ControlError?
  /// Devices that have changed or deleted unusually many files.
  var bursts: [Control.Burst] = []
  var note: String? { failure?.message }
  /// The advice of the error.
  var remedy: String? { failure?.remedy }
  /// The difference between the zone's log and the data that was read here.
  var trouble: LogTrouble?
  /// The same, if the container isn't as it was read.
  var damage: LogTrouble? { trouble.flatMap { $0.kind == .elsewhere ? nil : $0 } }
  var state: Control.LogState? { trouble.map { Control.LogState($0.kind) } }
}
