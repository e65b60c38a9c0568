import CairnIdentity
import CairnStore
import CairnZone

/// The topics by which change markers name the logs of zones (cairn-container(5)). Only holders of
/// the epoch's key can compute that of a share. Everybody can compute that of a public zone.
enum BellTag {
  /// The topic of an owned zone.
  static func of(_ zone: ZoneID, _ key: ZoneKey) -> UInt32 {
    tag(Crypto.digest("cairn bell tag v1", secret: key.secret, zone.bytes))
  }

  /// The topic of a public zone.
  static func ofPublic(_ zone: ZoneID) -> UInt32 {
    tag(Crypto.digest("cairn public bell tag v1", zone.bytes))
  }

  /// 0 is the topic of objects outside zones.
  private static func tag(_ digest: Bytes32) -> UInt32 {
    max(1, digest.bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
  }
}

extension Account {
  /// The owner name of this device's change markers in a container: nobody else can relate it to
  /// the device.
  public func bellOwner(in container: ContainerID) -> String {
    let digest = Crypto.digest(
      "cairn bell owner v1", secret: device.box.secret, container.bytes)
    return hexadecimal(digest.bytes.prefix(16))
  }
}
