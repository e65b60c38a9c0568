import Glibc

/// Colours of words on a terminal. Every coloured word also says its meaning.
enum Paint {
  /// The colours, by meaning.
  enum Colour: String {
    case good = "32"
    case note = "33"
    case bad = "31"
    case strong = "1"
  }

  /// The sequence that ends a colour.
  static let end = "\u{1B}[0m"

  /// A Boolean value that indicates whether standard output shows colours: it is a terminal that
  /// knows them, and NO_COLOR is not set.
  static let isOn: Bool = {
    func value(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
    return isatty(STDOUT_FILENO) == 1 && value("NO_COLOR").isEmpty && value("TERM") != "dumb"
      && !value("TERM").isEmpty
  }()

  /// Returns a text in a colour.
  static func text(_ text: String, _ colour: Colour, isOn: Bool = isOn) -> String {
    isOn ? "\u{1B}[\(colour.rawValue)m\(text)\(end)" : text
  }
}
