import CairnIdentity
import CairnStore
import CairnZone

/// The object with a device's addresses for others (cairn-container(5)). It has one slot for each
/// allowed person, which only that person's devices find and open, among dummy slots. It must not
/// know who is allowed.
struct WakeObject: Hashable, Sendable {
  /// The folder of all these objects.
  static let folder = ObjectKind.wakeObjects
  /// The maximum number of allowed people.
  static let most = 1_024
  private static let slotCount = 16 + Crypto.nonceCount + WakeAddress.listCount + Crypto.tagCount
  /// The maximum size in bytes.
  static let limit = most * slotCount

  /// The owner: 16 bytes in hexadecimal that only that device can relate to itself.
  let owner: String
  /// The number among its owner's objects.
  let number: UInt64

  init(owner: String, number: UInt64) {
    self.owner = owner
    self.number = number
  }

  /// Reads a key; nil if it is not the key of such an object.
  init?(_ key: ObjectKey) {
    let parts = key.description.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == Self.folder else { return nil }
    let name = parts[1].split(separator: "-", omittingEmptySubsequences: false)
    func isDigit(_ byte: UInt8) -> Bool {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
    guard name.map(\.utf8.count) == [32, 16], name.allSatisfy({ $0.utf8.allSatisfy(isDigit) }),
      let number = UInt64(name[1], radix: 16)
    else { return nil }
    self.init(owner: String(name[0]), number: number)
  }

  /// The key of the object.
  var key: ObjectKey {
    guard let key = ObjectKey("\(Self.folder)/\(owner)-\(hexadecimal(Crypto.number(number)))")
    else { preconditionFailure("\(owner) is no name") }
    return key
  }

  /// The context of seals and names, beside the shared key.
  private func context(_ container: ContainerID) -> [UInt8] {
    container.bytes + Array(owner.utf8) + Crypto.number(number)
  }

  /// The first bytes of a person's slot.
  func tag(_ pair: WakePair, in container: ContainerID) -> Bytes16 {
    let digest = Crypto.digest("cairn wake slot v1", secret: pair.secret, context(container))
    guard let tag = Bytes16(digest.bytes.prefix(16)) else {
      preconditionFailure("16 bytes make a tag")
    }
    return tag
  }

  /// Encodes the object.
  /// - Parameters:
  ///   - addresses: The owner's addresses.
  ///   - pairs: The shared secrets with each allowed person; the first `most` of them.
  ///   - container: The container.
  /// - Returns: the slots, in a meaningless order.
  func bytes(
    _ addresses: [WakeAddress], for pairs: [WakePair], in container: ContainerID
  ) -> [UInt8] {
    var slots = pairs.prefix(Self.most).map { pair in
      let key = Crypto.derive("cairn wake slot key v1", from: pair.secret)
      let nonce = Crypto.random(Crypto.nonceCount)
      let sealed = Crypto.seal(
        WakeAddress.encode(addresses), key: key, nonce: nonce, with: context(container))
      return tag(pair, in: container).bytes + nonce + sealed
    }
    while slots.isEmpty || slots.count % 16 != 0 { slots.append(Crypto.random(Self.slotCount)) }
    return slots.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }
  }

  /// The owner's addresses, by the first slot for one of these secrets; nil if there is none.
  /// - Parameters:
  ///   - bytes: The object.
  ///   - pairs: The reader's shared secrets with possible owners, by tag.
  ///   - container: The container.
  /// - Returns: the tag, and the addresses.
  func open(
    _ bytes: [UInt8], _ pairs: [Bytes16: WakePair], in container: ContainerID
  ) -> (tag: Bytes16, addresses: [WakeAddress])? {
    guard bytes.count <= Self.limit, bytes.count % Self.slotCount == 0 else { return nil }
    for start in stride(from: 0, to: bytes.count, by: Self.slotCount) {
      let slot = bytes[start..<start + Self.slotCount]
      guard let tag = Bytes16(slot.prefix(16)), let pair = pairs[tag] else { continue }
      let rest = slot.dropFirst(16)
      let plain = Crypto.open(
        Array(rest.dropFirst(Crypto.nonceCount)),
        key: Crypto.derive("cairn wake slot key v1", from: pair.secret),
        nonce: Array(rest.prefix(Crypto.nonceCount)), with: context(container))
      if let addresses = plain.flatMap({ WakeAddress.decode($0) }) { return (tag, addresses) }
    }
    return nil
  }
}
