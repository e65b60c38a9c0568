import CairnZone

extension IdentityLog {
  /// The encryption keys that came with revocations, as one remaining device opens them, in the
  /// order of the chain. A device that was off meanwhile catches up by them.
  /// - Parameters:
  ///   - entries: the stored entries from the first on.
  ///   - user: whose they are.
  ///   - device: the device's keys.
  /// - Returns: the keys.
  /// - Throws: `IdentityError` if an entry isn't valid.
  static func secrets(
    in entries: [[UInt8]], of user: UserID, for device: DeviceKeys
  ) throws(IdentityError) -> [BoxKey] {
    guard let first = entries.first else { throw .empty }
    var person = try fold([first], of: user)
    var keys: [BoxKey] = []
    for entry in entries.dropFirst() {
      let next = try fold(entry, onto: person)
      defer { person = next }
      guard next.encryptionKey != person.encryptionKey else { continue }
      let (_, body) = try decode(entry)
      guard case .revokeDevice(let revocation)? = body.change,
        let mine = revocation.secrets.first(where: { Array($0.device) == device.id.bytes }),
        let secret = device.box.open(Array(mine.sealedSecret)).flatMap({ SecretBytes($0) })
      else { continue }
      let key = BoxKey(secret: secret)
      // Whoever revoked may have sealed something else than they published.
      if key.publicKey == next.encryptionKey { keys.append(key) }
    }
    return keys
  }
}
