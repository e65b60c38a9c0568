import CairnZone

/// What became of a share between two looks at its zone: a value over what is folded of it. It must
/// not know events, nor who asks.
struct ShareNews: Equatable {
  /// Who takes part, and didn't at the look before.
  var joined: [UserID] = []
  /// Whether anything else is other than it was.
  var isChanged = false

  /// - Parameters:
  ///   - before: The share at the look before; nil: there was none, or none was seen.
  ///   - wasWhole: Whether the log was read to its end at that look. Before, a share may be older
  ///     than what is known of it; after, one that wasn't there is new, and so is who is in it.
  ///   - now: The share now.
  init(before: Share?, wasWhole: Bool, now: Share?) {
    guard let now, before != now, before != nil || wasWhole else { return }
    joined = now.participants.values.filter { participant in
      participant.acceptance == .accepted
        && before?.participants[participant.user]?.acceptance != .accepted
    }.map(\.user).sorted()
    // That it was made is told by whoever made it.
    isChanged = joined.isEmpty && before != nil
  }
}
