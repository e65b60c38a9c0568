/// The verdict of replay on one commit: its effect, or the reason for refusing it. The position of
/// an invalid commit is held: it is reported, and nothing behind it is read.
public enum Verdict: Hashable, Sendable {
  /// The commit is valid, and the delta must be stored.
  case applied(Delta)
  /// The log ends before it.
  case refused(Refusal)
}

/// A refusal on its way from a rule to `Fold.judge`. It is not public, so that no `ZoneState` can
/// throw it: an error of a state is a failure of its reader, and never the commit's fault.
struct Refused: Error {
  let refusal: Refusal

  init(_ code: Refusal.Code, _ record: RecordID? = nil, _ reason: String) {
    refusal = Refusal(code, record, reason)
  }
}
