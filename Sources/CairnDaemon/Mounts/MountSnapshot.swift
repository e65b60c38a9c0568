import CairnCloud
import CairnControl
import CairnFolders

/// How a mount stands, for whoever asks while it works.
struct MountSnapshot: Sendable {
  /// What cairn-watch says about the folder.
  struct Watching: Sendable {
    var directories = 0
    var unwatched = 0
    var note: String?
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
