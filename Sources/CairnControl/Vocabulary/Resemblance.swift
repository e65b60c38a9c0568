/// The search for the name that a person probably meant.
public enum Resemblance {
  /// Returns the known name that a mistyped one resembles most; nil if it resembles none.
  /// - Parameters:
  ///   - text: The name as it was typed.
  ///   - names: The known names.
  /// - Returns: The known name.
  public static func nearest(_ text: String, among names: [String]) -> String? {
    let typed = Array(text.lowercased().utf8)
    let most = max(1, min(3, typed.count / 3))
    let found = names.map { (name: $0, edits: edits(typed, Array($0.lowercased().utf8))) }
      // At least one letter is right.
      .filter { $0.edits <= most && $0.edits < max(1, typed.count) && $0.name != text }
    return found.min { ($0.edits, $0.name) < ($1.edits, $1.name) }?.name
  }

  /// Returns the number of letters to insert, delete, replace or swap with the next one.
  static func edits(_ one: [UInt8], _ other: [UInt8]) -> Int {
    guard one.count <= 256, other.count <= 256 else { return .max }
    var (older, old) = ([Int](), Array(0...other.count))
    for (row, letter) in one.enumerated() {
      var new = [row + 1]
      for (column, otherLetter) in other.enumerated() {
        var least = min(
          new[column] + 1, old[column + 1] + 1, old[column] + (letter == otherLetter ? 0 : 1))
        if row > 0, column > 0, letter == other[column - 1], one[row - 1] == otherLetter {
          least = min(least, older[column - 1] + 1)
        }
        new.append(least)
      }
      (older, old) = (old, new)
    }
    return old[other.count]
  }
}
