import CairnContainer
import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// The references in a folder whose mounts must be checked, and the mounts' owner.
struct References {
  /// The owner of the mounts at the references.
  var owner: (any NestedMounts)?
  /// The zones from which a person moved something here, and whose chunks need not be stored again.
  var lenders: [Zone] = []
  /// The zones whose parts returned here. Their history has the earlier contents of these files.
  var left: [Zone] = []
  /// A Boolean value that indicates whether they may have to be checked.
  var areDue = false
  /// A Boolean value that indicates whether there are any.
  var areThere = false
  /// The number of complete scans of the folder.
  var looks = 0
  /// The references whose files are missing: the number of scans at that time, and the time.
  var sought: [RecordID: (looks: Int, since: Int64)] = [:]
  /// The references at whose places no file stands, with the time since then: an editor that
  /// renamed the old file may be about to create the new one.
  var vacant: [RecordID: Int64] = [:]
  /// The time of the next check without a hint.
  private(set) var deadline: Int64?

  /// A Boolean value that indicates whether it is known where each file is.
  var areDecided: Bool { vacant.isEmpty && sought.isEmpty }

  /// Lets them be checked at that time at the latest.
  mutating func check(at time: Int64) { deadline = min(deadline ?? time, time) }

  /// Makes a check due whose time has come.
  mutating func makeDue(_ now: Int64) {
    guard let deadline, deadline <= now else { return }
    self.deadline = nil
    areDue = true
  }
}
