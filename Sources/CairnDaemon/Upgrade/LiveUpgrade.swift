/// Decides when a daemon becomes the program that replaced its own: not before a package is
/// complete, and only one that runs. It has no access to files or the clock.
struct LiveUpgrade {
  /// The identity of a file under any name.
  struct File: Hashable {
    var device: UInt64
    var number: UInt64
  }

  /// The next step.
  enum Step: Equatable {
    /// Nothing until that time, in nanoseconds; nil: until a change in the folder.
    case wait(Int64?)
    /// The file must be run for its version; then `answered` is called.
    case ask
    /// The daemon may become the program as soon as nobody needs it.
    case handOver
  }

  /// The time without changes in the folder before the new file counts: a package has several.
  static let quiet: Int64 = 2_000_000_000
  /// The time after which a file that could not be run is tried again.
  static let again: Int64 = 60_000_000_000

  private struct Candidate {
    var file: File
    /// The time of the test.
    var time: Int64
    /// A Boolean value that indicates whether it runs; nil if it wasn't tested.
    var runs: Bool?
  }

  private let own: File
  private var candidate: Candidate?

  /// Creates a value for the program of that file.
  init(_ own: File) { self.own = own }

  /// Checks the file in the program's place.
  /// - Parameters:
  ///   - standing: The file; nil if there is none.
  ///   - hasStirred: Whether an entry came into the folder since the last check.
  ///   - now: The clock's time, in nanoseconds.
  /// - Returns: The next step.
  mutating func look(_ standing: File?, hasStirred: Bool, at now: Int64) -> Step {
    guard let standing, standing != own else {
      candidate = nil
      return .wait(nil)
    }
    if candidate?.file != standing {
      candidate = Candidate(file: standing, time: now + Self.quiet)
    } else if hasStirred, candidate?.runs != true {
      candidate?.time = now + Self.quiet
    }
    guard let candidate else { return .wait(nil) }
    if candidate.runs == true { return .handOver }
    return candidate.time <= now ? .ask : .wait(candidate.time)
  }

  /// Notes whether the tested file runs.
  mutating func answered(runs: Bool, at now: Int64) {
    candidate?.runs = runs
    if !runs { candidate?.time = now + Self.again }
  }
}
