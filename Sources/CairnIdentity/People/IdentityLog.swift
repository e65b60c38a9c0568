import CairnWire
import CairnZone

/// The chain of signed entries that defines a person: the pure replay, and the rules for one entry.
/// `ChainPlace` knows the positions of entries, and `ChainReader` finds them.
public enum IdentityLog {
  static let format: UInt32 = 1
  /// The maximum size of an entry in bytes.
  public static let entryLimit = 65536
  static let signatureContext = "cairn identity entry v1"
  /// The context of the signature with which a new device proves that it has its keys.
  public static let proofContext = "cairn device proof v1"

  /// Replays stored entries from the first on. Each must be valid: nothing is skipped.
  /// - Parameters:
  ///   - entries: The stored bytes, position by position.
  ///   - user: Their owner; nil if unknown.
  /// - Returns: the resulting person.
  /// - Throws: `IdentityError` if an entry is invalid.
  public static func fold(
    _ entries: [[UInt8]], of user: UserID? = nil
  ) throws(IdentityError) -> Person {
    guard let first = entries.first else { throw .empty }
    var person = try start(first)
    guard user == nil || person.id == user else { throw .wrongPerson }
    for entry in entries.dropFirst() { person = try fold(entry, onto: person) }
    return person
  }

  /// The person after another valid entry.
  static func fold(_ stored: [UInt8], onto person: Person) throws(IdentityError) -> Person {
    let place = person.length + 1
    let (entry, body) = try decode(stored)
    guard body.sequence == place, Bytes32(body.previous) == person.head else {
      throw .brokenChain(place)
    }
    guard let author = DeviceID(bytes: body.device), let device = person.devices[author],
      device.isActive
    else { throw .inactiveDevice(place) }
    try check(entry, by: device.signKey, at: place)
    var next = person
    next.lock = try lock(of: body, at: place)
    switch body.change {
    case .profile(let profile): try apply(profile, to: &next, at: place)
    case .addDevice(let added): try add(added, to: &next, after: person.head, at: place)
    case .revokeDevice(let revocation):
      try apply(revocation, to: &next, at: place, time: body.time)
    case .renameDevice(let renaming): try apply(renaming, to: &next, at: place)
    case .beginPublic(let log): try apply(log, to: &next, at: place)
    case .goesOn(let site): try apply(site, to: &next, at: place)
    case .start, nil: throw .invalid(place, "it doesn't say what changes")
    }
    next.length = place
    next.head = digest(of: stored)
    return next
  }

  private static func start(_ stored: [UInt8]) throws(IdentityError) -> Person {
    let (entry, body) = try decode(stored)
    guard body.sequence == 1, Bytes32(body.previous) == .zero else { throw .brokenChain(1) }
    guard case .start(let start)? = body.change, start.hasProfile, start.hasDevice else {
      throw .invalid(1, "it doesn't say who begins")
    }
    guard let encryptionKey = Bytes32(start.encryptionKey) else {
      throw .invalid(1, "the encryption key is missing")
    }
    let device = try device(start.device, at: 1)
    guard !device.isRecovery else { throw .invalid(1, "nobody begins with a recovery device") }
    let id = DeviceID.derive(signKey: device.signKey)
    guard DeviceID(bytes: body.device) == id else { throw .inactiveDevice(1) }
    try check(entry, by: device.signKey, at: 1)
    var person = Person(
      id: UserID(Crypto.digest("cairn user v1", Array(entry.body))), handle: "", name: "",
      encryptionKey: encryptionKey, devices: [id: device], length: 1, head: digest(of: stored),
      lock: try lock(of: body, at: 1))
    try apply(start.profile, to: &person, at: 1)
    if !start.site.isEmpty {
      guard let id = SiteID(bytes: start.site) else { throw .invalid(1, "it begins nowhere") }
      person.site = Site(id: id, location: "")
    }
    return person
  }

  /// Decodes the entry and its content, without checks.
  public static func decode(
    _ stored: [UInt8]
  ) throws(IdentityError) -> (WireIdentityEntry, WireIdentityBody) {
    let what = "identity entry"
    let entry: WireIdentityEntry
    do {
      entry = try StoredMessage.decode(
        stored, as: WireIdentityEntry.self, what, limit: entryLimit, .closed)
    } catch {
      throw IdentityError(error)
    }
    guard entry.format <= format else { throw .newerFormat(entry.format) }
    guard entry.format == format else { throw .unreadable(FormatError(what, "it has no format")) }
    do {
      let body = try StoredMessage.decode(
        Array(entry.body), as: WireIdentityBody.self, what, limit: entryLimit)
      return (entry, body)
    } catch {
      throw IdentityError(error)
    }
  }

  /// The device that an entry of a chain adds, and its signer; nil if it adds none.
  /// - Throws: `IdentityError` if it is no entry.
  static func addition(
    in stored: [UInt8]
  ) throws(IdentityError) -> (added: DeviceID, by: DeviceID)? {
    let (_, body) = try decode(stored)
    guard case .addDevice(let wire)? = body.change, let key = Bytes32(wire.signKey),
      let signer = DeviceID(bytes: body.device)
    else { return nil }
    return (DeviceID.derive(signKey: key), signer)
  }

  private static func lock(
    of body: WireIdentityBody, at place: UInt64
  ) throws(IdentityError) -> Bytes32 {
    guard let lock = Bytes32(body.lock) else {
      throw .invalid(place, "it doesn't say where the next one stands")
    }
    return lock
  }

  private static func check(
    _ entry: WireIdentityEntry, by key: Bytes32, at place: UInt64
  ) throws(IdentityError) {
    guard
      SigningKey.verify(Array(entry.signature), by: key, signatureContext, Array(entry.body))
    else { throw .badSignature(place) }
  }

  private static func device(
    _ wire: WireIdentityDevice, at place: UInt64
  ) throws(IdentityError) -> Person.Device {
    guard let sign = Bytes32(wire.signKey), let box = Bytes32(wire.boxKey),
      wire.sealedSecret.count == 32 + Crypto.boxOverhead, Person.isName(wire.name)
    else { throw .invalid(place, "a device lacks its name or a key") }
    let isRecovery = !wire.earlierSecrets.isEmpty
    guard !isRecovery || isSealedSecrets(wire.earlierSecrets) else {
      throw .invalid(place, "the earlier keys for a recovery device aren't whole")
    }
    return Person.Device(
      name: wire.name, signKey: sign, boxKey: box, isActive: true, isRecovery: isRecovery)
  }

  /// Returns whether a sealed box can contain keys of 32 bytes each, or none.
  private static func isSealedSecrets(_ box: some Collection<UInt8>) -> Bool {
    box.count >= Crypto.boxOverhead && (box.count - Crypto.boxOverhead).isMultiple(of: 32)
  }

  private static func apply(
    _ profile: WireIdentityProfile, to person: inout Person, at place: UInt64
  ) throws(IdentityError) {
    guard Person.isHandle(profile.handle) else { throw .invalid(place, "the handle is none") }
    guard Person.isName(profile.name) else { throw .invalid(place, "the name is none") }
    person.handle = profile.handle
    person.name = profile.name
  }

  private static func add(
    _ wire: WireIdentityDevice, to person: inout Person, after previous: Bytes32, at place: UInt64
  ) throws(IdentityError) {
    let device = try device(wire, at: place)
    let id = DeviceID.derive(signKey: device.signKey)
    guard person.devices[id] == nil else {
      throw .invalid(place, "the device was there before; a device that was revoked stays so")
    }
    guard
      SigningKey.verify(
        Array(wire.proof), by: device.signKey, proofContext, device.boxKey.bytes, previous.bytes)
    else { throw .invalid(place, "the device didn't agree to be added") }
    person.devices[id] = device
  }

  private static func apply(
    _ wire: WireIdentityPublicLog, to person: inout Person, at place: UInt64
  ) throws(IdentityError) {
    guard person.publicLock == nil else { throw .invalid(place, "what is published began before") }
    guard let lock = Bytes32(wire.lock) else {
      throw .invalid(place, "it doesn't say where what is published begins")
    }
    person.publicLock = lock
  }

  private static func apply(
    _ wire: WireSite, to person: inout Person, at place: UInt64
  ) throws(IdentityError) {
    guard let id = SiteID(bytes: wire.id), id != person.site?.id else {
      throw .invalid(place, "it doesn't say at which other place it goes on")
    }
    let site = Site(id: id, location: wire.location)
    guard site.isWhole else { throw .invalid(place, "nobody can find where it goes on") }
    person.site = site
  }

  private static func apply(
    _ wire: WireIdentityDeviceName, to person: inout Person, at place: UInt64
  ) throws(IdentityError) {
    guard let id = DeviceID(bytes: wire.device), person.devices[id]?.isActive == true else {
      throw .invalid(place, "the device to rename isn't an active one")
    }
    guard Person.isName(wire.name) else { throw .invalid(place, "the device's name is none") }
    person.devices[id]?.name = wire.name
  }

  private static func apply(
    _ wire: WireIdentityRevocation, to person: inout Person, at place: UInt64, time: Int64
  ) throws(IdentityError) {
    guard let id = DeviceID(bytes: wire.device), person.devices[id]?.isActive == true else {
      throw .invalid(place, "the device to revoke isn't an active one")
    }
    guard let key = Bytes32(wire.encryptionKey), key != person.encryptionKey else {
      throw .invalid(place, "a revocation needs another encryption key")
    }
    person.devices[id]?.isActive = false
    person.devices[id]?.revoked = time
    let active = Set(person.devices.filter { $0.value.isActive }.keys)
    guard !active.isEmpty else { throw .invalid(place, "the last device can't be revoked") }
    let given = wire.secrets.compactMap { secret -> DeviceID? in
      guard secret.sealedSecret.count == 32 + Crypto.boxOverhead else { return nil }
      return DeviceID(bytes: secret.device)
    }
    guard given.count == wire.secrets.count, given.count == active.count, Set(given) == active
    else { throw .invalid(place, "the new key isn't sealed to each remaining device once") }
    person.encryptionKey = key
  }

  /// The digest of a stored entry.
  public static func digest(of stored: [UInt8]) -> Bytes32 {
    Crypto.digest("cairn identity chain v1", stored)
  }
}
