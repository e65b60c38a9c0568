import CairnZone

/// What an engine has put into the folder, or may have, without the index having it yet.
struct Arrivals {
  /// Whether something may stand in the folder that we put there, and the index doesn't have yet.
  var mayBeThere = true
  /// What was put there by steps that the index didn't get to know of.
  var done: Set<RecordID> = []
  /// Whether a step failed in this turn, maybe after it put something into the folder.
  var mayHaveFailedLate = false
}
