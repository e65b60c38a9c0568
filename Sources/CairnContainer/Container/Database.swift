import CairnIdentity
import CairnReplica
public import CairnZone

/// One of the three databases of a container (CKDatabase): a set of zones.
///
/// It uses these parts of the container: `createZone`, `requireAccount`, `zone`, `zones`.
public struct Database: Sendable {
  let container: Container
  /// The scope of the database.
  public let scope: DatabaseScope

  /// All zones of the database (CKFetchRecordZonesOperation).
  public func zones() throws -> [Zone] { try container.zones(scope) }

  /// The zone with that id, if it is in this database.
  public func zone(_ id: ZoneID) throws -> Zone? {
    guard let zone = try container.zone(id), zone.scope == scope else { return nil }
    return zone
  }

  /// The zone of that name, which all devices of this person agree on. It is created if there is
  /// none.
  /// - Throws: `CloudError` with `.badDatabase` for any other than the private database.
  public func zone(named name: String) throws -> Zone {
    try container.requireAccount()
    guard scope == .private else {
      throw CloudError(
        .badDatabase, "only zones of the private database have names of their own",
        remedy: "find the zone by its id")
    }
    return try NamedZones(container).zone(name)
  }

  /// The zone of that name, as far as this device knows; nil if there is none.
  public func zone(ifNamed name: String) throws -> Zone? {
    scope == .private ? try NamedZones(container).known(name) : nil
  }

  /// Creates a zone. Only the private database accepts new zones.
  /// - Throws: `CloudError` with `.badDatabase` elsewhere.
  public func createZone(named name: String) throws -> Zone {
    try container.requireAccount()
    guard scope == .private else {
      throw CloudError(
        .badDatabase, "zones can't be made in the \(scope.rawValue) database",
        remedy: scope == .public
          ? "publish in your public zone, or make a private one"
          : "make the zone in the private database and share it")
    }
    return try container.createZone(named: name)
  }
}
