extension Control {
  /// A version of an item, or an entry of a log, as people type it. `12` is entry 12 of the
  /// folder's log. `12.3fa2c81b0042` is the part of entry 12 about the item whose id ends so, if
  /// the entry changed several items. `3fa2c81b0042:12` is entry 12 of a former zone, from which
  /// the file came.
  public struct VersionName: Hashable, Sendable {
    /// The position in the log.
    public var version: UInt64
    /// The former zone: its id, or the beginning; nil: the folder's zone.
    public var zone: String?
    /// The item's id, the end of it, or the first of its last twelve digits; nil: the only item
    /// with the given path.
    public var record: String?

    /// The digits of an id that are shown: the first ones of a zone's, and the last ones of an
    /// item's. Items that are made together have ids with the same beginning.
    private static let digits = 12

    /// Creates a name from its parts.
    public init(_ version: UInt64, in zone: String? = nil, of record: String? = nil) {
      self.version = version
      self.zone = zone
      self.record = record
    }

    /// Reads `text` back; nil for anything else.
    public init?(_ text: some StringProtocol) {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      let last = parts.last?.split(separator: ".", omittingEmptySubsequences: false) ?? []
      guard parts.count <= 2, last.count == 1 || last.count == 2, let version = UInt64(last[0])
      else { return nil }
      self.init(version)
      if last.count == 2 {
        let record = last[1].lowercased()
        guard record.contains(where: \.isHexDigit),
          record.allSatisfy({ $0.isHexDigit || $0 == "-" })
        else { return nil }
        self.record = record
      }
      guard parts.count == 2 else { return }
      let zone = parts[0].lowercased()
      guard !zone.isEmpty, zone.allSatisfy(\.isHexDigit) else { return nil }
      self.zone = zone
    }

    /// Returns whether an item's id is meant by the digits of a name: the whole id, the end of it,
    /// or the first of the digits that `text` shows.
    public static func isMeant(_ id: String, by digits: String) -> Bool {
      id.hasSuffix(digits) || id.suffix(Self.digits).hasPrefix(digits)
    }

    /// The number, after the beginning of the id of a former zone, and before the end of the item's
    /// id.
    public var text: String {
      (zone.map { $0.prefix(Self.digits) + ":" } ?? "") + "\(version)"
        + (record.map { "." + $0.suffix(Self.digits) } ?? "")
    }
  }
}

extension Control.LogPlace {
  /// The position as commands take it.
  public var name: String { Control.VersionName(place, in: zone).text }
}

extension Control.HistoryEntry {
  /// The version as commands take it.
  public var name: String {
    Control.VersionName(version, in: zone, of: several ? record : nil).text
  }
}

extension Control.FetchReply {
  /// The version as commands take it.
  public var name: String { Control.VersionName(version, in: zone).text }
}
