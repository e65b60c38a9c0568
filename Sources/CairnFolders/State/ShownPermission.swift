import CairnPlan
import CairnReplica
import CairnZone

/// A person's permission in a folder, and its effect on the files: without the permission to write,
/// files have no write bits.
struct ShownPermission {
  /// A Boolean value that indicates whether this person can only view now.
  var isReadOnly = false
  /// The permission that the files' modes show; nil if unknown.
  var shown: Bool?
  /// The number of successive passes over the files that didn't find all of them.
  private(set) var misses = 0

  /// The next step for the files.
  enum Act { case nothing, showModes, showModesAfterALook, note }

  /// Returns the next step; `isOthers` says whether somebody else owns the folder: a person's own
  /// folder has the modes that they set.
  func act(isOthers: Bool) -> Act {
    switch shown {
    case isReadOnly: .nothing
    case nil: isReadOnly || isOthers ? .showModesAfterALook : .note
    default: .showModes
    }
  }

  /// A round over the files begins. If it is cut off, some show the one and some the other,
  /// whatever the person may do by then.
  mutating func begin() { shown = nil }

  /// A round over the files is over. What wasn't found where the index has it, as its person moved
  /// it just now, may show anything: then another one follows, a few times at most, as some file
  /// systems never give the same number twice.
  /// - Returns: whether the folder has to be looked at before that.
  mutating func end(isWhole: Bool) -> Bool {
    misses = isWhole || misses == 2 ? 0 : misses + 1
    shown = misses == 0 ? isReadOnly : nil
    return misses > 0
  }
}
