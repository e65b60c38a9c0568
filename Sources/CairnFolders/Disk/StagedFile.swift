import CairnPlan
import CairnZone

/// A complete file or symlink for the folder.
struct StagedFile {
  /// The name in the staging folder.
  var name: FileNameBytes
  /// The state in the staging folder.
  var stat: FileStat
}
