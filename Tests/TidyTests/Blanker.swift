/// Replaces comments and the inside of string literals and quoted names by blanks, and keeps every
/// line where it was. Code inside an interpolation stays.
struct Blanker {
  private let input: [UInt8]
  private var output: [UInt8]
  private var index = 0
  /// The comments of the input, in order, with their slashes.
  private(set) var comments: [Range<Int>] = []

  init(_ input: [UInt8]) {
    self.input = input
    output = input
  }

  mutating func run() -> [UInt8] {
    scanCode(inInterpolation: false)
    return output
  }

  private mutating func scanCode(inInterpolation: Bool) {
    var depth = 0
    while index < input.count {
      switch input[index] {
      case UInt8(ascii: "/") where starts("//"):
        let start = index
        blank(until: { $0.starts("\n") })
        comments.append(start..<index)
      case UInt8(ascii: "/") where starts("/*"):
        let start = index
        blankBlockComment()
        comments.append(start..<index)
      case UInt8(ascii: "`"): blankQuotedName()
      case UInt8(ascii: "\""), UInt8(ascii: "#"): scanLiteral()
      case UInt8(ascii: "("):
        depth += 1
        index += 1
      case UInt8(ascii: ")"):
        index += 1
        if inInterpolation && depth == 0 { return }
        depth -= 1
      default: index += 1
      }
    }
  }

  private mutating func scanLiteral() {
    var pounds = ""
    while index < input.count, starts("#") {
      pounds += "#"
      index += 1
    }
    guard index < input.count, starts("\"") else { return }
    let quote = starts("\"\"\"") ? "\"\"\"" : "\""
    let escape = "\\" + pounds
    index += quote.utf8.count
    while index < input.count {
      if starts(quote + pounds) {
        index += quote.utf8.count + pounds.utf8.count
        return
      }
      if starts(escape + "(") {
        index += escape.utf8.count + 1
        scanCode(inInterpolation: true)
      } else if starts(escape) {
        for _ in 0...escape.utf8.count { blankByte() }
      } else if quote == "\"" && starts("\n") {
        return
      } else {
        blankByte()
      }
    }
  }

  private mutating func blankBlockComment() {
    var depth = 0
    repeat {
      if starts("/*") { depth += 1 } else if starts("*/") { depth -= 1 }
      if starts("/*") || starts("*/") { blankByte() }
      blankByte()
    } while depth > 0 && index < input.count
  }

  private mutating func blankQuotedName() {
    index += 1
    blank(until: { $0.starts("`") || $0.starts("\n") })
    index += 1
  }

  private mutating func blank(until isEnd: (Blanker) -> Bool) {
    while index < input.count, !isEnd(self) { blankByte() }
  }

  private mutating func blankByte() {
    guard index < input.count else { return }
    if input[index] != UInt8(ascii: "\n") { output[index] = UInt8(ascii: " ") }
    index += 1
  }

  private func starts(_ text: String) -> Bool {
    guard index < input.count, input[index] == text.utf8.first else { return false }
    return text.utf8.count == 1 || input[index...].starts(with: text.utf8)
  }
}
