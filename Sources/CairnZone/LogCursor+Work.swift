extension LogCursor {
  /// The state of a task. It has the answers of the current step, since the step may begin again.
  struct Work: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
      case beginning
      case starting
      /// Looking for the last position on which the container agrees.
      case comparing(UInt64, isOther: Bool)
      /// Before the next entries: whether this person may read on here.
      case reading
      case fetching
      case applying(LogBatch, epoch: UInt64)
      case applied(LogStop?, isLast: Bool, epoch: UInt64)
      /// Nothing is at the next position.
      case behind
      case behindByRecord
      case stopped(LogStop)
      case ending
      case anchoring
    }

    enum Recorded: Hashable, Sendable {
      case given(Answer)
      case walked(LogWalk.Result)
    }

    let task: Task
    var phase = Phase.beginning
    /// A Boolean value that indicates whether nothing was behind the last replayed entry, in the
    /// epoch that is still in force.
    var isAtEnd = false
    /// The epoch whose end was checked, and a Boolean value that indicates whether it is open.
    var checkedEpoch: UInt64 = 0
    var isOpen = false
    /// The answers so far, and the number of those that were used.
    var answers: [Recorded] = []
    var used = 0
    /// The replayed state at the beginning of the step.
    var context: Context?
    var walk: LogWalk?
    var isMisled = false

    init(_ task: Task) { self.task = task }

    /// The highest position to read.
    var last: UInt64 { if case .read(let last) = task { last } else { 0 } }

    mutating func forgetAnswers() { (answers, used, context) = ([], 0, nil) }
  }

  /// The end of a step: it needs an answer, or it ended the task.
  enum Exit: Error {
    case ask(Ask)
    case walk(Proof, from: UInt64)
    case ended(Outcome)
  }

  // MARK: Questions

  private mutating func recorded(else exit: Exit) throws(Exit) -> Work.Recorded {
    guard work.used < work.answers.count else { throw exit }
    defer { work.used += 1 }
    return work.answers[work.used]
  }

  private mutating func answer(_ ask: Ask) throws(Exit) -> Answer {
    guard case .given(let answer) = try recorded(else: .ask(ask)) else { throw .ended(.misled) }
    return answer
  }

  mutating func walk(_ proof: Proof, from sequence: UInt64) throws(Exit) -> LogWalk.Result {
    guard case .walked(let result) = try recorded(else: .walk(proof, from: sequence)) else {
      throw .ended(.misled)
    }
    return result
  }

  mutating func bool(_ ask: Ask) throws(Exit) -> Bool {
    guard case .bool(let value) = try answer(ask) else { throw .ended(.misled) }
    return value
  }

  mutating func object(_ ask: Ask) throws(Exit) -> LogObject {
    guard case .object(let value) = try answer(ask) else { throw .ended(.misled) }
    return value
  }

  mutating func digest(_ ask: Ask) throws(Exit) -> Bytes32? {
    guard case .digest(let value) = try answer(ask) else { throw .ended(.misled) }
    return value
  }

  mutating func batch() throws(Exit) -> LogBatch {
    guard case .batch(let value) = try answer(.entries) else { throw .ended(.misled) }
    return value
  }

  mutating func apply(_ batch: LogBatch) throws(Exit) -> LogStop? {
    guard case .stop(let value) = try answer(.apply(batch)) else { throw .ended(.misled) }
    return value
  }

  mutating func signed(behind sequence: UInt64) throws(Exit) -> [SignedEntry] {
    guard case .signed(let value) = try answer(.signed(behind: sequence)) else {
      throw .ended(.misled)
    }
    return value
  }

  mutating func endRecord() throws(Exit) -> EpochEndRecord {
    guard case .end(let value) = try answer(.endRecord) else { throw .ended(.misled) }
    return value
  }
}
