import CairnStore
public import CairnZone
import Synchronization

/// The sites to which a container was moved, one after the other, up to where it stands: none where
/// it was made.
public struct SiteTrail: Hashable, Sendable {
  /// Their ids, in the order of the moves.
  public let sites: [SiteID]

  /// A trail of these.
  public init(_ sites: [SiteID] = []) { self.sites = sites }

  /// Where it stands; nil: where it was made.
  public var here: SiteID? { sites.last }

  /// The trail of a container that is moved on from here.
  func onward(to site: SiteID) -> SiteTrail { SiteTrail(sites + [site]) }

  /// Whether what is said to go on at a site does so here: what was moved there came here with it.
  func passes(_ site: Site) -> Bool { sites.contains(site.id) }

  /// Whether what is kept there is kept here; nil: where the container was made.
  func keeps(_ site: Site?) -> Bool { site?.id == here }
}

extension SiteID {
  /// A new one.
  static func random() -> SiteID { SiteID(.random()) }
}

/// Where the container stands that a store holds. It is in its root, which never changes: where it
/// isn't known at the start, the root is read when something depends on it.
final class SiteLook: Sendable {
  private let store: (any ObjectStore)?
  private let known: Mutex<SiteTrail?>

  /// The container stands there.
  init(_ trail: SiteTrail = SiteTrail()) {
    store = nil
    known = Mutex(trail)
  }

  /// The root of the container in that store tells.
  init(asking store: any ObjectStore) {
    self.store = store
    known = Mutex(nil)
  }

  /// How the container came to where it stands.
  /// - Throws: `CloudError` if it can't be read now.
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
  /// A location, or a path, as one word of a shell: others may have written it, and whoever reads
  /// it may run it. Above this layer `Control.Path.typed` says it of paths of any bytes.
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
  /// Why nothing is written here of what is kept at another site.
  /// - Parameters:
  ///   - site: where; nil: where the container was made.
  ///   - sequence: the last place that was read here.
  /// - Returns: it.
  static func elsewhere(_ site: Site?, at sequence: UInt64) -> LogTrouble {
    var found = LogTrouble(.elsewhere, agreed: sequence, seen: sequence)
    found.location = site.map(\.location).flatMap { $0.isEmpty ? nil : $0 }
    return found
  }
}

extension ZoneReplica {
  /// Whether nothing counts here behind what was folded: the zone goes on at another site.
  var endsHere: Bool {
    get throws {
      guard let site = header.site else { return false }
      return try !sites.trail().passes(site)
    }
  }

  /// What keeps this zone from being written here, if it is kept elsewhere.
  func elsewhere() throws -> LogTrouble? {
    guard header.genesis != nil, try !sites.trail().keeps(header.site) else { return nil }
    return .elsewhere(header.site, at: header.sequence)
  }

  /// Makes sure that the zone is kept here, before anything is written.
  func checkIsHere() throws {
    guard let found = try elsewhere() else { return }
    trouble = found
    throw found.error
  }

  /// Ends the log here by a last entry, unless that stands already: the zone goes on there.
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
