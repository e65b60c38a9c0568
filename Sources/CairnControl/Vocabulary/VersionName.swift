extension Control {
  /// A version of a file, or an entry of a log, as people type it: `12`, or `3fa2c81b0042:12` for
  /// entry 12 of a former zone, from which the file came.
  public struct VersionName: Hashable, Sendable {
    /// The place in the log.
    public var version: UInt64
    /// The former zone: its id, or the beginning; nil: the folder's zone.
    public var zone: String?

    /// The digits of a zone's id that are shown.
    private static let digits = 12

    /// Joins the two.
    public init(_ version: UInt64, in zone: String? = nil) {
      self.version = version
      self.zone = zone
    }

    /// Reads `text` back; nil for anything else.
    public init?(_ text: some StringProtocol) {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard let last = parts.last, let version = UInt64(last), parts.count <= 2 else { return nil }
      self.init(version)
      guard parts.count == 2 else { return }
      let zone = parts[0].lowercased()
      guard zone.count >= 6, zone.allSatisfy(\.isHexDigit) else { return nil }
      self.zone = zone
    }

    /// The number, behind the beginning of the zone's id if it is a former one.
    public var text: String { (zone.map { $0.prefix(Self.digits) + ":" } ?? "") + "\(version)" }
  }
}
