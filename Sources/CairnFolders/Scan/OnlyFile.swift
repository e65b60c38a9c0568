import CairnPlan
import CairnReplica
import CairnZone

/// A file that is mirrored by itself: its name on the disk, and its record.
struct OnlyFile: Hashable, Sendable {
  var name: FileName
  var id: RecordID
}
