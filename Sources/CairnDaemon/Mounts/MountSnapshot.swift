import CairnCloud
import CairnControl
import CairnFolders

/// The state of a mount, readable from other threads during its work.
struct MountSnapshot: Sendable {
  /// The reports of cairn-watch about the folder.
  struct Watching: Sendable {
    var directories = 0
    /// The paths of unwatched directories below the root; everything below is unwatched, too.
    private var refused: Set<[UInt8]> = []
    private(set) var note: String?

    init(directories: Int = 0, note: String? = nil) {
      self.directories = directories
      self.note = note
    }

    var unwatched: Int { refused.count }

    /// Notes that there was no watch left for a directory.
    mutating func refuse(_ path: [UInt8]) {
      refused.insert(path)
      note = "the kernel's limit of watches is reached; raise fs.inotify.max_user_watches"
    }

    /// Notes that a directory is watched with everything below it; exceptions are noted after this.
    mutating func grant(_ path: [UInt8]) {
      guard !refused.isEmpty else { return }
      refused = refused.filter { $0 != path && !$0.starts(with: path + [UInt8(ascii: "/")]) }
    }
  }

  var phase = Control.Phase.starting
  var progress = MountReport.Progress()
  var watching = Watching()
  var problems: [Problem] = []
  var rescued: [MountReport.Rescued] = []
  var conflicts: [[UInt8]] = []
  /// The ignored names.
  var ignored: [IgnoredNames] = []
  /// The deletions that wait for a confirmation.
  var held: MountReport.Held?
  /// The problem of too little space on the disk.
  var shortage: Problem?
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
