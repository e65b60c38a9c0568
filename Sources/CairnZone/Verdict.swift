/// What the fold says about one commit: its effect, or why it has none. A commit that its author
/// may not make is as if it were not there: it is reported, and stops nothing.
public enum Verdict: Hashable, Sendable {
  /// The commit is valid; whoever keeps the state stores the delta.
  case applied(Delta)
  /// The commit has no effect: the log ends before it.
  case refused(Refusal)
}

/// A refusal on its way from a rule to `Fold.judge`. It isn't public, so that no `ZoneState` can
/// throw one: what a state throws is its reader's failure and never the commit's fault.
struct Refused: Error {
  let refusal: Refusal

  init(_ code: Refusal.Code, _ record: RecordID? = nil, _ reason: String) {
    refusal = Refusal(code, record, reason)
  }
}
