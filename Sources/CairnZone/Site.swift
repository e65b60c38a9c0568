/// Names a place at which a container stands, or stood, after it was moved: sixteen random bytes.
/// The place where it was made has none.
public struct SiteID: Identifier {
  /// The bytes.
  public let value: Bytes16

  /// Wraps sixteen bytes.
  @inlinable
  public init(_ value: Bytes16) { self.value = value }
}

/// Where a zone, or a person's chain, is kept from an entry on: nothing is written elsewhere.
public struct Site: Hashable, Sendable {
  /// Which place.
  public var id: SiteID
  /// How to find it, as whoever moved it does; empty for what was made there.
  public var location: String

  /// The most bytes of a location.
  public static let longestLocation = 1_024

  /// Joins the two.
  public init(id: SiteID, location: String) {
    self.id = id
    self.location = location
  }

  /// Whether something can go on there: the location is a line of text, and not too long.
  public var isWhole: Bool {
    (1...Self.longestLocation).contains(location.utf8.count)
      && !location.unicodeScalars.contains { $0.value < 32 || (127..<160).contains($0.value) }
  }
}

/// Where a log goes on behind what was folded.
public struct Onward: Hashable, Sendable {
  /// In a public zone, what the last entry says of the name of the next place.
  public var lock: Bytes32?
  /// Where the zone is kept, and nowhere else written; nil: where the container was made.
  public var site: Site?

  /// Nothing is said.
  public init() {}
}

extension ZoneHeader {
  /// In a public zone, what the last entry says of the name of the next place.
  public var lock: Bytes32? {
    get { onward.lock }
    set { onward.lock = newValue }
  }

  /// Where the zone is kept, and nowhere else written; nil: where the container was made.
  public var site: Site? {
    get { onward.site }
    set { onward.site = newValue }
  }
}
