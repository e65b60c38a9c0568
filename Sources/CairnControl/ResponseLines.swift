/// The complete lines of received bytes. It knows no JSON.
final class ResponseLines {
  private var partial: [UInt8] = []
  private var lines: [[UInt8]] = []
  private var isOver = false

  /// Adds received bytes. `next` returns each complete line.
  func append(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        lines.append(partial)
        partial = []
      } else {
        partial.append(byte)
      }
    }
  }

  /// Ends the answer.
  func end() { isOver = true }

  /// A Boolean value that indicates whether `next` knows its result.
  var hasLine: Bool { !lines.isEmpty || isOver }

  /// Returns the next complete line without its newline; nil if there is none.
  func next() -> [UInt8]? { lines.isEmpty ? nil : lines.removeFirst() }
}
