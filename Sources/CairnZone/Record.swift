/// The name of a file in its directory: bytes as Linux allows them, never a path.
public struct FileName: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// One to 255 bytes without `/` and NUL, and neither `.` nor `..`.
  public let bytes: [UInt8]

  /// Accepts exactly the names that Linux accepts; nil for anything else, because the content of a
  /// zone is hostile input.
  @inlinable
  public init?(_ bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    guard (1...255).contains(bytes.count), bytes != [46], bytes != [46, 46],
      !bytes.contains(where: { $0 == 0 || $0 == 47 })
    else { return nil }
    self.bytes = bytes
  }

  /// Accepts the UTF-8 bytes of a text under the same rule.
  public init?(_ text: String) { self.init(Array(text.utf8)) }

  /// The name of Cairn's own folder in every mirror. No record may have it. Otherwise a person
  /// could write into that folder of all others, or plant the mark of another mirror.
  public static let reserved: [UInt8] = Array(".cairn".utf8)

  /// The name of the file with a device's own ignore rules. No record may have it. Otherwise a
  /// person could decide what the devices of others mirror.
  public static let localRules: [UInt8] = Array(".cairnignore.local".utf8)

  /// A Boolean value that indicates whether no record may have the name.
  public var isReserved: Bool { bytes == Self.reserved || bytes == Self.localRules }

  /// The name for people; invalid UTF-8 becomes replacement characters.
  public var description: String { String(decoding: bytes, as: UTF8.self) }

  /// The name with a number before its extension, for a second file of the same name; shortened if
  /// needed. 1 returns the name itself.
  public func numbered(_ number: Int) -> FileName? {
    guard number != 1 else { return self }
    let suffix = Array(" \(number)".utf8)
    let dot = bytes.lastIndex(of: UInt8(ascii: "."))
    let stem = dot.map { $0 > 0 ? Array(bytes[..<$0]) : bytes } ?? bytes
    let ending = bytes.dropFirst(stem.count)
    return FileName(stem.prefix(max(1, 255 - suffix.count - ending.count)) + suffix + ending)
  }

  /// The name, or the first free numbered one; nil if ten thousand are taken.
  public func free(_ isTaken: (FileName) throws -> Bool) rethrows -> FileName? {
    for number in 1...10_000 {
      if let name = numbered(number), try !isTaken(name) { return name }
    }
    return nil
  }

  /// The order of the bytes.
  public static func < (left: FileName, right: FileName) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

/// The place of a record: its directory and its name.
public struct Place: Hashable, Sendable {
  /// The record of the directory.
  public var parent: RecordID
  /// The name, unique in the directory.
  public var name: FileName

  /// Creates a place.
  public init(parent: RecordID, name: FileName) {
    self.parent = parent
    self.name = name
  }
}

/// The type of a record. Applications add types of their own; the folder tool knows the first four.
public enum RecordType: Hashable, Sendable {
  /// A regular file with content.
  case file
  /// A directory.
  case directory
  /// A symbolic link, never followed.
  case symlink
  /// A reference to another zone of the same owner, or a part of one, named in its target. The
  /// owner's devices mount it there. It has no content of its own.
  case reference
  /// A typed record of an application or of the account zone; it has fields and no place.
  case typed(String)
}

/// The bytes of a file, as a list of chunks.
public struct Content: Hashable, Sendable {
  /// Equal for equal bytes.
  public var id: ContentID
  /// The number of bytes.
  public var size: UInt64
  /// The chunks of the bytes, in their order; empty for an empty file.
  public var chunks: [ChunkName]

  /// Creates a content; `id` must be the digest that `CairnReplica` computes of the rest.
  public init(id: ContentID, size: UInt64, chunks: [ChunkName]) {
    self.id = id
    self.size = size
    self.chunks = chunks
  }
}

/// The attributes of a file or directory beside name and content.
public struct Attributes: Hashable, Sendable {
  /// Values of extended attributes by their names.
  public typealias Extended = [[UInt8]: [UInt8]]

  /// The executable bit, for all readers. Always false for directories and symlinks.
  public var isExecutable: Bool
  /// The modification time in nanoseconds since 1970.
  public var modified: Int64
  /// The twelve permission bits of a file or directory. In a change nil leaves them; in a record
  /// nil means unknown.
  public var mode: UInt16?
  /// The extended attributes of a file or directory by name, including `user.`. Nil as for `mode`.
  public var extended: Extended?

  /// Creates attributes.
  public init(
    isExecutable: Bool, modified: Int64, mode: UInt16? = nil, extended: Extended? = nil
  ) {
    self.isExecutable = isExecutable
    self.modified = modified
    self.mode = mode
    self.extended = extended
  }

  /// Returns the permission bits of a file with the executable bit set for all readers, or for
  /// nobody. Bits that agree with the executable bit stay as they are.
  public static func mode(_ mode: UInt16, isExecutable: Bool) -> UInt16 {
    guard isExecutable != (mode & 0o100 != 0) else { return mode }
    return isExecutable ? mode | 0o100 | (mode & 0o444) >> 2 : mode & ~0o111
  }

  /// The maximum total bytes of names and values of extended attributes: the limit of Linux for a
  /// file.
  public static let mostExtendedBytes = 65_536
}

/// A value in a field of a typed record.
public enum FieldValue: Hashable, Sendable {
  /// Raw bytes.
  case bytes([UInt8])
  /// Text.
  case text(String)
  /// A signed number.
  case integer(Int64)
  /// A floating-point number; neither infinite nor NaN, and zero has no sign.
  case number(Double)
  /// Yes or no.
  case boolean(Bool)
  /// Nanoseconds since 1970.
  case date(Int64)
  /// Degrees north, -90 to 90, and degrees east, -180 to 180.
  case location(latitude: Double, longitude: Double)
  /// Values of one kind, none of them a list.
  case list([FieldValue])
  /// Another record of the zone, which may be missing.
  case reference(RecordID)
  /// Bytes that are stored like a file's.
  case asset(Content)

  /// The contents that the value refers to.
  public var assets: [Content] {
    switch self {
    case .asset(let content): [content]
    case .list(let values): values.flatMap(\.assets)
    default: []
    }
  }
}

/// The author of a change, and its position in the log.
public struct Stamp: Hashable, Sendable {
  /// The position in the zone's log, which is also a change tag without a clock.
  public var sequence: UInt64
  /// The person.
  public var user: UserID
  /// The device.
  public var device: DeviceID
  /// The person and the device.
  public var author: Author { Author(user: user, device: device) }
  /// The author's clock in nanoseconds since 1970, only for display.
  public var time: Int64

  /// Creates a stamp.
  public init(sequence: UInt64, user: UserID, device: DeviceID, time: Int64) {
    self.sequence = sequence
    self.user = user
    self.device = device
    self.time = time
  }
}

/// A record by the log: a file, a directory, a symlink, or typed fields.
public struct Record: Hashable, Sendable {
  /// The identity, through every rename.
  public var id: RecordID
  /// The type, which never changes.
  public var type: RecordType
  /// The place; nil for the root and for typed records.
  public var place: Place?
  /// The bytes of a file; nil for everything else.
  public var content: Content?
  /// The target of a symlink, or the zone and record of a reference (`ZonePart`); nil for
  /// everything else.
  public var target: [UInt8]?
  /// The executable bit and the time.
  public var attributes: Attributes
  /// The fields of a typed record.
  public var fields: [String: FieldValue]
  /// The commit that created it.
  public var created: Stamp
  /// The last commit that changed it: its change tag.
  public var changed: Stamp

  /// Creates a record.
  public init(
    id: RecordID, type: RecordType, place: Place?, content: Content? = nil,
    target: [UInt8]? = nil, attributes: Attributes, fields: [String: FieldValue] = [:],
    created: Stamp, changed: Stamp
  ) {
    self.id = id
    self.type = type
    self.place = place
    self.content = content
    self.target = target
    self.attributes = attributes
    self.fields = fields
    self.created = created
    self.changed = changed
  }

  /// All contents of the record: a file's, and those in its fields.
  public var contents: [Content] {
    guard fields.isEmpty else { return fields.values.flatMap(\.assets) }
    return content.map { [$0] } ?? []
  }
}
