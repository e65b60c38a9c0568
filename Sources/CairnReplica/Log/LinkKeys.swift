import CairnIdentity
import CairnZone

/// The keys from a link's secret: one signs the claim, and one opens the zone's keys. It knows
/// neither container nor zone.
public struct LinkKeys: Sendable {
  private let signing: SigningKey
  /// The key that opens seals to the link.
  public let box: BoxKey

  /// Creates the keys of a link with that secret.
  public init(secret: SecretBytes) {
    signing = SigningKey(seed: Crypto.derive("cairn link sign v1", from: secret))
    box = BoxKey(secret: Crypto.derive("cairn link box v1", from: secret))
  }

  /// The link's name in the log.
  public var id: LinkID { LinkID(signing.publicKey) }

  /// The proof that the person holds the secret.
  public func proof(for user: UserID, in zone: ZoneID) -> [UInt8] {
    signing.sign(EntryCodec.claimContext, zone.bytes, id.bytes, user.bytes)
  }
}
