import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials
import SwiftProtobuf

/// The two objects with which a device joins, sealed with a secret that only the two devices share
/// (join.proto). It knows bytes and names; its callers decide about the answer.
public struct JoinObject: Sendable {
  /// The person that the device joins.
  public let user: UserID
  /// The shared secret.
  public let secret: SecretBytes
  static let format: UInt32 = 1
  /// The maximum size of an object in bytes.
  public static let limit = 1 << 20
  private static let context = "cairn join v1"

  /// Creates the objects of an attempt to join that person.
  public init(user: UserID, secret: SecretBytes) {
    self.user = user
    self.secret = secret
  }

  /// The folder of both objects.
  public static func folder(_ user: UserID) -> String { ObjectKind.join.path(user) }

  /// The key of the request of an attempt.
  public func requestKey(_ attempt: UInt64) -> ObjectKey { key("cairn join request v1", attempt) }

  /// The key of the answer to an attempt.
  public func answerKey(_ attempt: UInt64) -> ObjectKey { key("cairn join answer v1", attempt) }

  /// Only the two devices can compute the name, so nobody can put an object there before.
  private func key(_ context: String, _ attempt: UInt64) -> ObjectKey {
    let digest = Crypto.digest(context, secret: secret, Crypto.number(attempt))
    let name = hexadecimal(Array(digest.bytes.prefix(16)))
    guard let key = ObjectKey("\(Self.folder(user))/\(name)") else {
      preconditionFailure("hex and digits make a key")
    }
    return key
  }

  /// Seals a message for its place.
  public func seal(_ message: some Message, at key: ObjectKey) -> [UInt8] {
    let nonce = Crypto.random(Crypto.nonceCount)
    var object = WireJoinObject()
    object.format = Self.format
    object.nonce = .init(nonce)
    object.sealed = .init(
      Crypto.seal(
        StoredMessage.encode(message), key: sealingKey, nonce: nonce, with: associated(key)))
    return StoredMessage.encode(object)
  }

  /// The content of the object; nil if it is not by one of the two, or was moved.
  public func open<M: Message>(_ bytes: [UInt8], at key: ObjectKey, as type: M.Type) -> M? {
    do {
      let object = try StoredMessage.decode(
        bytes, as: WireJoinObject.self, "join object", limit: Self.limit, .closed)
      guard object.format == Self.format,
        let plain = Crypto.open(
          Array(object.sealed), key: sealingKey, nonce: Array(object.nonce),
          with: associated(key))
      else { return nil }
      return try StoredMessage.decode(plain, as: type, "join object", limit: Self.limit)
    } catch {
      return nil
    }
  }

  private var sealingKey: SecretBytes { Crypto.derive("cairn join key v1", from: secret) }

  private func associated(_ key: ObjectKey) -> [UInt8] {
    let name = key.description.split(separator: "/").last.map { Array($0.utf8) } ?? []
    return Crypto.prefix(Self.context) + user.bytes + name
  }
}

extension DeviceRequest {
  /// The request to send, with the position in the chain that the proof is for.
  public func wire(head: Bytes32) -> WireJoinRequest {
    var wire = WireJoinRequest()
    wire.name = name
    wire.signKey = .init(signKey.bytes)
    wire.boxKey = .init(boxKey.bytes)
    wire.proof = .init(proof)
    wire.head = .init(head.bytes)
    return wire
  }

  /// Reads a request; nil if a part is missing. The chain checks the proof.
  public init?(_ wire: WireJoinRequest) {
    guard Person.isName(wire.name), let signKey = Bytes32(wire.signKey),
      let boxKey = Bytes32(wire.boxKey)
    else { return nil }
    self.init(name: wire.name, signKey: signKey, boxKey: boxKey, proof: Array(wire.proof))
  }
}
