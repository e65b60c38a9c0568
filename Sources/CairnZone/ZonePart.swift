/// What a folder mirrors: a zone, or all that stands below one of its directories, or one file of
/// it. It says where, and must not know whether anything is there.
public struct ZonePart: Hashable, Sendable, CustomStringConvertible {
  /// The zone.
  public var zone: ZoneID
  /// The directory whose contents are meant, `.root` for the whole zone; or the one file.
  public var base: RecordID

  /// Joins the two; without a record, the whole zone is meant.
  public init(_ zone: ZoneID, base: RecordID = .root) {
    self.zone = zone
    self.base = base
  }

  /// Reads `bytes` back; anything else gives nil.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 48, let zone = ZoneID(bytes: bytes.prefix(32)),
      let base = RecordID(bytes: bytes.suffix(16))
    else { return nil }
    self.init(zone, base: base)
  }

  /// The zone's id and the record's, 48 bytes: the target of a reference.
  public var bytes: [UInt8] { zone.bytes + base.bytes }

  /// Whether all of the zone is meant.
  public var isWhole: Bool { base == .root }

  /// The zone's id in lower-case hexadecimal; for a part, a `/` and the record's id the same way.
  public var description: String {
    isWhole ? zone.description : "\(zone)/\(hexadecimal(base.bytes))"
  }

  /// Reads `description` back; anything else gives nil.
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
