import CairnZone

/// Counts what a commit's bytes are made of before anything is made of them: a few million parts of
/// no bytes each would fit into an entry, and each of them takes a hundred times as much memory.
enum CommitBounds {
  private enum Field {
    static let chunks: UInt64 = 6
    static let records: UInt64 = 7
    static let share: UInt64 = 8
  }

  /// A record has an id, a chunk has a name: anything shorter is refused one by one anyway.
  private static let shortestPart = 18
  /// The most changes of a share in one commit; there is no use for more than a few hundred.
  static let mostShareChanges = 4_096

  /// Throws if the bytes are a commit of more or shorter parts than a commit has. What isn't a
  /// commit at all is for the decoder to refuse.
  static func check(_ body: [UInt8]) throws(FormatError) {
    var walk = Walk(bytes: body)
    var shareChanges = 0
    while let (field, length) = walk.next() {
      switch field {
      case Field.chunks, Field.records:
        guard length >= shortestPart else { throw damaged("it is made of empty parts") }
      case Field.share: shareChanges += 1
      default: break
      }
      guard shareChanges <= mostShareChanges else {
        throw damaged("it has more than \(mostShareChanges) changes of the share")
      }
    }
  }

  private static func damaged(_ why: String) -> FormatError { FormatError("commit", why) }

  /// The fields of one message, from front to back, by number and length.
  private struct Walk {
    let bytes: [UInt8]
    var index = 0

    /// The next field; nil at the end, and where the bytes are no message.
    mutating func next() -> (field: UInt64, length: Int)? {
      guard let tag = varint() else { return nil }
      let length: Int
      switch tag & 7 {
      case 0: return varint().map { _ in (tag >> 3, 0) }
      case 1: length = 8
      case 5: length = 4
      case 2:
        guard let count = varint(), count <= UInt64(bytes.count - index) else { return nil }
        length = Int(count)
      default: return nil
      }
      guard length <= bytes.count - index else { return nil }
      index += length
      return (tag >> 3, length)
    }

    private mutating func varint() -> UInt64? {
      var value: UInt64 = 0
      for shift in stride(from: 0, to: 64, by: 7) {
        guard index < bytes.count else { return nil }
        let byte = bytes[index]
        index += 1
        value |= UInt64(byte & 127) << UInt64(shift)
        if byte < 128 { return value }
      }
      return nil
    }
  }
}
