/// The XML answer of an S3-compatible engine. Only the requested elements are read. The content can
/// be anything, and proves only that these strings were in the answer.
enum S3Answer {
  /// The text of the first element with this name; nil if there is none.
  static func first(_ name: String, in body: [UInt8]) -> String? {
    var texts = Elements(name, in: body)
    return texts.next()
  }

  /// The texts of all elements with this name, in order.
  static func all(_ name: String, in body: [UInt8]) -> [String] {
    var texts = Elements(name, in: body)
    var found: [String] = []
    while let text = texts.next() { found.append(text) }
    return found
  }

  /// Returns whether a list is complete: half of it would say that the rest does not exist.
  static func isWholeList(_ body: [UInt8]) -> Bool {
    let end = Array("</ListBucketResult>".utf8)
    let blanks = Set("\r\n \t".utf8)
    return body.reversed().drop { blanks.contains($0) }.starts(with: end.reversed())
  }

  /// A walk over the elements with one name that contain no elements.
  private struct Elements {
    private let open: [UInt8]
    private let body: [UInt8]
    private var position = 0

    init(_ name: String, in body: [UInt8]) {
      open = Array("<\(name)>".utf8)
      self.body = body
    }

    mutating func next() -> String? {
      guard let begin = find(open, from: position),
        let end = find([UInt8(ascii: "<")], from: begin + open.count)
      else {
        position = body.count
        return nil
      }
      position = end
      return S3Answer.unescaped(body[(begin + open.count)..<end])
    }

    private func find(_ what: [UInt8], from start: Int) -> Int? {
      guard body.count >= what.count else { return nil }
      var at = start
      while at <= body.count - what.count {
        if body[at] == what[0], body[at..<(at + what.count)].elementsEqual(what) { return at }
        at += 1
      }
      return nil
    }
  }

  /// The text with XML's five entities and character numbers replaced.
  static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.contains("&") else { return text }
    var result = ""
    var rest = text[...]
    while let ampersand = rest.firstIndex(of: "&") {
      result += rest[..<ampersand]
      rest = rest[ampersand...]
      guard let end = rest.firstIndex(of: ";"), let character = character(rest[..<end]) else {
        result.append(rest.removeFirst())
        continue
      }
      result.unicodeScalars.append(character)
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private static func character(_ name: Substring) -> Unicode.Scalar? {
    switch name {
    case "&amp": return "&"
    case "&lt": return "<"
    case "&gt": return ">"
    case "&quot": return "\""
    case "&apos": return "'"
    default: break
    }
    guard name.hasPrefix("&#"), name.utf8.count < 10 else { return nil }
    let digits = name.dropFirst(2)
    let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap { Unicode.Scalar($0) }
  }
}
