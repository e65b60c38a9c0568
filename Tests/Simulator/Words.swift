/// The words of a line in a script: separated by blanks; `,`, `;` and `:` are words of their own,
/// and a quoted text is one word. A line that begins with `#` has none.
struct Words {
  let line: Int
  private let all: [(text: String, isQuoted: Bool)]
  private let source: String
  private var ends: [String.Index] = []
  private var position = 0

  init(_ source: Substring, _ line: Int) throws(ScriptError) {
    self.line = line
    self.source = String(source)
    var all: [(String, Bool)] = []
    let source = self.source
    var index = source.startIndex
    while index < source.endIndex {
      let character = source[index]
      switch character {
      case " ": index = source.index(after: index)
      case "#" where all.isEmpty: index = source.endIndex
      case ",", ";", ":":
        all.append((String(character), false))
        index = source.index(after: index)
        ends.append(index)
      case "\"":
        let start = source.index(after: index)
        guard let end = source[start...].firstIndex(of: "\"") else {
          throw ScriptError(line: line, message: "a quotation doesn't end")
        }
        all.append((String(source[start..<end]), true))
        index = source.index(after: end)
        ends.append(index)
      default:
        let end = source[index...].firstIndex { " ,;:\"".contains($0) } ?? source.endIndex
        all.append((String(source[index..<end]), false))
        index = end
        ends.append(index)
      }
    }
    self.all = all
  }

  var isAtEnd: Bool { position == all.count }
  /// The next word; empty at the end.
  var peek: String { isAtEnd ? "" : all[position].text }
  var second: String { position + 1 < all.count ? all[position + 1].text : "" }

  func error(_ message: String) -> ScriptError {
    ScriptError(line: line, message: "\(message): \(source)")
  }

  mutating func next() throws(ScriptError) -> String {
    guard !isAtEnd else { throw error("something is missing at the end") }
    position += 1
    return all[position - 1].text
  }

  mutating func expect(_ words: String...) throws(ScriptError) {
    for word in words {
      guard try next() == word else { throw error("“\(word)” was expected") }
    }
  }

  mutating func skip(_ word: String) -> Bool {
    guard peek == word else { return false }
    position += 1
    return true
  }

  /// The rest of the line, unchanged.
  mutating func rest() -> String {
    let start = position == 0 ? source.startIndex : ends[position - 1]
    position = all.count
    return String(source[start...].drop { $0 == " " })
  }

  func end() throws(ScriptError) {
    guard isAtEnd else { throw error("“\(peek)” is too much") }
  }

  mutating func number() throws(ScriptError) -> Int {
    guard let number = Int(try next()) else { throw error("a number was expected") }
    return number
  }

  mutating func choice<Value>(_ values: [String: Value]) throws(ScriptError) -> Value {
    guard let value = values[try next()] else {
      throw error("one of \(values.keys.sorted().joined(separator: ", ")) was expected")
    }
    return value
  }

  /// A place below the folder.
  mutating func place() throws(ScriptError) -> Place {
    let names = try next().split(separator: "/", omittingEmptySubsequences: false)
    guard names.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }) else {
      throw error("that is no place below the folder")
    }
    return Place(names.map { Array($0.utf8) })
  }

  // MARK: Calls

  /// An ordinal such as `3rd`; 1 without one.
  mutating func ordinal() throws(ScriptError) -> Int {
    guard let number = Int(peek.prefix { $0.isNumber }), number > 0,
      peek == "\(number)\(Fault.suffix(number))"
    else { return 1 }
    position += 1
    return number
  }

  mutating func when() throws(ScriptError) -> Fault.Moment {
    let isAfter = try choice(["after": true, "before": false])
    try expect(":")
    return try moment(isAfter: isAfter)
  }

  mutating func moment(isAfter: Bool) throws(ScriptError) -> Fault.Moment {
    let count = try ordinal()
    let call = try call()
    guard !isAfter || Call.ofDisk.contains(String(call.prefix { $0 != " " })) else {
      throw error("only calls to the disk have an “after”")
    }
    return Fault.Moment(call: call, count: count, isAfter: isAfter)
  }

  private mutating func call() throws(ScriptError) -> String {
    let kind = try next()
    if Call.ofStore.contains(kind) {
      let isMissing = skip("missing") ? "missing " : ""
      return "\(kind) \(isMissing)\(try next())"
    }
    guard Call.ofDisk.contains(kind) else { throw error("“\(kind)” is no call") }
    switch kind {
    case "syncfs": return kind
    case "rename", "swap", "link":
      let first = try path()
      let word = kind == "rename" ? "to" : kind == "swap" ? "and" : "as"
      try expect(word)
      return "\(kind) \(first) \(word) \(try path())"
    default: return "\(kind) \(try path())"
    }
  }

  /// A path in the form of calls.
  mutating func path() throws(ScriptError) -> String { Call.quoted(try next()) }

  /// A change of names: `making a`, `renaming a to b`.
  mutating func nameChange() throws(ScriptError) -> String {
    let verb = try next()
    switch verb {
    case "making", "removing": return "\(verb) \(try path())"
    case "renaming":
      let first = try path()
      try expect("to")
      return "\(verb) \(first) to \(try path())"
    default: throw error("“\(verb)” is no change of names")
    }
  }
}
