/// Joins the JSON of a list reply from its batches, piece by piece, without holding all of it.
public struct ListJSON: Sendable {
  private let name: String
  private var isBegun = false
  private var isEmpty = true

  /// Creates a writer for a reply whose list has that name.
  public init(name: String) { self.name = name }

  /// A Boolean value that indicates whether the output has begun, so that later output must
  /// continue it.
  public var hasBegun: Bool { isBegun }

  /// Formats a batch.
  /// - Parameter array: The batch's JSON array.
  /// - Returns: the bytes to write.
  public mutating func piece(_ array: [UInt8]) -> [UInt8] {
    let inside = array.dropFirst().dropLast()
    let start = begin()
    guard !inside.isEmpty else { return start }
    defer { isEmpty = false }
    return start + (isEmpty ? [] : [UInt8(ascii: ",")]) + inside
  }

  /// Formats the end.
  /// - Parameter reply: The reply's JSON object with an empty list.
  /// - Returns: the bytes to write.
  public mutating func end(_ reply: [UInt8]) -> [UInt8] {
    begin() + Array("]".utf8) + Self.members(of: reply, but: name) + Array("}".utf8)
  }

  /// Formats the end of an incomplete list: the object has an additional member `error`.
  /// - Parameter error: The reason.
  /// - Returns: the bytes to write.
  public mutating func end(_ error: ControlError) -> [UInt8] {
    let line: [UInt8]
    do {
      line = try ControlJSON.encode(error)
    } catch {
      preconditionFailure("An error is made of strings, and those have a form in JSON: \(error)")
    }
    return begin() + Array("],\"error\":".utf8) + line + Array("}".utf8)
  }

  private mutating func begin() -> [UInt8] {
    guard !isBegun else { return [] }
    isBegun = true
    return Array("{\"\(name)\":[".utf8)
  }

  /// The members of a JSON object except one, each after a comma.
  private static func members(of object: [UInt8], but name: String) -> [UInt8] {
    var members: [UInt8] = []
    var (depth, isString, isEscaped) = (0, false, false)
    var start = object.startIndex + 1
    for (place, byte) in object.enumerated() {
      if isString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      guard (depth == 1 && byte == UInt8(ascii: ",")) || depth == 0 else { continue }
      let member = object[start..<place]
      if !member.isEmpty, !member.starts(with: Array("\"\(name)\":".utf8)) {
        members += [UInt8(ascii: ",")] + member
      }
      start = place + 1
      if depth == 0 { break }
    }
    return members
  }
}
