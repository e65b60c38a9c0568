/// When a daemon becomes the program that took the place of its own: not before all of a package is
/// there, and only one that can be run. It knows no files and no clock.
struct Succession {
  /// Which file it is, whatever it is called.
  struct File: Hashable {
    var device: UInt64
    var number: UInt64
  }

  /// What is to be done next.
  enum Step: Equatable {
    /// Nothing until that time, in nanoseconds; nil: until something happens in the folder.
    case wait(Int64?)
    /// The file is to be asked for its version; then `answered` is told.
    case ask
    /// The daemon may become it as soon as nobody needs it.
    case handOver
  }

  /// For how long nothing may come into the folder before the new file counts: a package has
  /// several.
  static let quiet: Int64 = 2_000_000_000
  /// When a file that couldn't be run is asked again.
  static let again: Int64 = 60_000_000_000

  private struct Candidate {
    var file: File
    /// When it is asked.
    var time: Int64
    /// Whether it runs; nil: it wasn't asked.
    var runs: Bool?
  }

  private let own: File
  private var candidate: Candidate?

  /// For the program of that file.
  init(_ own: File) { self.own = own }

  /// Looks at what stands in the file's place.
  /// - Parameters:
  ///   - standing: What does; nil: nothing.
  ///   - hasStirred: Whether something came into the folder since the last look.
  ///   - now: The clock's time, in nanoseconds.
  /// - Returns: what to do.
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

  /// Tells whether the file that was asked can be run.
  mutating func answered(runs: Bool, at now: Int64) {
    candidate?.runs = runs
    if !runs { candidate?.time = now + Self.again }
  }
}
