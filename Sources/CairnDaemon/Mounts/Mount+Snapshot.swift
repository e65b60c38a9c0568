import CairnCloud
import CairnControl
import CairnFolders

extension Mount {
  /// How the mount stands, for whoever asks while it works.
  struct Snapshot: Sendable {
    var phase = Control.Phase.starting
    var progress = MountReport.Progress()
    var problems: [Problem] = [] {
      didSet { troubled = Set(problems.map(\.path)) }
    }
    /// The paths that have problems.
    private(set) var troubled: Set<[UInt8]> = []
    var rescued: [MountReport.Rescued] = []
    var conflicts: [[UInt8]] = []
    /// What was deleted and waits for a word.
    var held: MountReport.Held?
    /// What waits for room on the disk.
    var shortage: Problem?
    /// What keeps the mount as a whole from going on.
    var failure: ControlError?
    var note: String? { failure?.message }
    /// What to do about what the note says.
    var remedy: String? { failure?.remedy }
    /// How the zone's log differs from what was read here.
    var trouble: LogTrouble?
    var state: Control.LogState? { trouble.map { Control.LogState($0.kind) } }
  }
}
