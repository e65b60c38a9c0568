import CairnZone

/// What grows from a link's secret: a key that signs the claim, and one that opens the zone's keys.
/// It knows neither container nor zone.
struct LinkKeys: Sendable {
  private let signing: SigningKey
  /// Opens what is sealed to the link.
  let box: BoxKey

  init(secret: SecretBytes) {
    signing = SigningKey(seed: Crypto.derive("cairn link sign v1", from: secret))
    box = BoxKey(secret: Crypto.derive("cairn link box v1", from: secret))
  }

  /// The link's name in the log.
  var id: LinkID { LinkID(signing.publicKey) }

  /// That the person holds the secret.
  func proof(for user: UserID, in zone: ZoneID) -> [UInt8] {
    signing.sign(EntryCodec.claimContext, zone.bytes, id.bytes, user.bytes)
  }
}
