import CairnStore
import Glibc

/// A fault that is named by what it hits.
struct Fault: Hashable, Sendable {
  /// Whose daemon it hits.
  var person: Int
  /// At which call.
  var moment: Moment
  var effect: Effect
  /// The line of the script that has it; 0 if none has.
  var line = 0

  struct Moment: Hashable, Sendable {
    var call: String
    /// At the how manieth such call since the step began.
    var count = 1
    /// At the next call to the disk after it, whatever that is.
    var isAfter = false
  }

  enum Effect: Hashable, Sendable {
    /// The call fails, with that errno.
    case fails(Int32)
    /// The process ends instead of the call.
    case ends
    /// So does the machine.
    case powerCut(PowerCut)
    /// The person does something in the moment before the call.
    case deed(Deed)
    case storeFails(StoreError.Code)
    /// The container did what it was asked for, and its answer doesn't come.
    case losesAnswer
    /// What is put is put again some calls later.
    case repeats
    /// A list shows what the last one did.
    case listsOld
    /// Only the first half of an object is read.
    case readsHalf
    /// One bit of what is read is another, this one time.
    case readsWrong
    /// Another person's daemon works in the moment before the call.
    case race(with: Int)
  }

  /// How the calls' failures are called.
  static let failures: [String: Int32] = [
    "ENOSPC": ENOSPC, "EDQUOT": EDQUOT, "EIO": EIO, "EMFILE": EMFILE,
  ]
}

/// What a power cut leaves of what wasn't durable.
struct PowerCut: Hashable, Sendable {
  /// The first of the changes of names that are undone; nil: none is.
  var undoneSince: NameChange?
  /// The files whose bytes aren't all there; others have what was written.
  var files: [Damage] = []
  /// Whether the daemon's index is the one that was noted last.
  var hasOldIndex = false

  /// A change of names, by what it did, and which of those that did the same.
  struct NameChange: Hashable, Sendable {
    var change: String
    var count = 1
  }

  struct Damage: Hashable, Sendable {
    /// By its path, and which of those with the same.
    var file: String
    var count = 1
    var bytes: Bytes
  }

  enum Bytes: String, Hashable, Sendable, CaseIterable {
    /// Those that were durable, with their time.
    case old
    case empty
    /// As many as there were, with their time.
    case zeros
    /// As many as there were, with the time of the cut.
    case newZeros = "new zeros"
  }
}

/// Why a script can't be read, or isn't played as it is written.
struct ScriptError: Error, CustomStringConvertible {
  var line: Int
  var message: String
  var description: String { "line \(line): \(message)" }
}
