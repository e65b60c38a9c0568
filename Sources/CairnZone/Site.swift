/// The id of a location of a container after a move: sixteen random bytes. The first location has
/// none.
public struct SiteID: Identifier {
  /// The bytes.
  public let value: Bytes16

  /// Creates an id from sixteen bytes.
  @inlinable
  public init(_ value: Bytes16) { self.value = value }
}

/// The location of a zone, or of a person's chain, from an entry on. Nothing is written elsewhere.
public struct Site: Hashable, Sendable {
  /// The id of the location.
  public var id: SiteID
  /// The address of the location for the person who moved; empty for zones created there.
  public var location: String

  /// The maximum number of bytes of an address.
  public static let longestLocation = 1_024

  /// Creates a location.
  public init(id: SiteID, location: String) {
    self.id = id
    self.location = location
  }

  /// A Boolean value that indicates whether something can continue there: the address is a line of
  /// text, and not too long.
  public var isWhole: Bool {
    (1...Self.longestLocation).contains(location.utf8.count)
      && !location.unicodeScalars.contains { $0.value < 32 || (127..<160).contains($0.value) }
  }
}

/// The continuation of a log after the replayed entries.
public struct Onward: Hashable, Sendable {
  /// In a public zone, the last entry's lock of the next position's name.
  public var lock: Bytes32?
  /// The only location where the zone is written; nil: the container's first location.
  public var site: Site?

  /// Creates a continuation without statements.
  public init() {}
}

extension ZoneHeader {
  /// In a public zone, the last entry's lock of the next position's name.
  public var lock: Bytes32? {
    get { onward.lock }
    set { onward.lock = newValue }
  }

  /// The only location where the zone is written; nil: the container's first location.
  public var site: Site? {
    get { onward.site }
    set { onward.site = newValue }
  }
}

extension Site {
  /// A location or path as one word for a shell: other people may have written it, and readers may
  /// execute it. Above this layer, `Control.Path.typed` handles paths of any bytes.
  public static func word(_ location: String) -> String {
    let isPlain = location.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "/:._-+@%,=".utf8.contains(byte)
      }
    }
    guard !isPlain || location.hasPrefix("-") else { return location }
    let parts = location.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: "'\\''") + "'"
  }
}
