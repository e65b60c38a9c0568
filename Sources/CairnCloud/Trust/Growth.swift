import FoundationEssentials
import SwiftProtobuf
import Synchronization

/// What later versions may add to a stored message, and what this one makes of it: one rule for
/// all of them, at every level of nesting. It looks at what is decoded, and changes nothing.
///
/// A field below `firstPassedOver` that this version doesn't know, by its number or by its type,
/// and a value that an enumeration doesn't have: a newer Cairn wrote that, and only a newer one
/// knows what it means. Fields from there on may be passed over; they stand behind all others,
/// ascending, in the shortest form. (That nothing of it stands elsewhere tells who encodes the
/// message again.)
///
/// Nobody can tell here whether what seems newer is what a newer Cairn means, or rubbish by
/// somebody who may stand in that place, even without a right to say anything there. So it holds
/// what rubbish would hold, and nothing that rubbish couldn't; but it must never count as rubbish,
/// which may be taken away: that would delete what somebody with a newer version wrote.
struct Growth: Visitor {
  /// The first number that a reader who doesn't know it may pass over.
  static let firstPassedOver: UInt64 = 1024

  private let what: String
  private let isClosed: Bool

  /// - Parameters:
  ///   - what: the name of the message, for people.
  ///   - isClosed: nothing may be passed over.
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

  /// The values that an enumeration has in this version. Whether a type can list them, the runtime
  /// looks up in all that is linked: a third of what reading a small entry took, so once is enough.
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

  // Of all other values there is nothing to say.

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
