public import CairnZone

/// The rules of one `.cairnignore`, in gitignore(5)'s syntax and order. It has the text and no
/// files. A `.cairnignore` itself is an ordinary file that is mirrored like any other.
public struct IgnoreRules: Sendable {
  /// The largest size of a `.cairnignore` in bytes.
  public static let mostBytes = 64 << 10
  /// The largest total cost of all rules on the path of an entry: another person may have written
  /// them, and each new entry is compared with them. The largest collections of patterns in use
  /// cost a hundredth of it.
  public static let mostCost = 4 << 20

  private let patterns: [IgnorePattern]
  /// A bound on the number of steps to compare all patterns with one entry of usual depth.
  public let cost: Int

  /// Parses the bytes of a `.cairnignore`. Every text is valid; a line that cannot match anything
  /// has no effect.
  public init(parsing bytes: some Collection<UInt8>) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : Array(bytes)
    patterns = text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      IgnorePattern(line: line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
    cost = patterns.reduce(0) { $0 + $1.cost }
  }

  /// A Boolean value that indicates whether there are no rules.
  public var isEmpty: Bool { patterns.isEmpty }

  /// Returns the pattern that ignores an entry; nil if the last pattern about it, if any, doesn't.
  /// The names lead from the directory of the rules to the entry.
  public func line(ignoring path: [[UInt8]], isDirectory: Bool) -> [UInt8]? {
    guard let pattern = pattern(for: path[...], isDirectory: isDirectory), !pattern.isNegated
    else { return nil }
    return pattern.line
  }

  /// Returns the last rule about the entry, which decides; nil if there is none.
  func pattern(for path: ArraySlice<[UInt8]>, isDirectory: Bool) -> IgnorePattern? {
    patterns.last { $0.matches(path, isDirectory: isDirectory) }
  }
}

/// Decides which entries of a mount aren't mirrored: by the built-in rules for temporary files of
/// editors and downloaders, and by the `.cairnignore` files; the nearest one has precedence.
public struct IgnoreMatcher: Sendable {
  /// The name of the files with rules.
  public static let fileName = ".cairnignore"

  /// The built-in rules, which a `!pattern` in a `.cairnignore` overrides, except for lock files.
  public static let builtin = IgnoreRules(
    parsing: """
      *~
      .*.sw?
      .#*
      \\#*#
      4913
      .~lock.*#
      ~$*
      *.part
      *.crdownload
      *.partial
      .goutputstream-*
      .nfs*
      .fuse_hidden*
      .syncthing.*.tmp
      .~tmp~
      .cairn-[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]
      """.utf8)

  /// Names of the built-in rules that apply to empty files only: an editor tests with it whether it
  /// may write in a directory.
  private static let trials: Set<[UInt8]> = [Array("4913".utf8)]
  private static let staging = Array(".cairn".utf8)
  private let builtin: IgnoreRules

  /// Creates a matcher with these rules for entries without a rule in a `.cairnignore`.
  public init(builtin: IgnoreRules = IgnoreMatcher.builtin) { self.builtin = builtin }

  /// Returns whether the entry at `path` (names from the mount's root on) is not mirrored.
  /// `rules[depth]` are those of the `.cairnignore` in the directory `path.prefix(depth)`, nil or
  /// missing if there is none. An entry of an ignored directory is ignored, whatever other rules
  /// say. `isEmpty` says whether it is a file without bytes.
  public func ignores(
    _ path: [FileName], isDirectory: Bool, isEmpty: Bool = false, rules: [IgnoreRules?]
  ) -> Bool {
    let names = path.map(\.bytes)
    for count in 1..<max(1, names.count)
    where verdict(on: names[..<count], isDirectory: true, isEmpty: false, rules: rules) {
      return true
    }
    return verdict(on: names[...], isDirectory: isDirectory, isEmpty: isEmpty, rules: rules)
  }

  /// The same for an entry of a directory that is known not to be ignored, as in a scan.
  public func ignoresEntry(
    _ path: [FileName], isDirectory: Bool, isEmpty: Bool, rules: [IgnoreRules?]
  ) -> Bool {
    verdict(
      on: path.map(\.bytes)[...], isDirectory: isDirectory, isEmpty: isEmpty, rules: rules)
  }

  /// Returns the pattern that keeps the entry of a directory that isn't ignored out of the zone,
  /// and the depth of its `.cairnignore` (nil for a built-in pattern); nil if no pattern does.
  public func pattern(
    ignoringEntry path: [FileName], isDirectory: Bool, isEmpty: Bool, rules: [IgnoreRules?]
  ) -> (line: [UInt8], depth: Int?)? {
    guard let (pattern, depth) = pattern(path.map(\.bytes)[...], isDirectory, isEmpty, rules),
      !pattern.isNegated
    else { return nil }
    return (pattern.line, depth)
  }

  private func verdict(
    on path: ArraySlice<[UInt8]>, isDirectory: Bool, isEmpty: Bool, rules: [IgnoreRules?]
  ) -> Bool {
    guard !path.isEmpty else { return false }
    // The engine's own folder, also in copies of a mount: no rule can include it.
    if path.last == Self.staging || path.last == FileName.localRules { return true }
    return pattern(path, isDirectory, isEmpty, rules).map { !$0.pattern.isNegated } ?? false
  }

  /// Returns the rule that decides on an entry: from the nearest `.cairnignore` with a rule about
  /// it.
  private func pattern(
    _ path: ArraySlice<[UInt8]>, _ isDirectory: Bool, _ isEmpty: Bool, _ rules: [IgnoreRules?]
  ) -> (pattern: IgnorePattern, depth: Int?)? {
    // Others learn of a lock file in another way, so that no rule can include it.
    if !isDirectory, let name = path.last,
      let pattern = LockFile.rules.pattern(for: [name][...], isDirectory: false)
    {
      return (pattern, nil)
    }
    for depth in (0..<min(path.count, rules.count)).reversed() {
      let below = path.dropFirst(depth)
      if let pattern = rules[depth]?.pattern(for: below, isDirectory: isDirectory) {
        return (pattern, depth)
      }
    }
    guard let name = path.last, isEmpty || !Self.trials.contains(name) else { return nil }
    return builtin.pattern(for: path, isDirectory: isDirectory).map { ($0, nil) }
  }
}
