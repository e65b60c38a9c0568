import CairnStore
import CairnZone

/// By which tags bells name the logs of zones (cairn-container(5)). Only who has the key of the
/// epoch can tell that of a share; that of what somebody publishes, everybody can.
enum BellTag {
  /// The tag of a zone that somebody owns.
  static func of(_ zone: ZoneID, _ key: ZoneKey) -> UInt32 {
    tag(Crypto.digest("cairn bell tag v1", secret: key.secret, zone.bytes))
  }

  /// The tag of what somebody publishes.
  static func ofPublic(_ zone: ZoneID) -> UInt32 {
    tag(Crypto.digest("cairn public bell tag v1", zone.bytes))
  }

  /// 0 is the tag of what stands beside zones.
  private static func tag(_ digest: Bytes32) -> UInt32 {
    max(1, digest.bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
  }
}

extension ZoneReplica {
  /// The tag of the epoch in force; nil if its key isn't known here.
  var bellTag: UInt32? {
    guard folder.kind == .owned else { return BellTag.ofPublic(zone) }
    return keys[max(header.epoch, 1)].map { BellTag.of(zone, $0) }
  }
}

extension Account {
  /// Under which name this device's bells hang in a container: nobody else can relate it to the
  /// device.
  public func bellOwner(in container: ContainerID) -> String {
    let digest = Crypto.digest(
      "cairn bell owner v1", secret: device.box.secret, container.bytes)
    return hexadecimal(digest.bytes.prefix(16))
  }
}
