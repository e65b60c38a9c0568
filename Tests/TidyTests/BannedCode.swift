/// A piece of code that some sources must not contain, the reason, and the replacement.
struct BannedCode {
  let words: [String]
  let scope: Scope
  let advice: String

  /// The files that a ban applies to.
  enum Scope {
    case everywhere
    case sources
    case tests
    case targets(Set<String>)
    /// Sources, unless a comment on the line or within the three above gives the reason.
    case unexplained
  }

  private static let pure: Set<String> = ["CairnZone", "CairnPlan"]
  private static let belowControl = pure.union([
    "CairnStore", "CairnIdentity", "CairnReplica", "CairnContainer", "CairnFolders",
  ])
  private static let libraries = belowControl.union(["CairnControl", "CairnDaemon"])

  static let table: [BannedCode] = [
    BannedCode(
      words: ["try!", "as!"], scope: .everywhere,
      advice: "it ends the program; throw, or say by `guard`/`precondition` what must hold"),
    BannedCode(
      words: ["nonisolated(unsafe)", "unowned(unsafe)"], scope: .everywhere,
      advice: "it hides a race; use a Mutex, or hand the value over"),
    BannedCode(
      words: ["@unchecked Sendable"], scope: .unexplained,
      advice: "write the proof as a comment above it, or use a Mutex"),
    BannedCode(
      words: ["try?"], scope: .unexplained,
      advice: "it hides an error; catch it, or say in a comment why it doesn't matter"),
    BannedCode(
      words: ["Mutex<(@Sendable", "Mutex<(@escaping"], scope: .sources,
      advice: "each look wraps such a function once more and puts it back; let a struct have it"),
    BannedCode(
      words: ["@TaskLocal"], scope: .sources,
      advice: "a thread without a task crashes with it in a statically linked program; use a key "
        + "of the thread"),
    BannedCode(
      words: ["Thread.sleep", "Task.sleep"], scope: .everywhere,
      advice: "wait for the thing itself: a condition, a semaphore, a read on a pipe"),
    BannedCode(
      words: ["sleep(", "usleep(", "nanosleep("], scope: .tests,
      advice: "wait for the thing itself: a condition, a semaphore, a read on a pipe"),
    BannedCode(
      words: [
        "package func", "package struct", "package enum", "package class", "package var",
        "package let", "package init", "package protocol", "package extension", "package actor",
      ], scope: .sources,
      advice: "calls across targets become 17 times slower; use `public`"),
    BannedCode(
      words: ["print("], scope: .targets(libraries),
      advice: "a library has no standard output; return the value, or log it"),
    BannedCode(
      words: ["FileManager"], scope: .targets(belowControl),
      advice: "it follows symbolic links and wants names in Unicode; use CairnSystem's calls"),
    BannedCode(
      words: ["Date("], scope: .targets(belowControl),
      advice: "no clock decides; take the time from the caller"),
    BannedCode(
      words: ["ContinuousClock", "SuspendingClock", "clock_gettime("], scope: .targets(pure),
      advice: "a pure target has no clock; take the time from the caller"),
    BannedCode(
      words: [".random(", "SystemRandomNumberGenerator"], scope: .targets(pure),
      advice: "a pure target has no randomness; take the value from the caller"),
    BannedCode(
      words: ["await ", " async "], scope: .targets(pure),
      advice: "a pure target does not wait; return a value"),
  ]

  /// Marks that must not be committed, also in comments. They are split so that this file has none.
  static let marks: [(mark: String, advice: String)] = [
    ("TO" + "DO", "write an issue"),
    ("FIX" + "ME", "write an issue"),
    ("fatalError(\"" + "not ", "write it, or leave the function out"),
    ("fatalError(\"" + "unimpl", "write it, or leave the function out"),
  ]

  func applies(to source: SwiftSource) -> Bool {
    switch scope {
    case .everywhere: true
    case .sources, .unexplained: !source.isTest
    case .tests: source.isTest
    case .targets(let targets): !source.isTest && targets.contains(source.target)
    }
  }

  /// The places where the source breaks this ban.
  func violations(in source: SwiftSource) -> [Violation] {
    guard applies(to: source) else { return [] }
    let words = words.filter { source.codeHas($0) }
    if words.isEmpty { return [] }
    return source.code.enumerated().flatMap { index, line in
      words.filter { Self.contains(line, $0) }.compactMap { word in
        if case .unexplained = scope, source.isExplained(line: index + 1) { return nil }
        return Violation(source.path, index + 1, "`\(word)`: \(advice)")
      }
    }
  }

  /// A Boolean value that indicates whether the line has the word without a letter or digit before.
  private static func contains(_ line: String, _ word: String) -> Bool {
    line.ranges(of: word).contains { range in
      guard range.lowerBound > line.startIndex, word.first?.isLetter == true else { return true }
      let before = line[line.index(before: range.lowerBound)]
      return !before.isLetter && !before.isNumber && before != "_"
    }
  }
}
