import Glibc

/// The lines in the body of an HTTP answer, read when they are asked for. It knows no JSON.
struct AnswerReader {
  /// The rest of the body.
  private enum Rest {
    case unknown
    /// The number of bytes of the chunk that are still to be read.
    case chunk(Int)
    /// The number of bytes that are still to be read.
    case bytes(Int)
    case toEnd
    case nothing
  }

  private let call: ControlCall
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  /// The unread part of the buffer.
  private var unread = 0..<0
  private var rest = Rest.unknown
  private var line: [UInt8] = []
  /// The version of the daemon, if it sent one; known after the first `next`.
  private(set) var version: String?

  init(_ call: ControlCall) { self.call = call }

  /// Returns the next line without its newline, and blocks until there is one; nil after the last
  /// one, and if the connection ends early.
  mutating func next() throws(ControlError) -> [UInt8]? {
    if case .unknown = rest { try readHead() }
    while let part = try part() {
      let newline = buffer[part].firstIndex(of: UInt8(ascii: "\n"))
      line += buffer[part.lowerBound..<(newline ?? part.upperBound)]
      take((newline.map { $0 + 1 } ?? part.upperBound) - part.lowerBound)
      guard newline != nil else { continue }
      defer { line.removeAll() }
      return line
    }
    return nil
  }

  /// Returns unread bytes of the body in the buffer; nil at its end.
  private mutating func part() throws(ControlError) -> Range<Int>? {
    while true {
      switch rest {
      case .unknown, .nothing, .bytes(0): return nil
      case .chunk(0): try readChunkSize()
      case .chunk(let count), .bytes(let count):
        guard try fill() else { return nil }
        return unread.lowerBound..<min(unread.upperBound, unread.lowerBound + count)
      case .toEnd: return try fill() ? unread : nil
      }
    }
  }

  /// Notes that bytes of the body were read.
  private mutating func take(_ count: Int) {
    unread = (unread.lowerBound + count)..<unread.upperBound
    switch rest {
    case .chunk(let all): rest = .chunk(all - count)
    case .bytes(let all): rest = .bytes(all - count)
    case .unknown, .toEnd, .nothing: break
    }
  }

  private mutating func readHead() throws(ControlError) {
    rest = .toEnd
    guard try headLine() != nil else { return rest = .nothing }
    while let text = try headLine(), !text.isEmpty {
      let parts = text.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let value = parts[1].drop { $0 == " " }
      switch parts[0].lowercased() {
      case Control.versionHeader: version = String(value)
      case "transfer-encoding" where value.lowercased() == "chunked": rest = .chunk(0)
      case "content-length": rest = Int(value).map { .bytes(max(0, $0)) } ?? .nothing
      default: break
      }
    }
  }

  /// Reads the size of the next chunk, behind the end of the last one.
  private mutating func readChunkSize() throws(ControlError) {
    var text = try headLine()
    if text == "" { text = try headLine() }
    let size = text.flatMap { Int($0.prefix { $0 != ";" }, radix: 16) } ?? 0
    rest = size > 0 ? .chunk(size) : .nothing
  }

  /// Reads a line of the head, or between chunks; nil at the end.
  private mutating func headLine() throws(ControlError) -> String? {
    var bytes: [UInt8] = []
    while try fill() {
      let byte = buffer[unread.lowerBound]
      unread = (unread.lowerBound + 1)..<unread.upperBound
      if byte == UInt8(ascii: "\n") {
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
      }
      bytes.append(byte)
    }
    return nil
  }

  /// Makes sure that the buffer has unread bytes.
  /// - Returns: False at the end.
  private mutating func fill() throws(ControlError) -> Bool {
    guard unread.isEmpty else { return true }
    unread = 0..<(try call.receive(into: &buffer))
    return !unread.isEmpty
  }
}
