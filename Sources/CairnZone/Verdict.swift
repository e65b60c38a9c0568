/// What the fold says about one commit: its effect, or why it is no valid one. The place of a
/// commit that its author may not make is held: it is reported, and nothing is read behind it.
public enum Verdict: Hashable, Sendable {
  /// The commit is valid; whoever keeps the state stores the delta.
  case applied(Delta)
  /// The log ends before it.
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
