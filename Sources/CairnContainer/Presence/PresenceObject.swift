import CairnIdentity
import CairnStore
public import CairnZone

/// A file of a zone that a person has open.
public struct PresenceFile: Hashable, Sendable {
  /// Its record.
  public var record: RecordID
  /// The time at which it was opened, in nanoseconds since 1970, as its device says.
  public var since: Int64

  /// Creates a file.
  public init(record: RecordID, since: Int64) { (self.record, self.since) = (record, since) }
}

/// The object with the files of one zone that are open on one device (cairn-container(5)). Each
/// member of the zone opens it, and only the named device can have made it. All have one size. It
/// must not know rights, or when an object expires.
struct PresenceObject: Hashable, Sendable {
  /// The maximum number of files in an object.
  static let most = 40
  private static let fileCount = 16 + 8
  private static let authorCount = 32 + 16
  private static let plainCount = authorCount + 1 + most * fileCount + Crypto.signatureCount
  /// The size of an object in bytes.
  static let count = Crypto.nonceCount + plainCount + Crypto.tagCount

  /// The owner: 16 bytes in hexadecimal that only that device can relate to itself.
  let owner: String
  /// The time of the object in nanoseconds since 1970: the highest counts.
  let time: UInt64
  /// The topic of the zone, which only its members can compute.
  let topic: UInt32

  init(owner: String, time: UInt64, topic: UInt32) {
    (self.owner, self.time, self.topic) = (owner, time, topic)
  }

  /// Reads a key; nil if it is not the key of such an object.
  init?(_ key: ObjectKey) {
    let path = key.description.split(separator: "/", omittingEmptySubsequences: false)
    guard path.count == 2, path[0] == ObjectKind.presenceObjects else { return nil }
    let parts = path[1].split(separator: "-", omittingEmptySubsequences: false)
    func isDigit(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
    guard parts.map(\.utf8.count) == [32, 16, 8], parts.allSatisfy({ $0.utf8.allSatisfy(isDigit) }),
      let time = UInt64(parts[1], radix: 16), let topic = UInt32(parts[2], radix: 16)
    else { return nil }
    self.init(owner: String(parts[0]), time: time, topic: topic)
  }

  private var name: String {
    "\(owner)-\(hexadecimal(Crypto.number(time)))-"
      + hexadecimal(Crypto.number(UInt64(topic)).suffix(4))
  }

  /// The key of the object.
  var key: ObjectKey {
    guard let key = ObjectKey("\(ObjectKind.presenceObjects)/\(name)") else {
      preconditionFailure("\(name) is no name")
    }
    return key
  }

  /// The context of the seal and the signature.
  private func context(_ zone: ZoneID, in container: ContainerID) -> [UInt8] {
    container.bytes + zone.bytes + Array(name.utf8)
  }

  /// Encodes the object.
  /// - Parameters:
  ///   - files: The open files; the first `most` of them.
  ///   - account: The person, and the device that signs.
  ///   - zone: The zone of the files, and the key of its epoch.
  ///   - container: The container.
  /// - Returns: the bytes.
  func bytes(
    _ files: [PresenceFile], by account: Account, in zone: PresenceKey, of container: ContainerID
  ) -> [UInt8] {
    let plain = Self.encode(files, by: account.author)
    let context = context(zone.zone, in: container)
    let signature = account.device.signing.sign(Self.signature, context, plain)
    let nonce = Crypto.random(Crypto.nonceCount)
    return nonce
      + Crypto.seal(plain + signature, key: zone.sealKey, nonce: nonce, with: context)
  }

  private static let signature = "cairn presence v1"

  /// Opens an object.
  /// - Parameters:
  ///   - bytes: The object.
  ///   - zone: The zone, and the key of its epoch.
  ///   - container: The container.
  ///   - signKey: Returns the key of a device; nil if there is no such device.
  /// - Throws: The error of `signKey`.
  /// - Returns: The device and its open files; nil if the object isn't of that zone, or the named
  ///   device didn't sign it.
  func open(
    _ bytes: [UInt8], in zone: PresenceKey, of container: ContainerID,
    signKey: (Author) throws(StoreError) -> Bytes32?
  ) throws(StoreError) -> (author: Author, files: [PresenceFile])? {
    let context = context(zone.zone, in: container)
    guard bytes.count == Self.count,
      let plain = Crypto.open(
        Array(bytes.dropFirst(Crypto.nonceCount)), key: zone.sealKey,
        nonce: Array(bytes.prefix(Crypto.nonceCount)), with: context),
      let (author, files) = Self.decode(plain.dropLast(Crypto.signatureCount)),
      let key = try signKey(author),
      SigningKey.verify(
        Array(plain.suffix(Crypto.signatureCount)), by: key, Self.signature, context,
        Array(plain.dropLast(Crypto.signatureCount)))
    else { return nil }
    return (author, files)
  }

  /// Encodes the signed bytes: the author, the number of files, the files, then zeros.
  static func encode(_ files: [PresenceFile], by author: Author) -> [UInt8] {
    let files = files.prefix(most)
    return author.user.bytes + author.device.bytes + [UInt8(files.count)]
      + files.flatMap { $0.record.bytes + Crypto.number(UInt64(bitPattern: $0.since)) }
      + [UInt8](repeating: 0, count: (most - files.count) * fileCount)
  }

  /// Decodes such bytes; nil for anything else.
  static func decode(_ plain: ArraySlice<UInt8>) -> (Author, [PresenceFile])? {
    let list = plain.dropFirst(authorCount)
    guard plain.count == plainCount - Crypto.signatureCount,
      let user = UserID(bytes: plain.prefix(32)),
      let device = DeviceID(bytes: plain.dropFirst(32).prefix(16)),
      let number = list.first, number <= most
    else { return nil }
    let rest = Array(list.dropFirst())
    var files: [PresenceFile] = []
    for start in stride(from: 0, to: Int(number) * fileCount, by: fileCount) {
      guard let record = RecordID(bytes: rest[start..<start + 16]) else { return nil }
      let time = rest[start + 16..<start + fileCount].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      files.append(PresenceFile(record: record, since: Int64(bitPattern: time)))
    }
    guard rest[(Int(number) * fileCount)...].allSatisfy({ $0 == 0 }) else { return nil }
    return (Author(user: user, device: device), files)
  }
}

/// The key by which members of a zone tell each other about open files, from the key of its epoch.
struct PresenceKey: Sendable {
  /// The zone.
  let zone: ZoneID
  /// The epoch.
  let epoch: UInt64
  /// The topic in names of objects.
  let topic: UInt32
  /// The key of the seals.
  let sealKey: SecretBytes

  init(_ zone: ZoneID, _ key: ZoneKey) {
    (self.zone, epoch) = (zone, key.epoch)
    let digest = Crypto.digest("cairn presence topic v1", secret: key.secret, zone.bytes)
    topic = digest.bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    sealKey = Crypto.derive("cairn presence key v1", from: key.secret, [zone.bytes])
  }

  /// The owner name of a device's objects for the zone: nobody else can relate it to the device, or
  /// to its objects for other zones.
  func owner(_ account: Account, in container: ContainerID) -> String {
    let digest = Crypto.digest(
      "cairn presence owner v1", secret: account.device.box.secret, container.bytes, zone.bytes)
    return hexadecimal(digest.bytes.prefix(16))
  }
}
