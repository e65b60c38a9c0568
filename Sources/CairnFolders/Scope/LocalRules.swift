import CairnPlan
import CairnZone

/// The patterns of a folder's `.cairnignore.local`. They hide entries on this device only: a hidden
/// record isn't in the folder, and a hidden file isn't in the zone.
public struct LocalRules: Hashable, Sendable {
  /// The text of the file.
  let text: [UInt8]
  private let rules: IgnoreRules

  /// The name of the file, in the folder's top directory.
  static let fileName: FileNameBytes = FileName.localRules

  /// Parses the bytes of a file; nil if they have no pattern.
  init?(_ text: [UInt8]) {
    let rules = IgnoreRules(parsing: text)
    guard !rules.isEmpty else { return nil }
    (self.text, self.rules) = (text, rules)
  }

  /// A bound on the number of steps to compare all patterns with one entry.
  var cost: Int { rules.cost }

  /// Returns the pattern that hides an entry by its own name and path; nil if none does. The names
  /// lead from the mount's root to the entry.
  func pattern(hiding path: [FileNameBytes], isDirectory: Bool) -> [UInt8]? {
    rules.line(ignoring: path, isDirectory: isDirectory)
  }

  /// Compares the texts.
  public static func == (one: Self, other: Self) -> Bool { one.text == other.text }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
