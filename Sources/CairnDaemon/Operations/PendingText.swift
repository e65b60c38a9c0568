/// The text for paths that wait, with the reasons, in a message of one sentence.
enum PendingText {
  /// The maximum number of paths for one reason, and of reasons.
  private static let most = 3

  /// Returns the waiting paths with their reasons: each reason once, after its paths. A path that
  /// several records have or had is named once.
  /// - Parameter waiting: The paths with their reasons, in their order.
  /// - Returns: The text, without a full stop.
  static func list(_ waiting: [(path: String, reason: String)]) -> String {
    var groups: [(reason: String, paths: [String])] = []
    var named: Set<[String]> = []
    for one in waiting {
      let reason = clause(one.reason)
      guard named.insert([reason, one.path]).inserted else { continue }
      if let index = groups.firstIndex(where: { $0.reason == reason }) {
        groups[index].paths.append(one.path)
      } else {
        groups.append((reason, [one.path]))
      }
    }
    let parts = groups.prefix(most).map { group in
      let more = group.paths.count - most
      return group.paths.prefix(most).joined(separator: ", ")
        + (more > 0 ? " and \(more) more" : "") + " (\(group.reason))"
    }
    let rest = groups.count - most
    return parts.joined(separator: "; ") + (rest > 0 ? "; and \(rest) other reasons" : "")
  }

  /// Returns the first sentence of a reason without its full stop, and with long names of objects
  /// cut, so that it fits into another sentence.
  static func clause(_ reason: String) -> String {
    var text = reason[...]
    if let end = firstEnd(of: text) { text = text[..<end] }
    while text.last == "." || text.last == " " { text.removeLast() }
    return text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      isObject(word) ? "an object" + (word.hasSuffix(":") ? ":" : "") : String(word)
    }.joined(separator: " ")
  }

  /// Returns the position of the first full stop before a space.
  private static func firstEnd(of text: Substring) -> Substring.Index? {
    var index = text.startIndex
    while index < text.endIndex {
      let next = text.index(after: index)
      if text[index] == ".", next < text.endIndex, text[next] == " " { return index }
      index = next
    }
    return nil
  }

  /// Returns whether a word is the key of an object: it has an id of 64 hexadecimal digits.
  private static func isObject(_ word: Substring) -> Bool {
    var digits = 0
    for byte in word.utf8 {
      let isDigit = (48...57).contains(byte) || (97...102).contains(byte)
      digits = isDigit ? digits + 1 : 0
      if digits >= 32 { return true }
    }
    return false
  }
}
