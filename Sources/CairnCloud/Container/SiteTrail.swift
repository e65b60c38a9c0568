import CairnStore
public import CairnZone
import Synchronization

/// The locations to which a container was moved, in order, up to the current one; empty at the
/// first location.
public struct SiteTrail: Hashable, Sendable {
  /// The ids of the locations, in the order of the moves.
  public let sites: [SiteID]

  /// Creates a trail.
  public init(_ sites: [SiteID] = []) { self.sites = sites }

  /// The current location; nil: the first one.
  public var here: SiteID? { sites.last }

  /// The trail of a container that moves on from here.
  func onward(to site: SiteID) -> SiteTrail { SiteTrail(sites + [site]) }

  /// Returns whether data that continues at a location is here: data that was moved there came here
  /// with it.
  func passes(_ site: Site) -> Bool { sites.contains(site.id) }

  /// Returns whether data of that location is kept here; nil: the container's first location.
  func keeps(_ site: Site?) -> Bool { site?.id == here }
}

extension SiteID {
  /// Creates a random id.
  static func random() -> SiteID { SiteID(.random()) }
}

/// The location of a store's container. It is in the root, which never changes. If it is not known
/// at the start, the root is read when something depends on it.
final class SiteLook: Sendable {
  private let store: (any ObjectStore)?
  private let known: Mutex<SiteTrail?>

  /// Creates a value for a known trail.
  init(_ trail: SiteTrail = SiteTrail()) {
    store = nil
    known = Mutex(trail)
  }

  /// Creates a value that reads the root of the container in that store.
  init(asking store: any ObjectStore) {
    self.store = store
    known = Mutex(nil)
  }

  /// The locations of the container up to here.
  /// - Throws: `CloudError` if it cannot be read now.
  func trail() throws -> SiteTrail {
    if let trail = known.withLock({ $0 }) { return trail }
    guard let store, let root = try Container.root(of: store) else {
      throw CloudError(
        .networkUnavailable, "the container's root can't be found",
        remedy: "check that its folder is mounted; Cairn goes on by itself when it is back")
    }
    known.withLock { $0 = root.trail }
    return root.trail
  }
}

extension Site {
  /// A location or path as one word for a shell: other people may have written it, and readers may
  /// execute it. Above this layer, `Control.Path.typed` handles paths of any bytes.
  static func word(_ location: String) -> String {
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

extension LogTrouble {
  /// The reason why data of another location is not written here.
  /// - Parameters:
  ///   - site: The location; nil: the container's first location.
  ///   - sequence: The last position that was read here.
  /// - Returns: the trouble.
  static func elsewhere(_ site: Site?, at sequence: UInt64) -> LogTrouble {
    var found = LogTrouble(.elsewhere, agreed: sequence, seen: sequence)
    found.location = site.map(\.location).flatMap { $0.isEmpty ? nil : $0 }
    return found
  }
}

extension ZoneReplica {
  /// A Boolean value that indicates whether nothing counts here after the replayed entries, because
  /// the zone continues at another location.
  var endsHere: Bool {
    get throws {
      guard let site = header.site else { return false }
      return try !sites.trail().passes(site)
    }
  }

  /// The trouble that prevents writing here, if the zone is kept elsewhere.
  func elsewhere() throws -> LogTrouble? {
    guard header.genesis != nil, try !sites.trail().keeps(header.site) else { return nil }
    return .elsewhere(header.site, at: header.sequence)
  }

  /// Throws before a write, if the zone is kept elsewhere.
  func checkIsHere() throws {
    guard let found = try elsewhere() else { return }
    trouble = found
    throw found.error
  }

  /// Ends the log here with a last entry, unless it is there already: the zone continues at another
  /// location.
  func goOn(at site: Site) throws {
    try whileOvertaken {
      if header.site?.id != site.id { _ = try pull() }
      guard header.site?.id != site.id else { return }
      _ = try commit(
        records: [], share: [.zone(.goesOn(site))], expecting: header.sequence,
        rekey: header.kind == .owned)
    }
  }
}
