import CairnIdentity
import CairnZone

/// The count of a commit's parts before decoding. A few million empty parts would fit into an
/// entry, and each takes a hundred times as much memory.
enum CommitBounds {
  private enum Field {
    static let chunks: UInt64 = 6
    static let records: UInt64 = 7
    static let share: UInt64 = 8
    static let keys: UInt64 = 12
  }

  /// The field numbers of parts of a record change.
  private enum Part {
    static let attributes: UInt64 = 8
    static let fields: UInt64 = 9
    /// The field number in attributes.
    static let extended: UInt64 = 4
    /// The field number in a field.
    static let list: UInt64 = 10
    /// The field number of the repeated elements in both.
    static let element: UInt64 = 1
  }

  /// The minimum size of a part: a record has an id, a chunk a name, a key a person. Shorter ones
  /// are refused individually anyway.
  private static let shortestPart = 18
  /// The maximum number of share changes in a commit; more than a few hundred have no use.
  static let mostShareChanges = 4_096
  /// The maximum total number of fields, values in lists, and extended attributes in a commit.
  static let mostValues = 65_536

  /// Throws if the bytes are a commit with more or shorter parts than allowed, or no message. For
  /// the decoder, all unknown fields are one run of bytes, and so they are not counted.
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

  /// The number of elements under that field number in a message.
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

  /// If the bytes are no message, a decoder must not look for parts behind.
  private static func next(_ walk: inout FieldWalk) throws(FormatError) -> FieldWalk.Field? {
    do { return try walk.next() } catch { throw damaged("it is damaged or no such thing") }
  }

  private static func damaged(_ why: String) -> FormatError { FormatError("commit", why) }
}
