import FoundationEssentials
import SwiftProtobuf
import Synchronization

/// The rule for additions of later versions to stored messages, at every level of nesting. It
/// inspects decoded messages, and changes nothing.
///
/// A newer Cairn wrote a field below `firstPassedOver` with an unknown number or type, or an
/// unknown value of an enumeration, and only a newer one knows its meaning. Fields from there on
/// may be skipped. They come after all others, ascending, in the shortest form. (The encoder of the
/// message checks that none of them is elsewhere.)
///
/// Nobody can decide here whether seemingly newer content is really from a newer Cairn, or garbage
/// of a person who can write there without any right. So it holds a position like garbage, and
/// nothing more. But it must never count as garbage that may be removed: that would delete content
/// of a newer version.
struct Growth: Visitor {
  /// The first field number that may be skipped when it is unknown.
  static let firstPassedOver: UInt64 = 1024

  private let what: String
  private let isClosed: Bool

  /// Creates a check.
  /// - Parameters:
  ///   - what: The name of the message, for people.
  ///   - isClosed: Whether no field may be skipped.
  init(of what: String, isClosed: Bool) {
    self.what = what
    self.isClosed = isClosed
  }

  mutating func visitUnknown(bytes: Data) throws {
    var walk = FieldWalk([UInt8](bytes))
    var last = Self.firstPassedOver
    while let field = try next(&walk) {
      guard field.number >= Self.firstPassedOver else { throw FormatError.newer(what) }
      guard !isClosed else { throw FormatError(what, "it has a field that nobody signed") }
      guard field.number >= last, field.isShortest else {
        throw FormatError(what, "it isn't in the canonical encoding")
      }
      last = field.number
    }
  }

  private func next(_ walk: inout FieldWalk) throws(FormatError) -> FieldWalk.Field? {
    do { return try walk.next() } catch {
      throw FormatError(what, "it has a group, which no message has")
    }
  }

  mutating func visitSingularEnumField<E: Enum>(value: E, fieldNumber: Int) throws {
    guard Self.known(E.self).contains(value.rawValue) else { throw FormatError.newer(what) }
  }

  /// The values of an enumeration in this version. The runtime searches all linked types for this,
  /// which took a third of reading a small entry, so it happens once.
  private static func known<E: Enum>(_ type: E.Type) -> Set<Int> {
    values.withLock { values in
      if let found = values[ObjectIdentifier(type)] { return found }
      let found = (type as? any (Enum & CaseIterable).Type).map { Self.values(of: $0) } ?? []
      values[ObjectIdentifier(type)] = found
      return found
    }
  }

  private static let values = Mutex<[ObjectIdentifier: Set<Int>]>([:])

  private static func values<E: Enum & CaseIterable>(of type: E.Type) -> Set<Int> {
    Set(type.allCases.map(\.rawValue))
  }

  mutating func visitSingularMessageField<M: Message>(value: M, fieldNumber: Int) throws {
    try value.traverse(visitor: &self)
  }

  // Other values need no check.

  mutating func visitSingularDoubleField(value: Double, fieldNumber: Int) {}
  mutating func visitSingularInt64Field(value: Int64, fieldNumber: Int) {}
  mutating func visitSingularUInt64Field(value: UInt64, fieldNumber: Int) {}
  mutating func visitSingularBoolField(value: Bool, fieldNumber: Int) {}
  mutating func visitSingularStringField(value: String, fieldNumber: Int) {}
  mutating func visitSingularBytesField(value: Data, fieldNumber: Int) {}
  mutating func visitRepeatedBytesField(value: [Data], fieldNumber: Int) {}

  mutating func visitMapField<KeyType, ValueType: MapValueType>(
    fieldType: _ProtobufMap<KeyType, ValueType>.Type,
    value: _ProtobufMap<KeyType, ValueType>.BaseType, fieldNumber: Int
  ) { noMaps() }

  mutating func visitMapField<KeyType, ValueType>(
    fieldType: _ProtobufEnumMap<KeyType, ValueType>.Type,
    value: _ProtobufEnumMap<KeyType, ValueType>.BaseType, fieldNumber: Int
  ) where ValueType.RawValue == Int { noMaps() }

  mutating func visitMapField<KeyType, ValueType>(
    fieldType: _ProtobufMessageMap<KeyType, ValueType>.Type,
    value: _ProtobufMessageMap<KeyType, ValueType>.BaseType, fieldNumber: Int
  ) { noMaps() }

  private func noMaps() -> Never { preconditionFailure("a map has no canonical encoding: \(what)") }
}
