import CairnCloud
import CairnControl
import CairnFolders

/// How a mount stands, for whoever asks while it works.
struct MountSnapshot: Sendable {
  /// What cairn-watch says about the folder.
  struct Watching: Sendable {
    var directories = 0
    /// The paths below the root of what can't be watched, with all below each.
    private var refused: Set<[UInt8]> = []
    private(set) var note: String?

    init(directories: Int = 0, note: String? = nil) {
      self.directories = directories
      self.note = note
    }

    var unwatched: Int { refused.count }

    /// There was no watch left for a directory.
    mutating func refuse(_ path: [UInt8]) {
      refused.insert(path)
      note = "the kernel's limit of watches is reached; raise fs.inotify.max_user_watches"
    }

    /// A directory is watched with all below it; what can't be of that is told after this.
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
  /// What rules leave out.
  var ignored: [IgnoredNames] = []
  /// What was deleted and waits for a word.
  var held: MountReport.Held?
  /// What waits for room on the disk.
  var shortage: Problem?
  /// What keeps the mount as a whole from going on.
  var failure: ControlError?
  /// Devices that have changed or deleted unusually many files.
  var bursts: [Control.Burst] = []
  var note: String? { failure?.message }
  /// What to do about what the note says.
  var remedy: String? { failure?.remedy }
  /// How the zone's log differs from what was read here.
  var trouble: LogTrouble?
  /// The same, if the container isn't as it was read.
  var damage: LogTrouble? { trouble.flatMap { $0.kind == .elsewhere ? nil : $0 } }
  var state: Control.LogState? { trouble.map { Control.LogState($0.kind) } }
}
