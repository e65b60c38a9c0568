import CairnWire
import CairnZone
import FoundationEssentials

/// A change of a person's identity.
public enum IdentityChange: Sendable {
  case profile(handle: String, name: String)
  /// Adds another device, which sent its public keys and its proof.
  case addDevice(DeviceRequest)
  /// Adds a recovery device, which also gets the person's earlier encryption keys.
  case addRecovery(DeviceRequest)
  case revokeDevice(DeviceID)
  case renameDevice(DeviceID, name: String)
  /// Starts the person's public zone, in that folder.
  case beginPublic(ZoneFolder)
  /// Ends the chain here: it continues there.
  case goesOn(Site)
}

/// The request of a device that wants to join: its public keys, and its signature over them and the
/// position in the chain.
public struct DeviceRequest: Sendable {
  /// The name of the device.
  public let name: String
  /// The public key for its signatures.
  public let signKey: Bytes32
  /// The public key for messages to it.
  public let boxKey: Bytes32
  /// The proof that the device has these keys.
  public let proof: [UInt8]

  init(name: String, signKey: Bytes32, boxKey: Bytes32, proof: [UInt8]) {
    self.name = name
    self.signKey = signKey
    self.boxKey = boxKey
    self.proof = proof
  }

  /// The requesting device.
  public var id: DeviceID { DeviceID.derive(signKey: signKey) }

  /// Creates the request of a device with these keys to join a person.
  public init(name: String, keys: DeviceKeys, to person: Person) {
    self.name = name
    signKey = keys.signing.publicKey
    boxKey = keys.box.publicKey
    proof = keys.signing.sign(
      IdentityLog.proofContext, boxKey.bytes, person.head.bytes)
  }
}

extension IdentityLog {
  /// Creates a person on a new device.
  /// - Parameters:
  ///   - handle: The handle; see `Person.isHandle`.
  ///   - name: The display name.
  ///   - deviceName: The name of the device.
  ///   - time: Nanoseconds since 1970, only for display.
  ///   - trail: The container's locations up to here.
  /// - Returns: the account, to be stored first, and the entry, to be published then; it is also
  ///   the account's `origin`.
  /// - Throws: `IdentityError.handle` or `.name` if a text is invalid.
  public static func begin(
    handle: String, name: String, deviceName: String, time: Int64, in trail: SiteTrail = SiteTrail()
  ) throws(IdentityError) -> (account: Account, entry: [UInt8]) {
    try begin(
      handle: handle, name: name, deviceName: deviceName, time: time, device: .random(),
      encryption: .random(), site: trail.here)
  }

  static func begin(
    handle: String, name: String, deviceName: String, time: Int64, device: DeviceKeys,
    encryption: BoxKey, site: SiteID? = nil
  ) throws(IdentityError) -> (account: Account, entry: [UInt8]) {
    guard Person.isHandle(handle) else { throw .handle(handle) }
    guard Person.isName(name) else { throw .name(name) }
    guard Person.isName(deviceName) else { throw .name(deviceName) }
    var start = WireIdentityStart()
    start.profile.handle = handle
    start.profile.name = name
    start.device.name = deviceName
    start.device.signKey = .init(device.signing.publicKey.bytes)
    start.device.boxKey = .init(device.box.publicKey.bytes)
    start.device.sealedSecret = .init(
      try sealed(encryption.secret.copy(), to: device.box.publicKey, at: 1))
    start.encryptionKey = .init(encryption.publicKey.bytes)
    if let site { start.site = .init(site.bytes) }
    let body = body(
      1, previous: .zero, by: device, time: time, .start(start), then: encryption)
    let entry = sign(body, by: device)
    let account = Account(
      user: UserID(Crypto.digest("cairn user v1", body)), device: device,
      encryption: [encryption], origin: entry)
    return (account, entry)
  }

  /// Creates the next entry of the chain, its required name, and the account after it. A revocation
  /// brings a new key, and so names that the revoked device cannot compute.
  static func append(
    _ change: IdentityChange, to person: Person, by account: Account, time: Int64
  ) throws(IdentityError) -> (account: Account, name: String, entry: [UInt8]) {
    let place = person.length + 1
    // Nobody would read an entry under another name than the locked one.
    guard let current = account.key(of: person), let name = account.nextName(after: person),
      ChainPlace.lock(name) == person.lock
    else { throw .noPlace(person.length) }
    var following = current
    let wire: WireIdentityBody.OneOf_Change
    switch change {
    case .profile(let handle, let name):
      var profile = WireIdentityProfile()
      profile.handle = handle
      profile.name = name
      wire = .profile(profile)
    case .addDevice(let request): wire = .addDevice(try device(request, current, at: place))
    case .addRecovery(let request):
      var device = try device(request, current, at: place)
      let earlier = account.encryption.filter { $0.publicKey != current.publicKey }
      device.earlierSecrets = .init(
        try sealed(earlier.flatMap { $0.secret.copy() }, to: request.boxKey, at: place))
      wire = .addDevice(device)
    case .revokeDevice(let id):
      following = .random()
      wire = .revokeDevice(try revocation(of: id, from: person, following))
    case .renameDevice(let id, let name):
      var renaming = WireIdentityDeviceName()
      renaming.device = .init(id.bytes)
      renaming.name = name
      wire = .renameDevice(renaming)
    case .beginPublic(let folder):
      var log = WireIdentityPublicLog()
      log.lock = .init(ChainPlace.lock(folder.publicName(1, by: current)).bytes)
      wire = .beginPublic(log)
    case .goesOn(let site): wire = .goesOn(WireSite(site))
    }
    let body = body(
      place, previous: person.head, by: account.device, time: time, wire, then: following)
    let entry = sign(body, by: account.device)
    // This device publishes nothing that it would refuse from others.
    _ = try fold(entry, onto: person)
    let isNew = following.publicKey != current.publicKey
    let next = Account(
      user: account.user, device: account.device,
      encryption: account.encryption + (isNew ? [following] : []), origin: account.origin)
    return (next, name, entry)
  }

  private static func device(
    _ request: DeviceRequest, _ current: BoxKey, at place: UInt64
  ) throws(IdentityError) -> WireIdentityDevice {
    var device = WireIdentityDevice()
    device.name = request.name
    device.signKey = .init(request.signKey.bytes)
    device.boxKey = .init(request.boxKey.bytes)
    device.proof = .init(request.proof)
    device.sealedSecret = .init(try sealed(current.secret.copy(), to: request.boxKey, at: place))
    return device
  }

  private static func revocation(
    of id: DeviceID, from person: Person, _ fresh: BoxKey
  ) throws(IdentityError) -> WireIdentityRevocation {
    var revocation = WireIdentityRevocation()
    revocation.device = .init(id.bytes)
    revocation.encryptionKey = .init(fresh.publicKey.bytes)
    for (other, device) in person.devices.sorted(by: { $0.key < $1.key })
    where other != id && device.isActive {
      var secret = WireSealedSecret()
      secret.device = .init(other.bytes)
      secret.sealedSecret = .init(
        try sealed(fresh.secret.copy(), to: device.boxKey, at: person.length + 1))
      revocation.secrets.append(secret)
    }
    return revocation
  }

  private static func sealed(
    _ secrets: [UInt8], to key: Bytes32, at place: UInt64
  ) throws(IdentityError) -> [UInt8] {
    guard let box = BoxKey.seal(secrets, to: key) else {
      throw .invalid(place, "the box key of a device is none")
    }
    return box
  }

  private static func body(
    _ place: UInt64, previous: Bytes32, by device: DeviceKeys, time: Int64,
    _ change: WireIdentityBody.OneOf_Change, then key: BoxKey
  ) -> [UInt8] {
    var body = WireIdentityBody()
    body.sequence = place
    body.previous = .init(previous.bytes)
    body.device = .init(device.id.bytes)
    body.time = time
    body.change = change
    body.lock = .init(ChainPlace.lock(ChainPlace.name(place + 1, by: key)).bytes)
    return StoredMessage.encode(body)
  }

  private static func sign(_ body: [UInt8], by device: DeviceKeys) -> [UInt8] {
    var entry = WireIdentityEntry()
    entry.format = format
    entry.body = .init(body)
    entry.signature = .init(device.signing.sign(signatureContext, body))
    return StoredMessage.encode(entry)
  }
}
