import CairnPlan
import CairnZone

/// Steps that are carried out together, and what was staged for them.
struct Portion {
  /// A file that is to be written into the staging folder.
  struct File: Sendable {
    /// The step's number.
    var position: Int
    var id: RecordID
    var node: Node
    var content: Content
    /// Its name there.
    var name: FileNameBytes
  }

  let steps: [FolderStep]
  /// The files whose bytes come from the zone.
  var files: [File] = []
  /// What was staged, by the numbers of the steps.
  var staged: [Int: FileNameBytes] = [:]
  /// The numbers of the steps that can't be carried out now.
  var failed: Set<Int> = []

  init(steps: [FolderStep]) { self.steps = steps }
}

/// A file or symlink that is ready to be put into the folder.
struct StagedFile {
  /// Its name in the staging folder.
  var name: FileNameBytes
  /// How it looked there.
  var stat: FileStat
}
