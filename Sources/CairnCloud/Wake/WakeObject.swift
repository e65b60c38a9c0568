import CairnStore
import CairnZone

/// The object by which a device tells others where it listens (cairn-container(5)): a slot for each
/// person who may know, which only that person's devices find and open, among others that are
/// nobody's. It must not know who may.
struct WakeObject: Hashable, Sendable {
  /// The folder of all of them.
  static let folder = "wakes"
  /// The most people who are told.
  static let most = 1_024
  private static let slotCount = 16 + Crypto.nonceCount + WakeAddress.listCount + Crypto.tagCount
  /// The most bytes of one.
  static let limit = most * slotCount

  /// Whose it is: 16 bytes in hexadecimal, which only that device can relate to itself.
  let owner: String
  /// Which one of its owner's.
  let number: UInt64

  init(owner: String, number: UInt64) {
    self.owner = owner
    self.number = number
  }

  /// Reads a key; nil if it is none of such an object.
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

  /// The key that it stands under.
  var key: ObjectKey {
    guard let key = ObjectKey("\(Self.folder)/\(owner)-\(hexadecimal(Crypto.number(number)))")
    else { preconditionFailure("\(owner) is no name") }
    return key
  }

  /// What seals and names are bound to, besides the two who share the key.
  private func context(_ container: ContainerID) -> [UInt8] {
    container.bytes + Array(owner.utf8) + Crypto.number(number)
  }

  /// What the slot of somebody begins with.
  func tag(_ pair: WakePair, in container: ContainerID) -> Bytes16 {
    let digest = Crypto.digest("cairn wake slot v1", secret: pair.secret, context(container))
    guard let tag = Bytes16(digest.bytes.prefix(16)) else {
      preconditionFailure("16 bytes make a tag")
    }
    return tag
  }

  /// The object's bytes.
  /// - Parameters:
  ///   - addresses: Where its owner listens.
  ///   - pairs: What the owner shares with each person who may know; of more than `most` the first.
  ///   - container: Where it stands.
  /// - Returns: the slots, in an order that says nothing.
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

  /// Where its owner listens, as the first slot says that is one of these; nil if none is.
  /// - Parameters:
  ///   - bytes: What stands there.
  ///   - pairs: What the reader shares with devices that it may be of, by the tags.
  ///   - container: Where it stands.
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
