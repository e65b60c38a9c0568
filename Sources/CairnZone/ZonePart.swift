/// A part of a zone for a folder to mirror: the whole zone, everything below one of its
/// directories, or one of its files. It must not know whether these exist.
public struct ZonePart: Hashable, Sendable, CustomStringConvertible {
  /// The zone.
  public var zone: ZoneID
  /// The directory with the mirrored contents, `.root` for the whole zone; or the one file.
  public var base: RecordID

  /// Creates a part; without a record, the whole zone.
  public init(_ zone: ZoneID, base: RecordID = .root) {
    self.zone = zone
    self.base = base
  }

  /// Parses `bytes`; nil for anything else.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 48, let zone = ZoneID(bytes: bytes.prefix(32)),
      let base = RecordID(bytes: bytes.suffix(16))
    else { return nil }
    self.init(zone, base: base)
  }

  /// The zone's id and the record's, 48 bytes: the target of a reference.
  public var bytes: [UInt8] { zone.bytes + base.bytes }

  /// A Boolean value that indicates whether this is the whole zone.
  public var isWhole: Bool { base == .root }

  /// The zone's id in lower-case hexadecimal; for a part, also a `/` and the record's id in the
  /// same form.
  public var description: String {
    isWhole ? zone.description : "\(zone)/\(hexadecimal(base.bytes))"
  }

  /// Parses `description`; nil for anything else.
  public init?(_ text: String) {
    let halves = text.split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count <= 2, let first = readHexadecimal(Array(halves[0].utf8)),
      let zone = ZoneID(bytes: first)
    else { return nil }
    guard halves.count == 2 else {
      self.init(zone)
      return
    }
    guard let second = readHexadecimal(Array(halves[1].utf8)),
      let base = RecordID(bytes: second), base != .root
    else { return nil }
    self.init(zone, base: base)
  }
}
