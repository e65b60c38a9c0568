import CSodium
import CairnZone

/// An Ed25519 pair for signatures. It owns the secret, and gives it only to the account file.
public struct SigningKey: Sendable {
  /// The public key for verifying signatures.
  public let publicKey: Bytes32
  let seed: SecretBytes

  /// Creates the pair that a seed determines.
  public init(seed: SecretBytes) {
    Crypto.start()
    self.seed = seed
    let bytes = [UInt8](unsafeUninitializedCapacity: 32) { buffer, initialized in
      var full = [UInt8](repeating: 0, count: 64)
      defer { sodium_memzero(&full, 64) }
      seed.withBytes { _ = crypto_sign_seed_keypair(buffer.start, &full, $0) }
      initialized = 32
    }
    publicKey = Crypto.bytes32(bytes)
  }

  static func random() -> SigningKey { SigningKey(seed: .random()) }

  /// Signs the context and the parts, in order.
  public func sign(_ context: String, _ parts: [UInt8]...) -> [UInt8] {
    let message = parts.reduce(into: Crypto.prefix(context)) { $0 += $1 }
    // libsodium's signing key is the seed followed by the public key.
    var full = [UInt8](repeating: 0, count: 64)
    defer { sodium_memzero(&full, 64) }
    let ownKey = publicKey.bytes
    full.withUnsafeMutableBytes { full in
      seed.withBytes { full.copyMemory(from: UnsafeRawBufferPointer(start: $0, count: 32)) }
      full[32...].copyBytes(from: ownKey)
    }
    return [UInt8](unsafeUninitializedCapacity: Crypto.signatureCount) { buffer, initialized in
      crypto_sign_detached(buffer.start, nil, message, UInt64(message.count), full)
      initialized = Crypto.signatureCount
    }
  }

  /// Returns whether the holder of `key` signed exactly this.
  public static func verify(
    _ signature: [UInt8], by key: Bytes32, _ context: String, _ parts: [UInt8]...
  ) -> Bool {
    guard signature.count == Crypto.signatureCount else { return false }
    Crypto.start()
    let message = parts.reduce(into: Crypto.prefix(context)) { $0 += $1 }
    return crypto_sign_verify_detached(signature, message, UInt64(message.count), key.bytes) == 0
  }
}

/// An X25519 pair: others seal boxes to it that only its holder opens.
public struct BoxKey: Sendable {
  /// The public key for sealing.
  public let publicKey: Bytes32
  /// The secret key.
  public let secret: SecretBytes

  /// Creates a pair from its secret key.
  public init(secret: SecretBytes) {
    Crypto.start()
    self.secret = secret
    let bytes = [UInt8](unsafeUninitializedCapacity: 32) { buffer, initialized in
      secret.withBytes { _ = crypto_scalarmult_base(buffer.start, $0) }
      initialized = 32
    }
    publicKey = Crypto.bytes32(bytes)
  }

  static func random() -> BoxKey { BoxKey(secret: .random()) }

  /// Creates an anonymous sealed box, which names neither sender nor recipient. Nil for an invalid
  /// key, which a hostile person may publish.
  public static func seal(_ plain: [UInt8], to key: Bytes32) -> [UInt8]? {
    Crypto.start()
    let count = plain.count + Crypto.boxOverhead
    var isSealed = false
    let sealed = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      let result = crypto_box_seal(buffer.start, plain, UInt64(plain.count), key.bytes)
      isSealed = result == 0
      initialized = isSealed ? count : 0
    }
    return isSealed ? sealed : nil
  }

  /// Creates a sealed box whose sender key is derived from a seed. A holder of the seed can make it
  /// again, and so check it. It opens like one of `seal`. The seed must be used only for this key
  /// and these bytes. Nil for an invalid key.
  public static func seal(_ plain: [UInt8], to key: Bytes32, seed: SecretBytes) -> [UInt8]? {
    Crypto.start()
    var (publicKey, secretKey) = (
      [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32)
    )
    defer { sodium_memzero(&secretKey, 32) }
    seed.withBytes { _ = crypto_box_seed_keypair(&publicKey, &secretKey, $0) }
    var nonce = [UInt8](repeating: 0, count: Crypto.nonceCount)
    let both = publicKey + key.bytes
    crypto_generichash(&nonce, nonce.count, both, UInt64(both.count), nil, 0)
    var sealed = [UInt8](repeating: 0, count: plain.count + Crypto.tagCount)
    guard
      crypto_box_easy(&sealed, plain, UInt64(plain.count), nonce, key.bytes, secretKey) == 0
    else { return nil }
    return publicKey + sealed
  }

  /// The shared secret of two pairs, from the own secret and the other's public key. Nil for an
  /// invalid key.
  public func agree(with key: Bytes32) -> SecretBytes? {
    Crypto.start()
    var isAgreed = false
    let shared = SecretBytes { memory in
      let start = memory.bindMemory(to: UInt8.self).start
      isAgreed = secret.withBytes { crypto_box_beforenm(start, key.bytes, $0) } == 0
    }
    return isAgreed ? shared : nil
  }

  /// Opens a box that was sealed to this pair; nil for any other.
  public func open(_ sealed: [UInt8]) -> [UInt8]? {
    guard sealed.count >= Crypto.boxOverhead else { return nil }
    let count = sealed.count - Crypto.boxOverhead
    var isOpen = false
    let plain = [UInt8](unsafeUninitializedCapacity: max(count, 1)) { buffer, initialized in
      let result = secret.withBytes {
        crypto_box_seal_open(
          buffer.start, sealed, UInt64(sealed.count), publicKey.bytes, $0)
      }
      isOpen = result == 0
      initialized = isOpen ? count : 0
    }
    return isOpen ? plain : nil
  }
}

/// The keys of one device: one signs, and the person's key is sealed to the other.
public struct DeviceKeys: Sendable {
  /// The key that signs log entries.
  public let signing: SigningKey
  /// The key that opens the person's encryption key.
  public let box: BoxKey
  /// The device's id: a digest of its signing key.
  public let id: DeviceID

  init(signing: SigningKey, box: BoxKey) {
    self.signing = signing
    self.box = box
    id = DeviceID.derive(signKey: signing.publicKey)
  }

  /// Creates random keys.
  public static func random() -> DeviceKeys {
    DeviceKeys(signing: .random(), box: .random())
  }
}

extension DeviceID {
  /// The id for a signing key: the first 16 bytes of its digest.
  static func derive(signKey: Bytes32) -> DeviceID {
    let digest = Crypto.digest("cairn device v1", signKey.bytes)
    guard let id = DeviceID(bytes: digest.bytes.prefix(16)) else {
      preconditionFailure("16 bytes make an id")
    }
    return id
  }
}

extension ZoneID {
  /// The id of the zone for an owner and a nonce. The nonce is in the zone's first commit, so
  /// everybody can check the zone's owner.
  public static func derive(owner: UserID, nonce: Bytes16) -> ZoneID {
    ZoneID(Crypto.digest("cairn zone v1", owner.bytes, nonce.bytes))
  }
}

extension Bytes16 {
  /// Creates sixteen bytes from the kernel's random source: a unique nonce or id.
  public static func random() -> Bytes16 {
    guard let value = Bytes16(Crypto.random(16)) else {
      preconditionFailure("16 bytes make a value")
    }
    return value
  }
}

extension RecordID {
  /// Creates a random UUID (version 4) for a new record.
  public static func random() -> RecordID {
    var bytes = Crypto.random(16)
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    guard let id = RecordID(bytes: bytes) else { preconditionFailure("16 bytes make an id") }
    return id
  }
}
