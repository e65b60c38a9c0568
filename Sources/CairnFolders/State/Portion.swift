import CairnPlan
import CairnZone

/// A batch of steps and its progress. The changes are a value until they are written: a failed sync
/// cycle leaves them here, and the next one begins with them. So nobody must guess which changes on
/// the disk are Cairn's and which are a person's. If the process ends, the intent log has the plan.
enum Portion {
  /// Its files are in the staging folder, or being written there.
  case staged(StagedPortion)
  /// It was performed; the names may not be durable.
  case applied(AppliedPortion)
  /// The names are durable, and the index does not have them.
  case durable(AppliedPortion)
  /// The index has all of it.
  case written
}

/// Performed steps, some possibly without effect.
struct AppliedPortion {
  /// The changes, in their order.
  var changes: [TreeChange] = []
  /// The results of the tried steps.
  var outcomes: [(step: FolderStep, outcome: Applier.Outcome)] = []
  /// The touched directories.
  var touched = TouchedDirectories()
  /// A Boolean value that indicates whether a file was replaced or removed that must be checked
  /// again, and its known content.
  var hasDisplaced = false
  var displaced: [FileNameBytes: DisplacedFiles.Seen] = [:]
  /// The fetched files of the steps.
  var fetched: [RecordID: Transfers.Staged] = [:]
  /// The records for which nothing is left to do, as the index has it.
  var settled: Set<RecordID> = []
  /// A Boolean value that indicates whether a file was rescued.
  var hasRescued = false

  /// Makes the names durable.
  mutating func finish(_ root: Descriptor) throws {
    var given: [TreeChange] = []
    defer { changes += given }
    try touched.finish(root) { given.append(.timeGivenBack($0, $1)) }
  }
}

/// Steps of one batch, and their staged files.
struct StagedPortion {
  let steps: [FolderStep]
  /// The records of the zone that the steps follow.
  let zone: [RecordID: Node]
  /// The fetched files among them.
  var fetched: [RecordID: Transfers.Staged] = [:]
  /// The staged files, by the index of the step.
  var staged: [Int: FileNameBytes] = [:]
  /// The indexes of the steps that cannot be performed now.
  var failed: Set<Int> = []

  init(steps: [FolderStep], following zone: [RecordID: Node]) {
    (self.steps, self.zone) = (steps, zone)
  }
}
