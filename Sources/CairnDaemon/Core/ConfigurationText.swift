/// The sections, keys and values of a configuration file, in their order. Comments are not kept.
/// It must not know which keys have a meaning.
struct ConfigurationText: Equatable, Sendable {
  /// A value of a key.
  enum Value: Equatable, Sendable {
    case text(String)
    case number(Int64)
    case truth(Bool)
    case list([Value])
    /// A value of another type of TOML, for example a date, as the file spells it.
    case other(String)
  }

  /// A key and its value.
  struct Entry: Equatable, Sendable {
    let key: String
    var value: Value
  }

  /// The keys below one heading.
  struct Section: Equatable, Sendable {
    /// The name in the heading; empty for the keys before the first heading.
    let name: String
    var entries: [Entry] = []
  }

  /// The sections. The first one is always that of the keys before the first heading.
  private(set) var sections = [Section(name: "")]

  /// The section with a name; nil if the file has none.
  subscript(section name: String) -> Section? {
    get { sections.first { $0.name == name } }
    set {
      let place = sections.firstIndex { $0.name == name }
      switch (place, newValue) {
      case (let place?, let section?): sections[place] = section
      case (let place?, nil): sections.remove(at: place)
      case (nil, let section?): sections.append(section)
      case (nil, nil): break
      }
    }
  }

  /// The value of a key. Setting nil changes nothing, so that optional settings can be passed on.
  subscript(_ section: String, _ key: String) -> Value? {
    get { self[section: section]?.entries.first { $0.key == key }?.value }
    set {
      guard let newValue else { return }
      var changed = self[section: section] ?? Section(name: section)
      if let place = changed.entries.firstIndex(where: { $0.key == key }) {
        changed.entries[place].value = newValue
      } else {
        changed.entries.append(Entry(key: key, value: newValue))
      }
      self[section: section] = changed
    }
  }

  /// Applies a change of one key. A section without keys stays.
  mutating func set(_ change: ConfigurationEdit.Change) {
    self[change.section, change.key] = change.value
    guard change.value == nil, var section = self[section: change.section] else { return }
    section.entries.removeAll { $0.key == change.key }
    self[section: change.section] = section
  }

  /// Returns whether two files have the same keys with the same values, in any order.
  func isSame(as other: ConfigurationText) -> Bool {
    func entries(_ text: ConfigurationText) -> [String: [String: Value]] {
      Dictionary(
        text.sections.map { section in
          (section.name, Dictionary(section.entries.map { ($0.key, $0.value) }) { $1 })
        }
      ) { $0.merging($1) { $1 } }
    }
    return entries(self) == entries(other)
  }

  /// The text of a file with these keys and values.
  var text: String {
    sections.filter { !$0.name.isEmpty || !$0.entries.isEmpty }.map { section in
      (section.name.isEmpty ? "" : "[\(section.name)]\n")
        + section.entries.map { "\($0.key) = \($0.value.spelling)\n" }.joined()
    }.joined(separator: "\n")
  }
}

extension ConfigurationText.Value {
  /// The text, if the value is one.
  var string: String? { if case .text(let text) = self { text } else { nil } }
  /// The whole number, if the value is one.
  var int: Int64? { if case .number(let number) = self { number } else { nil } }
  /// The truth value, if the value is one.
  var bool: Bool? { if case .truth(let truth) = self { truth } else { nil } }
  /// The values of the list, if the value is one.
  var array: [Self]? { if case .list(let values) = self { values } else { nil } }

  /// The spelling of the value in a file.
  var spelling: String {
    switch self {
    case .text(let text): Self.quoted(text)
    case .number(let number): "\(number)"
    case .truth(let truth): truth ? "true" : "false"
    case .list(let values): "[" + values.map(\.spelling).joined(separator: ", ") + "]"
    case .other(let spelling): spelling
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case "\0"..."\u{1f}", "\u{7f}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
