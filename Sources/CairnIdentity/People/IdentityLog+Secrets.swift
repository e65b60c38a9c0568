import CairnWire
import CairnZone

extension IdentityLog {
  /// The encryption keys that a chain gives to a device, in the order of the chain. A device that
  /// was off during a revocation catches up with them.
  /// - Parameters:
  ///   - entries: The stored entries from the first on.
  ///   - user: Their owner.
  ///   - device: The device's keys.
  /// - Returns: the keys. All of the person's keys only for a recovery device, because no other
  ///   device gets earlier keys from the chain.
  /// - Throws: `IdentityError` if an entry is invalid.
  static func secrets(
    in entries: [[UInt8]], of user: UserID, for device: DeviceKeys
  ) throws(IdentityError) -> (keys: [BoxKey], areAll: Bool) {
    guard let first = entries.first else { throw .empty }
    var person = try fold([first], of: user)
    var published = [person.encryptionKey]
    var opened: [Bytes32: BoxKey] = [:]
    for entry in entries.dropFirst() {
      person = try fold(entry, onto: person)
      if published.last != person.encryptionKey { published.append(person.encryptionKey) }
      for key in try secrets(in: entry, for: device) { opened[key.publicKey] = key }
    }
    // A device may have sealed another key than the published one.
    let keys = published.compactMap { opened[$0] }
    return (keys, keys.count == published.count)
  }

  /// The secrets in one entry that the device can open.
  private static func secrets(
    in entry: [UInt8], for device: DeviceKeys
  ) throws(IdentityError) -> [BoxKey] {
    let boxes: [[UInt8]]
    switch try decode(entry).1.change {
    case .addDevice(let added) where Bytes32(added.signKey) == device.signing.publicKey:
      boxes = [Array(added.earlierSecrets), Array(added.sealedSecret)]
    case .revokeDevice(let revocation):
      boxes = revocation.secrets.filter { Array($0.device) == device.id.bytes }
        .map { Array($0.sealedSecret) }
    default: return []
    }
    return boxes.compactMap { device.box.open($0) }.flatMap { plain in
      stride(from: 0, to: plain.count, by: 32).compactMap { start in
        SecretBytes(Array(plain[start...].prefix(32))).map { BoxKey(secret: $0) }
      }
    }
  }
}
