import CairnStore
import Glibc

/// A fault at a named call.
struct Fault: Hashable, Sendable {
  /// The person whose daemon it hits.
  var person: Int
  /// The call that it hits.
  var moment: Moment
  var effect: Effect
  /// The line in the script; 0 for none.
  var line = 0

  struct Moment: Hashable, Sendable {
    var call: String
    /// The ordinal of such calls since the step began.
    var count = 1
    /// A Boolean value that indicates whether it hits the next disk call after that one.
    var isAfter = false
  }

  enum Effect: Hashable, Sendable {
    /// The call fails with that errno.
    case fails(Int32)
    /// The process ends instead of the call.
    case ends
    /// The machine stops instead of the call.
    case powerCut(PowerCut)
    /// The person acts right before the call.
    case deed(Deed)
    case storeFails(StoreError.Code)
    /// The container performs the request, and its answer gets lost.
    case losesAnswer
    /// The same object is put again some calls later.
    case repeats
    /// A list equals the last one.
    case listsOld
    /// A read returns only the first half of an object.
    case readsHalf
    /// One bit of a read is wrong, once.
    case readsWrong
    /// Another person's daemon works right before the call.
    case race(with: Int)
  }

  /// The names of the calls' failures.
  static let failures: [String: Int32] = [
    "ENOSPC": ENOSPC, "EDQUOT": EDQUOT, "EIO": EIO, "EMFILE": EMFILE,
  ]
}

/// The state after a power cut, as far as it was not durable.
struct PowerCut: Hashable, Sendable {
  /// The first undone change of names; nil: none.
  var undoneSince: NameChange?
  /// The files with damaged bytes; other files are complete.
  var files: [Damage] = []
  /// A Boolean value that indicates whether the daemon's index is the one that was noted last.
  var hasOldIndex = false

  /// A change of names, by its kind, and its ordinal among equal ones.
  struct NameChange: Hashable, Sendable {
    var change: String
    var count = 1
  }

  struct Damage: Hashable, Sendable {
    /// The path, and the ordinal among files with the same path.
    var file: String
    var count = 1
    var bytes: Bytes
  }

  enum Bytes: String, Hashable, Sendable, CaseIterable {
    /// The durable bytes, with their time.
    case old
    case empty
    /// Zeros of the same length, with the file's time.
    case zeros
    /// Zeros of the same length, with the time of the cut.
    case newZeros = "new zeros"
  }
}

/// The reason why a script cannot be read, or is not played as written.
struct ScriptError: Error, CustomStringConvertible {
  var line: Int
  var message: String
  var description: String { "line \(line): \(message)" }
}
