import CairnWire
import CairnZone
import FoundationEssentials

extension WireSite {
  /// Creates the stored form of a location.
  public init(_ site: Site) {
    self.init()
    id = .init(site.id.bytes)
    location = site.location
  }

  /// The location.
  /// - Throws: `FormatError` if it has no id.
  public func site() throws(FormatError) -> Site {
    guard let id = SiteID(bytes: id) else {
      throw FormatError("commit", "a place where it goes on has no id")
    }
    return Site(id: id, location: location)
  }
}
