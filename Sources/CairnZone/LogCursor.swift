/// The reader of a zone's log, as a value: it says what to fetch, is told what was found, and says
/// what to replay, or why it stops. It decides every step past the last replayed entry, and reads
/// nothing itself: no store, no key, no clock.
///
///     cursor.begin(.read(upTo: last))
///     while case .ask(let ask) = cursor.next(context) { cursor.take(try answer(ask)) }
///
/// A step is straight code that asks in the middle. When an answer is missing, the step ends
/// without effect, and begins again once the answer is there. So a cursor is a value at each
/// question, and the tests play every order of its questions and others' acts.
public struct LogCursor: Hashable, Sendable {
  /// The number of positions that are checked behind one without a valid entry.
  public static let lookAhead: UInt64 = 9

  /// A task of the cursor.
  public enum Task: Hashable, Sendable {
    /// Read the log, at most up to a position.
    case read(upTo: UInt64)
    /// Check that the last known entry is in the container.
    case checkHead
    /// Check that no entry is behind the end of the log. Otherwise an entry is missing, and a put
    /// there would hide that from all later readers.
    case checkBehind
  }

  /// The next step of the caller.
  public enum Step: Hashable, Sendable {
    /// Answer a question, and take the answer.
    case ask(Ask)
    /// The task is over.
    case ended(Outcome)
  }

  /// The end of a task.
  public enum Outcome: Hashable, Sendable {
    /// Everything that may be read was read; a check found nothing.
    case done
    /// Somebody else wrote, or moved the log start: the log must be read first.
    case overtaken
    /// The log differs from earlier reads, or something holds it. With the name of the object that
    /// the trouble is about.
    case trouble(LogTrouble, Name?)
    /// An entry is missing, and also the log does not contain the inviter's anchor.
    case disputed(LogTrouble?)
    /// The zone is kept elsewhere.
    case elsewhere
    /// The caller answered another question.
    case misled
  }

  /// The name of an object of a log.
  public enum Name: Hashable, Sendable {
    /// The position of an entry.
    case position(UInt64)
    /// The end-of-epoch record of the epoch in force.
    case mark
  }

  // MARK: Known between tasks

  /// The known entries for the next positions, from entries behind them.
  public var expected = ExpectedEntries()
  /// The inviter's anchor for a newcomer; the log must contain it.
  public var anchor: LogAnchor?
  /// The difference between the log in the container and earlier reads, as far as checked.
  public var trouble: LogTrouble?
  /// The holder of the next position at the last check.
  public internal(set) var held = LogObject.nothing
  /// A Boolean value that indicates whether entries behind a gap must still be checked.
  public var owesBehind = true
  /// A Boolean value that indicates whether the log was read to its end.
  public var hasReadAll = false

  // MARK: The task

  /// The state of the task.
  var work = Work(.checkHead)

  /// Creates a cursor that has read nothing in this run.
  public init() {}

  /// Forgets everything that was read, but not the anchor.
  public mutating func forget() {
    let anchor = anchor
    self = LogCursor()
    self.anchor = anchor
  }

  /// Begins a task. A former one that is not over is forgotten.
  public mutating func begin(_ task: Task) { work = Work(task) }

  /// Forgets the task, whose caller cannot answer.
  public mutating func leave() { work = Work(work.task) }

  /// Returns the next step.
  /// - Parameter context: The replayed state, after all acts so far.
  /// - Returns: a question, or the end of the task.
  public mutating func next(_ context: Context) -> Step {
    while !work.isMisled {
      if let walk = work.walk {
        guard let result = walk.result else { return walk.ask.map { .ask($0) } ?? .ended(.misled) }
        work.walk = nil
        work.answers.append(.walked(result))
      }
      // A step sees one state, whatever its own questions change.
      let seen = work.context ?? context
      work.context = seen
      var after = self
      do {
        try after.advance(seen)
        after.work.forgetAnswers()
        self = after
      } catch {
        switch error {
        case .ask(let ask): return .ask(ask)
        case .walk(let proof, let sequence):
          work.walk = LogWalk(proof, from: sequence, backTo: seen.header)
        case .ended(let outcome):
          self = after
          leave()
          return .ended(outcome)
        }
      }
    }
    return .ended(.misled)
  }

  /// Takes the answer to the question of the last step.
  public mutating func take(_ answer: Answer) {
    if work.walk == nil {
      work.answers.append(.given(answer))
    } else if work.walk?.take(answer) != true {
      work.isMisled = true
    }
  }

  /// Returns the author with rights whose entry behind a position names another one there: then
  /// nobody may continue from the present one. Revoked devices are ignored: behind the end of an
  /// epoch a thief can put anything.
  /// - Parameters:
  ///   - behind: The entry behind.
  ///   - digest: The digest of the present entry.
  ///   - header: The state before the present entry, or after it if it raises the epoch.
  /// - Returns: nil if it names the present entry, or says nothing.
  public static func contradictor(
    _ behind: SignedEntry, of digest: Bytes32, _ header: ZoneHeader
  ) -> UserID? {
    guard header.believes(behind.author), !behind.isRevoked, behind.previous != digest else {
      return nil
    }
    return behind.author.user
  }

  /// Returns the device whose present entry an entry would replace: only its own device could have
  /// replaced it. If it is revoked, its entry gives way, because a thief may fill gaps that others
  /// made.
  /// - Parameters:
  ///   - signer: The signer of the present object; nil if nobody signed it.
  ///   - author: The author of the entry.
  ///   - entry: The entry.
  /// - Returns: nil if the entry replaces nobody's.
  public static func displaced(
    _ signer: Signer?, by author: Author, _ entry: LogEntry
  ) -> Author? {
    guard let signer, signer.digest != entry.digest, signer.author != author else { return nil }
    return signer.author
  }

  /// Returns whether an entry behind a position can contradict the present one.
  /// - Parameters:
  ///   - sequence: The position.
  ///   - header: The state before the present entry, or after it if it raises the epoch.
  /// - Returns: the result.
  public func hearsContradiction(at sequence: UInt64, _ header: ZoneHeader) -> Bool {
    header.kind == .owned && header.genesis != nil && !expected.tells(sequence)
  }
}
