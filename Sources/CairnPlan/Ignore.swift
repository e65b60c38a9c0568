public import CairnZone

/// The rules of one `.cairnignore`, in gitignore(5)'s syntax and order. Knows the text and no
/// files. A `.cairnignore` itself is an ordinary file that is mirrored like any other.
public struct IgnoreRules: Sendable {
  /// The most bytes that a `.cairnignore` may have.
  public static let mostBytes = 64 << 10
  /// The most that all rules on the way to an entry may cost together: somebody else may have
  /// written them, and they are asked about each new entry. The largest collections of patterns
  /// that people use cost a hundredth of it.
  public static let mostCost = 4 << 20

  private let patterns: [IgnorePattern]
  /// A bound on the steps that it takes to ask all patterns about one entry of usual depth.
  public let cost: Int

  /// Reads the bytes of a `.cairnignore`. Every text is a valid one: a line that can't match
  /// anything doesn't.
  public init(parsing bytes: some Collection<UInt8>) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : Array(bytes)
    patterns = text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      IgnorePattern(line: line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
    cost = patterns.reduce(0) { $0 + $1.cost }
  }

  /// Whether there's no rule at all.
  public var isEmpty: Bool { patterns.isEmpty }

  /// The last rule that is about the entry, which decides; nil if none is.
  func pattern(for path: ArraySlice<[UInt8]>, isDirectory: Bool) -> IgnorePattern? {
    patterns.last { $0.matches(path, isDirectory: isDirectory) }
  }
}

/// Decides which entries of a mount aren't mirrored: the built-in rules for temporary files of
/// editors and downloaders, and the `.cairnignore` files, of which the nearest wins.
public struct IgnoreMatcher: Sendable {
  /// The name of the files with rules.
  public static let fileName = ".cairnignore"

  /// What is ignored unless a `!pattern` in a `.cairnignore` says otherwise.
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

  /// Names of the built-in rules under which only an empty file is a temporary one: an editor tries
  /// with it whether it may write in a directory.
  private static let trials: Set<[UInt8]> = [Array("4913".utf8)]
  private static let staging = Array(".cairn".utf8)
  private let builtin: IgnoreRules

  /// A matcher with these rules for what no `.cairnignore` speaks of.
  public init(builtin: IgnoreRules = IgnoreMatcher.builtin) { self.builtin = builtin }

  /// Whether the entry at `path`, names from the mount's root on, is not mirrored. `rules[depth]`
  /// are those of the `.cairnignore` in the directory `path.prefix(depth)`, nil or missing if
  /// there's none. An entry of an ignored directory is ignored, whatever other rules say about it.
  /// `isEmpty` is whether it is a file without bytes.
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

  /// The same for an entry of a directory that is known not to be ignored, as a scan meets it.
  public func ignoresEntry(
    _ path: [FileName], isDirectory: Bool, isEmpty: Bool, rules: [IgnoreRules?]
  ) -> Bool {
    verdict(
      on: path.map(\.bytes)[...], isDirectory: isDirectory, isEmpty: isEmpty, rules: rules)
  }

  /// The pattern that keeps the entry of a directory that isn't ignored out of the zone, and the
  /// depth of the `.cairnignore` that it stands in, nil for a built-in one; nil if none does.
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
    // The engine's own folder, in copies of a mount too: no rule can bring it back.
    if path.last == Self.staging { return true }
    return pattern(path, isDirectory, isEmpty, rules).map { !$0.pattern.isNegated } ?? false
  }

  /// The rule that decides on an entry: of the nearest `.cairnignore` that speaks of it.
  private func pattern(
    _ path: ArraySlice<[UInt8]>, _ isDirectory: Bool, _ isEmpty: Bool, _ rules: [IgnoreRules?]
  ) -> (pattern: IgnorePattern, depth: Int?)? {
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
