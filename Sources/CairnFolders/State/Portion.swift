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
  /// The new directories that are put into the folder with their files.
  var aside: [RecordID: Aside] = [:]

  /// A new directory in the staging folder.
  struct Aside {
    var name: FileNameBytes
    var place: Place
    /// The record in the zone, if nothing else is to be done about it.
    var record: Node?
    /// The indexes of the steps for the files in it.
    var positions: [Int]
    /// The directories in it.
    var inner: [RecordID] = []
  }

  init(steps: [FolderStep], following zone: [RecordID: Node]) {
    (self.steps, self.zone) = (steps, zone)
  }

  /// Notes the new name of a staged file.
  mutating func rename(_ position: Int, to name: FileNameBytes) {
    staged[position] = name
    fetched[steps[position].id]?.name = name
  }

  /// Returns the new directories with their staged files.
  func asideDirectories(_ files: [Int: StagedFile]) -> [RecordID: AsideDirectory] {
    aside.mapValues { directory in
      AsideDirectory(
        name: directory.name, place: directory.place, record: directory.record,
        inner: directory.inner,
        files: directory.positions.compactMap { position in
          guard case .install(let id, let node) = steps[position] else { return nil }
          return files[position].map { AsideDirectory.File(id: id, node: node, staged: $0) }
        })
    }
  }

  /// Splits steps into portions of about the same size. The files that are staged in a new
  /// directory follow its step at once, and are in the same portion: nothing else can be in their
  /// places.
  /// - Parameters:
  ///   - steps: The steps in their order.
  ///   - limit: The number of steps with which a portion ends.
  ///   - directory: Returns the directory in which a step's file is staged; nil for most.
  /// - Returns: The portions in their order.
  static func split(
    _ steps: [FolderStep], limit: Int, _ directory: (FolderStep) -> RecordID?
  ) -> [[FolderStep]] {
    var inside: [RecordID: [FolderStep]] = [:]
    let owners = steps.map(directory)
    for (step, owner) in zip(steps, owners) {
      if let owner { inside[owner, default: []].append(step) }
    }
    var portions: [[FolderStep]] = []
    var portion: [FolderStep] = []
    for (step, owner) in zip(steps, owners) where owner == nil {
      portion.append(step)
      if case .makeDirectory(let id, _) = step { portion += inside[id] ?? [] }
      guard portion.count >= limit else { continue }
      portions.append(portion)
      portion = []
    }
    return portion.isEmpty ? portions : portions + [portion]
  }
}
