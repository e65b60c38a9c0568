import CairnPlan
import CairnZone

/// Steps that are carried out together, and how far they have come. What was done is a value until
/// it is written: a turn that fails leaves it here, and the next one begins with it, so nobody has
/// to find out what the disk looks like because of us and what because of a person. Should the
/// process end, the journal says what was meant.
enum Portion {
  /// What it takes is in the staging folder, or being written there.
  case staged(StagedPortion)
  /// It was carried out; the names may not be durable.
  case applied(AppliedPortion)
  /// The names are durable, and the index doesn't have them.
  case durable(AppliedPortion)
  /// The index has all of it.
  case written
}

/// Steps that were carried out, some of them perhaps in vain.
struct AppliedPortion {
  /// What was done, in its order.
  var changes: [TreeChange] = []
  /// What became of the steps that were tried.
  var outcomes: [(step: FolderStep, outcome: Applier.Outcome)] = []
  /// Where it was done.
  var touched = TouchedDirectories()
  /// Whether something was displaced that has to be looked at again, and what is known of it.
  var hasDisplaced = false
  var displaced: [FileNameBytes: DisplacedFiles.Seen] = [:]
  /// Whether something was set aside.
  var hasRescued = false

  /// Makes the names durable.
  mutating func finish(_ root: Descriptor) throws {
    var given: [TreeChange] = []
    defer { changes += given }
    try touched.finish(root) { given.append(.timeGivenBack($0, $1)) }
  }
}

/// Steps that are to be carried out together, and what was staged for them.
struct StagedPortion {
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
