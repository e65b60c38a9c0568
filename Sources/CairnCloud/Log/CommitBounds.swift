import CairnZone

/// Counts what a commit's bytes are made of before anything is made of them: a few million parts of
/// no bytes each would fit into an entry, and each of them takes a hundred times as much memory.
enum CommitBounds {
  private enum Field {
    static let chunks: UInt64 = 6
    static let records: UInt64 = 7
    static let share: UInt64 = 8
    static let keys: UInt64 = 12
  }

  /// In a record change.
  private enum Part {
    static let attributes: UInt64 = 8
    static let fields: UInt64 = 9
    /// In attributes.
    static let extended: UInt64 = 4
    /// In a field.
    static let list: UInt64 = 10
    /// In both: what there are many of.
    static let element: UInt64 = 1
  }

  /// A record has an id, a chunk a name, a key a person: what is shorter is refused one by one
  /// anyway.
  private static let shortestPart = 18
  /// The most changes of a share in one commit; there is no use for more than a few hundred.
  static let mostShareChanges = 4_096
  /// The most fields, values in lists, and extended attributes of one commit together.
  static let mostValues = 65_536

  /// Throws if the bytes are a commit of more or shorter parts than a commit has, or no message.
  /// What isn't known is one run of bytes to the decoder, however many fields it is, and isn't
  /// counted.
  static func check(_ body: [UInt8]) throws(FormatError) {
    var walk = FieldWalk(body)
    var shareChanges = 0
    var values = 0
    while let field = try next(&walk) {
      switch field.number {
      case Field.chunks, Field.records, Field.keys:
        guard field.length >= shortestPart else { throw damaged("it is made of empty parts") }
        if field.number == Field.records { values += try self.values(in: body, field.range) }
      case Field.share: shareChanges += 1
      default: break
      }
      guard shareChanges <= mostShareChanges else {
        throw damaged("it has more than \(mostShareChanges) changes of the share")
      }
      guard values <= mostValues else {
        throw damaged("it has more than \(mostValues) fields and values in them")
      }
    }
  }

  /// The number of fields, values in lists, and extended attributes of a record change.
  private static func values(in body: [UInt8], _ range: Range<Int>) throws(FormatError) -> Int {
    var walk = FieldWalk(body, within: range)
    var count = 0
    while let field = try next(&walk) {
      switch field.number {
      case Part.fields: count += 1 + (try elements(of: Part.list, in: body, field.range))
      case Part.attributes: count += try elements(of: Part.extended, in: body, field.range)
      default: break
      }
    }
    return count
  }

  /// The number of elements of what stands under that number in a message.
  private static func elements(
    of number: UInt64, in body: [UInt8], _ range: Range<Int>
  ) throws(FormatError) -> Int {
    var walk = FieldWalk(body, within: range)
    var count = 0
    while let field = try next(&walk) {
      guard field.number == number else { continue }
      var parts = FieldWalk(body, within: field.range)
      while let part = try next(&parts) { count += part.number == Part.element ? 1 : 0 }
    }
    return count
  }

  /// Where the bytes are no message, a decoder must not look for parts behind.
  private static func next(_ walk: inout FieldWalk) throws(FormatError) -> FieldWalk.Field? {
    do { return try walk.next() } catch { throw damaged("it is damaged or no such thing") }
  }

  private static func damaged(_ why: String) -> FormatError { FormatError("commit", why) }
}
