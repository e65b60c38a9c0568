import CairnZone

/// The changes of a share between two checks of its zone: a value from the replayed share. It has
/// no access to events, or the caller.
struct ShareNews: Equatable {
  /// The new members since the earlier check.
  var joined: [UserID] = []
  /// A Boolean value that indicates whether anything else changed.
  var isChanged = false

  /// Compares two states of a share.
  /// - Parameters:
  ///   - before: The share at the earlier check; nil if there was none, or none was seen.
  ///   - wasWhole: Whether the log was read to its end at that check. Before, a share may be older
  ///     than the known part; after, a share that was missing is new, and so are its members.
  ///   - now: The share now.
  init(before: Share?, wasWhole: Bool, now: Share?) {
    guard let now, before != now, before != nil || wasWhole else { return }
    joined = now.participants.values.filter { participant in
      participant.acceptance == .accepted
        && before?.participants[participant.user]?.acceptance != .accepted
    }.map(\.user).sorted()
    // Its creator reports the creation.
    isChanged = joined.isEmpty && before != nil
  }
}
