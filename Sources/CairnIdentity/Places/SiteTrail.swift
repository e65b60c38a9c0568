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
  public func onward(to site: SiteID) -> SiteTrail { SiteTrail(sites + [site]) }

  /// Returns whether data that continues at a location is here: data that was moved there came here
  /// with it.
  public func passes(_ site: Site) -> Bool { sites.contains(site.id) }

  /// Returns whether data of that location is kept here; nil: the container's first location.
  public func keeps(_ site: Site?) -> Bool { site?.id == here }
}

extension SiteID {
  /// Creates a random id.
  public static func random() -> SiteID { SiteID(.random()) }
}

/// The location of a store's container. It is in the root, which never changes. If it is not known
/// at the start, the root is read when something depends on it.
public final class SiteLook: Sendable {
  private let store: (any ObjectStore)?
  private let known: Mutex<SiteTrail?>

  /// Creates a value for a known trail.
  public init(_ trail: SiteTrail = SiteTrail()) {
    store = nil
    known = Mutex(trail)
  }

  /// Creates a value that reads the root of the container in that store.
  public init(asking store: any ObjectStore) {
    self.store = store
    known = Mutex(nil)
  }

  /// The locations of the container up to here.
  /// - Throws: `CloudError` if it cannot be read now.
  public func trail() throws -> SiteTrail {
    if let trail = known.withLock({ $0 }) { return trail }
    guard let store, let root = try ContainerFile.root(of: store) else {
      throw CloudError(
        .networkUnavailable, "the container's root can't be found",
        remedy: "check that its folder is mounted; Cairn continues when it is back")
    }
    known.withLock { $0 = root.trail }
    return root.trail
  }
}
