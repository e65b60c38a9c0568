/// The files whose versions are merged line by line when two people edited one of them: those with
/// the endings `.txt` and `.md`, and those that a folder's `.cairnmerge` adds. Its lines have the
/// syntax of a `.cairnignore`; a line with `!` excludes files.
public struct MergeRules: Sendable {
  /// The name of the file with the rules, in the root of a folder.
  public static let fileName = ".cairnmerge"
  private static let builtin = IgnoreRules(parsing: "*.txt\n*.md\n".utf8)

  private let own: IgnoreRules?

  /// Parses the bytes of a folder's rules; nil if it has none. Rules that cost too much have no
  /// effect.
  public init(parsing bytes: [UInt8]?) {
    own = bytes.map { IgnoreRules(parsing: $0) }.flatMap {
      $0.cost <= IgnoreRules.mostCost ? $0 : nil
    }
  }

  /// Returns whether a file is merged. The names lead from the root of the folder to the file.
  public func include(_ path: [[UInt8]]) -> Bool {
    let pattern =
      own?.pattern(for: path[...], isDirectory: false)
      ?? Self.builtin.pattern(for: path[...], isDirectory: false)
    return pattern.map { !$0.isNegated } ?? false
  }
}
