/// The prose of a file: what people read in it, without code, markup and examples.
struct Prose {
  /// The texts of the file. A comment of several lines is one text.
  var texts: [String] = []
  /// The texts among them that are doc comments.
  var docComments: [String] = []

  /// Reads the prose of a file, by the ending of its name.
  ///
  /// Returns nil for a file of another kind than Swift, C, Python, mdoc or Markdown.
  init?(path: String, bytes: [UInt8]) {
    let ending = path.split(separator: ".").last ?? ""
    switch ending {
    case "swift" where !path.hasSuffix(".pb.swift"), "c", "h": takeComments(bytes)
    case "py": takePython(String(decoding: bytes, as: UTF8.self))
    case "1", "5", "7", "8": takePage(String(decoding: bytes, as: UTF8.self))
    case "md": takeMarkdown(String(decoding: bytes, as: UTF8.self))
    default: return nil
    }
  }

  // MARK: Swift and C

  private mutating func takeComments(_ bytes: [UInt8]) {
    var blanker = Blanker(bytes)
    _ = blanker.run()
    var runs: [Range<Int>] = []
    for comment in blanker.comments {
      if let last = runs.last, Self.isContinued(last, comment, in: bytes) {
        runs[runs.count - 1] = last.lowerBound..<comment.upperBound
      } else {
        runs.append(comment)
      }
    }
    for run in runs {
      let lines = String(decoding: bytes[run], as: UTF8.self).split(separator: "\n")
      let text = lines.map(Self.withoutMarks).joined(separator: " ")
      texts.append(text)
      if lines[0].hasPrefix("/// ") { docComments.append(text) }
    }
  }

  /// A Boolean value that indicates whether two comments are lines of one comment of one kind.
  private static func isContinued(
    _ first: Range<Int>, _ second: Range<Int>, in bytes: [UInt8]
  ) -> Bool {
    let gap = bytes[first.upperBound..<second.lowerBound]
    let isBlank = gap.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
    let isDoc = [first, second].map { bytes[$0].starts(with: "///".utf8) }
    return isBlank && gap.count { $0 == UInt8(ascii: "\n") } == 1 && isDoc[0] == isDoc[1]
  }

  private static func withoutMarks(_ line: Substring) -> Substring {
    line.drop { $0 == " " || $0 == "/" || $0 == "*" }
  }

  // MARK: Python

  private mutating func takePython(_ text: String) {
    var docstring: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.drop { $0 == " " }
      if var lines = docstring {
        lines.append(words)
        docstring = lines
        if words.contains("\"\"\"") { endDocstring(&docstring) }
      } else if words.hasPrefix("\"\"\"") {
        docstring = [words.dropFirst(3)]
        if words.dropFirst(3).contains("\"\"\"") { endDocstring(&docstring) }
      } else if words.hasPrefix("# ") {
        texts.append(String(words.dropFirst(2)))
      }
    }
  }

  private mutating func endDocstring(_ lines: inout [Substring]?) {
    let text = (lines ?? []).joined(separator: " ").replacing("\"\"\"", with: "")
    texts.append(text)
    docComments.append(text)
    lines = nil
  }

  // MARK: Pages

  /// Requests of mdoc that end a text.
  private static let ends: Set<Substring> = [
    ".Dd", ".Dt", ".Os", ".Sh", ".Ss", ".Nd", ".Pp", ".Bl", ".El", ".It", ".Bd", ".Ed", ".Dl",
  ]

  private mutating func takePage(_ page: String) {
    var text: [Substring] = []
    var isLiteral = false
    for line in page.split(separator: "\n") {
      let request = line.prefix { $0 != " " }
      if line.hasPrefix(".Bd -literal") { isLiteral = true }
      if Self.ends.contains(request) {
        texts.append(text.joined(separator: " "))
        text = []
        if [".Sh", ".Ss", ".Nd", ".It"].contains(request) {
          texts.append(String(line.dropFirst(request.count)))
        }
      } else if !isLiteral {
        text.append(line.hasPrefix(".") ? line.dropFirst(request.count + 1) : line)
      }
      if request == ".Ed" { isLiteral = false }
    }
    texts.append(text.joined(separator: " "))
  }

  private mutating func takeMarkdown(_ document: String) {
    var text: [Substring] = []
    var isCode = false
    for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") { isCode.toggle() }
      if isCode || line.isEmpty || line.hasPrefix("```") {
        texts.append(text.joined(separator: " "))
        text = []
      } else {
        text.append(line)
      }
    }
    texts.append(text.joined(separator: " "))
  }
}
