/// A reader of the subset of TOML that cairn.conf(5) describes: sections, bare keys, text in
/// quotes, whole numbers, true, false, lists of these, and comments. No file can make it recurse.
struct ConfigurationReader {
  /// A place where a file isn't as it must be.
  struct Mistake: Error, Equatable, CustomStringConvertible {
    /// The number of the line, counted from 1.
    let line: Int
    /// The sentence about it, without the line.
    let what: String

    /// A sentence for people.
    var description: String { "line \(line): \(what)" }
  }

  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var found = ConfigurationText()

  private init(_ text: String) {
    bytes = Array(text.utf8)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Reads the text of a file.
  /// - Throws: `Mistake`, the first one in the text.
  static func read(_ text: String) throws(Mistake) -> ConfigurationText {
    var reader = Self(text)
    var section = ""
    while true {
      reader.skipBlankLines()
      guard let byte = reader.next else { return reader.found }
      if byte == UInt8(ascii: "[") {
        section = try reader.readHeading()
      } else {
        try reader.readEntry(of: section)
      }
      try reader.readLineEnd()
    }
  }

  // MARK: Bytes

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// A Boolean value that indicates whether a line ends here, or the file.
  private var isAtLineEnd: Bool {
    switch next {
    case nil, UInt8(ascii: "\n"): true
    case UInt8(ascii: "\r"): position + 1 < bytes.count && bytes[position + 1] == 0x0A
    default: false
    }
  }

  /// Passes over a byte if it is the next one.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    if character == "\n" { line += 1 }
    return true
  }

  private mutating func skipBlanks() { while take(" ") || take("\t") {} }

  /// Passes over blanks, a comment, and the end of the line if it comes next.
  private mutating func skipLineEnd() {
    skipBlanks()
    if next == UInt8(ascii: "#") { while !isAtLineEnd { position += 1 } }
    if isAtLineEnd {
      _ = take("\r")
      _ = take("\n")
    }
  }

  private mutating func skipBlankLines() {
    var start: Int
    repeat {
      start = position
      skipLineEnd()
    } while position > start
  }

  private mutating func readLineEnd() throws(Mistake) {
    let before = line
    skipLineEnd()
    guard line > before || next == nil else {
      throw mistake("something follows the value; write each key on a line of its own")
    }
  }

  private func mistake(_ what: String) -> Mistake { Mistake(line: line, what: what) }

  // MARK: Headings and keys

  private mutating func readHeading() throws(Mistake) -> String {
    _ = take("[")
    skipBlanks()
    let name = readName()
    skipBlanks()
    guard !name.isEmpty, take("]") else {
      throw mistake("a section is written as [name], with letters, digits, - and _")
    }
    guard found[section: name] == nil else { throw mistake("the section [\(name)] is there twice") }
    found[section: name] = ConfigurationText.Section(name: name)
    return name
  }

  private mutating func readEntry(of section: String) throws(Mistake) {
    let key = readName()
    guard !key.isEmpty else {
      throw mistake("a key has letters, digits, - and _")
    }
    skipBlanks()
    guard take("=") else { throw mistake("“=” is missing after \(key)") }
    skipBlanks()
    guard found[section, key] == nil else { throw mistake("the key \(key) is there twice") }
    found[section, key] = try readValue()
  }

  private mutating func readName() -> String {
    let start = position
    while let byte = next, Self.isNameByte(byte) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  // MARK: Values

  private mutating func readValue() throws(Mistake) -> ConfigurationText.Value {
    guard take("[") else { return try readSimpleValue() }
    var values: [ConfigurationText.Value] = []
    while true {
      skipBlankLines()
      if take("]") { return .list(values) }
      values.append(try readSimpleValue())
      skipBlankLines()
      if take("]") { return .list(values) }
      guard take(",") else { throw mistake("“,” or “]” is missing in a list") }
    }
  }

  /// Reads a value that is no list.
  private mutating func readSimpleValue() throws(Mistake) -> ConfigurationText.Value {
    if take("\"") { return .text(try readText()) }
    if take("'") { return .text(try readLiteral()) }
    let start = position
    while let byte = next, byte > 0x20, !"#,[]{}=\"'\u{7f}".utf8.contains(byte) { position += 1 }
    let word = String(decoding: bytes[start..<position], as: UTF8.self)
    if word == "true" || word == "false" { return .truth(word == "true") }
    if let number = Self.number(word) { return .number(number) }
    guard word.utf8.first.map({ "+-0123456789".utf8.contains($0) }) == true, Self.isPlain(word)
    else {
      throw mistake("a value is text in quotes, a whole number, true, false or a list")
    }
    return .other(word)
  }

  /// A Boolean value that indicates whether a word has only characters of TOML's numbers and dates.
  private static func isPlain(_ word: String) -> Bool {
    word.utf8.allSatisfy { isNameByte($0) || "+:.".utf8.contains($0) }
  }

  /// The whole number that a word spells. Single underscores may separate digits.
  private static func number(_ word: String) -> Int64? {
    let digits = word.utf8.drop { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }
    let groups = digits.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
    guard word.utf8.count - digits.count <= 1, groups.allSatisfy({ !$0.isEmpty }),
      digits.first != UInt8(ascii: "0") || digits.count == 1
    else { return nil }
    return Int64(word.filter { $0 != "_" })
  }

  /// Reads a text up to its closing quote, with escapes.
  private mutating func readText() throws(Mistake) -> String {
    var text: [UInt8] = []
    while !take("\"") {
      let byte = try readTextByte()
      if byte == UInt8(ascii: "\\") {
        text += try readEscape()
      } else {
        text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads a text up to its closing apostrophe, in which every character stands for itself.
  private mutating func readLiteral() throws(Mistake) -> String {
    var text: [UInt8] = []
    while !take("'") { text.append(try readTextByte()) }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func readTextByte() throws(Mistake) -> UInt8 {
    guard let byte = next, !isAtLineEnd else { throw mistake("the closing quote is missing") }
    guard byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t") else {
      throw mistake("a text has a control character")
    }
    position += 1
    return byte
  }

  private mutating func readEscape() throws(Mistake) -> [UInt8] {
    let byte = try readTextByte()
    switch Unicode.Scalar(byte) {
    case "\"", "\\": return [byte]
    case "n": return [0x0A]
    case "t": return [0x09]
    case "r": return [0x0D]
    case "b": return [0x08]
    case "f": return [0x0C]
    case "u": return try readScalar(digits: 4)
    case "U": return try readScalar(digits: 8)
    default: throw mistake("a text has an escape that doesn't exist; write \\\\ for a backslash")
    }
  }

  private mutating func readScalar(digits: Int) throws(Mistake) -> [UInt8] {
    let end = min(position + digits, bytes.count)
    let word = String(decoding: bytes[position..<end], as: UTF8.self)
    guard word.utf8.count == digits, word.allSatisfy(\.isHexDigit),
      let number = UInt32(word, radix: 16), let scalar = Unicode.Scalar(number)
    else { throw mistake("a text has an escape that stands for no character") }
    position = end
    return Array(String(scalar).utf8)
  }
}
