import CSodium
import CairnIdentity
import CairnWire
import CairnZone
import FoundationEssentials

/// The sealed, signed entry of a zone's log: one commit, bound to its position (zone.proto). It
/// knows keys and bytes; `CairnZone` decides whether the commit is valid.
public enum EntryCodec {
  /// The maximum number of bytes in an entry.
  public static let limit = 16 << 20
  static let format: UInt32 = 1
  private static let boxSize = 32 + Crypto.boxOverhead
  private static let what = "log entry"

  /// Seals and signs a commit for one position of a zone's log.
  /// - Parameters:
  ///   - commit: A commit by this account, in the epoch of `key`.
  ///   - zone: The zone.
  ///   - sequence: The position in its log.
  ///   - key: The key of the commit's epoch.
  ///   - next: The key of the next epoch, if the commit raises the epoch.
  ///   - boxesFor: With `next`, the encryption keys of everybody who must get it. An invalid key
  ///     gets no box.
  ///   - nonce: The nonce of the zone's id; with a genesis, and only then.
  ///   - account: The author.
  /// - Returns: the bytes to store.
  /// - Throws: `EntryProblem.unreadable` if the entry would be larger than `limit`.
  public static func seal(
    _ commit: Commit, zone: ZoneID, sequence: UInt64, key: ZoneKey, next: ZoneKey? = nil,
    boxesFor: Set<Bytes32> = [], nonce: Bytes16? = nil, account: Account
  ) throws(EntryProblem) -> [UInt8] {
    precondition(
      commit.nextKey == next?.digest(in: zone), "an entry carries the key that its commit names")
    let boxes = next.map { Self.boxes(of: $0, for: boxesFor) } ?? []
    return try seal(
      commit, zone: zone, sequence: sequence, key: key, boxes: boxes, nonce: nonce,
      account: account, sealNonce: Crypto.random(Crypto.nonceCount))
  }

  static func seal(
    _ commit: Commit, zone: ZoneID, sequence: UInt64, key: ZoneKey, boxes: [[UInt8]],
    nonce: Bytes16?, account: Account, sealNonce: [UInt8]
  ) throws(EntryProblem) -> [UInt8] {
    precondition(commit.epoch == key.epoch, "a commit is sealed with the key of its epoch")
    precondition(commit.author == account.author, "a commit is signed by whom it names")
    precondition((commit.genesis == nil) == (nonce == nil), "a genesis tells the zone's nonce")
    let body = StoredMessage.encode(WireCommit(commit, nonce: nonce))
    // Every reader would refuse it.
    do { try CommitBounds.check(body) } catch { throw EntryProblem(error) }
    return try seal(
      body: body, zone: zone, sequence: sequence, key: key, boxes: boxes, account: account,
      sealNonce: sealNonce)
  }

  /// Seals and signs the bytes of a commit, without checking them.
  static func seal(
    body: [UInt8], zone: ZoneID, sequence: UInt64, key: ZoneKey, boxes: [[UInt8]],
    account: Account, sealNonce: [UInt8]
  ) throws(EntryProblem) -> [UInt8] {
    let place = place(zone, sequence, key.epoch, boxes)
    var signed = WireSignedCommit()
    signed.body = .init(body)
    signed.signature = .init(account.device.signing.sign("cairn signed commit v1", place, body))
    let count = StoredMessage.encode(signed).count
    signed.padding = .init(repeating: 0, count: SizeClass.paddingField(messageCount: count))
    var entry = WireLogEntry()
    entry.format = format
    entry.epoch = key.epoch
    entry.nonce = .init(sealNonce)
    entry.keyBoxes = boxes.map { .init($0) }
    entry.sealed = .init(
      Crypto.seal(
        StoredMessage.encode(signed), key: sealingKey(key), nonce: sealNonce,
        with: Crypto.prefix("cairn commit v1") + place))
    entry.commitment = .init(commitment(key, zone, sealNonce).bytes)
    let bytes = StoredMessage.encode(entry)
    guard bytes.count <= limit else {
      throw .unreadable(
        FormatError(what, "it would have \(bytes.count) bytes, and \(limit) are allowed"))
    }
    return bytes
  }

  /// The boxes with which an entry distributes the key of the next epoch, in the order of their
  /// bytes. A holder of that key who knows the members can make the same boxes, so nobody is left
  /// out unnoticed. An invalid key gets no box.
  static func boxes(of next: ZoneKey, for keys: Set<Bytes32>) -> [[UInt8]] {
    var plain = next.secret.copy()
    defer { sodium_memzero(&plain, plain.count) }
    return keys.compactMap { key in
      let seed = SecretBytes { seed in
        let digest = Crypto.digest("cairn epoch box v1", secret: next.secret, key.bytes)
        digest.withBytes { seed.copyMemory(from: $0) }
      }
      return BoxKey.seal(plain, to: key, seed: seed)
    }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// The digest of an entry, which the next commit names. Readers cut bytes longer than `limit` one
  /// byte behind it, so everybody gets the same digest.
  public static func digest(of bytes: [UInt8]) -> Bytes32 {
    Crypto.digest("cairn entry v1", bytes)
  }

  /// The public part of an entry. Nothing in it is proven before `open` succeeds.
  public static func header(
    of bytes: [UInt8]
  ) throws(EntryProblem) -> (epoch: UInt64, keyBoxes: [[UInt8]]) {
    let entry = try decode(bytes)
    return (entry.epoch, entry.keyBoxes.map { Array($0) })
  }

  /// The keys that open boxes of an entry: a person's, and those of their links.
  public struct Opener: Sendable {
    let account: Account
    let links: [BoxKey]

    /// Creates an opener for this account, and the box keys of links.
    public init(account: Account, links: [BoxKey] = []) {
      self.account = account
      self.links = links
    }

    func key(in box: [UInt8], epoch: UInt64) -> ZoneKey? {
      guard box.count == boxSize else { return nil }
      var plain = account.open(box)
      for link in links where plain == nil { plain = link.open(box) }
      return plain.flatMap { SecretBytes($0) }.map { ZoneKey(epoch: epoch, secret: $0) }
    }
  }

  /// An opened entry.
  public struct Opened: Equatable, Sendable {
    /// The commit, with a verified signature.
    public let commit: Commit
    /// The key of the next epoch, if it was in a box for this person. Keep it if the commit is
    /// valid, and forget it otherwise.
    public let newKey: ZoneKey?
    /// The boxes of the entry.
    let boxes: [[UInt8]]

    /// Returns whether the entry distributes the next key to exactly these keys; nil if that is
    /// unknown without it.
    func handsKey(to keys: Set<Bytes32>) -> Bool? {
      guard commit.nextKey != nil else { return boxes.isEmpty }
      guard boxes.count <= keys.count else { return false }
      return newKey.map { EntryCodec.boxes(of: $0, for: keys) == boxes }
    }
  }

  /// Opens an entry with a known key, and verifies its author and the claims of links in it.
  /// - Parameters:
  ///   - bytes: The stored entry.
  ///   - zone: The zone of the entry.
  ///   - sequence: The position of the entry.
  ///   - kind: The kind of the zone; a public zone's id does not follow from an owner.
  ///   - keys: The known keys.
  ///   - opener: The keys for boxes.
  ///   - signKey: Returns the public key of a person's device; nil if there is none.
  /// - Returns: the commit, and the distributed key.
  /// - Throws: `EntryProblem`, and errors of `signKey`.
  public static func open(
    _ bytes: [UInt8], zone: ZoneID, sequence: UInt64, kind: ZoneKind = .owned, keys: Keyring,
    opener: Opener, signKey: (Author) throws -> Bytes32?
  ) throws -> Opened {
    let entry = try decode(bytes)
    let boxes = entry.keyBoxes.map { Array($0) }
    guard let key = keys[entry.epoch] else { throw EntryProblem.noKey(epoch: entry.epoch) }
    let commit = try open(entry, zone, sequence, kind, key, signKey)
    let next = commit.nextKey.flatMap { digest in
      boxes.lazy.compactMap { opener.key(in: $0, epoch: entry.epoch + 1) }
        .first { $0.digest(in: zone) == digest }
    }
    return Opened(commit: commit, newKey: next, boxes: boxes)
  }

  /// Opens an entry with a known key, and verifies its author.
  /// - Parameters:
  ///   - bytes: The stored entry.
  ///   - zone: The zone of the entry.
  ///   - sequence: The position of the entry.
  ///   - keys: The known keys.
  ///   - signKey: Returns the public key of a person's device; nil if there is none.
  /// - Returns: the commit.
  /// - Throws: `EntryProblem`, and errors of `signKey`.
  public static func open(
    _ bytes: [UInt8], zone: ZoneID, sequence: UInt64, keys: Keyring,
    signKey: (Author) throws -> Bytes32?
  ) throws -> Commit {
    let entry = try decode(bytes)
    guard let key = keys[entry.epoch] else { throw EntryProblem.noKey(epoch: entry.epoch) }
    return try open(entry, zone, sequence, .owned, key, signKey)
  }

  /// Opens an entry that was opened here before, by its digest, without verifying its author again.
  static func reopen(
    _ bytes: [UInt8], zone: ZoneID, sequence: UInt64, keys: Keyring
  ) throws(EntryProblem) -> Commit {
    let entry = try decode(bytes)
    guard let key = keys[entry.epoch] else { throw .noKey(epoch: entry.epoch) }
    return try unseal(entry, zone, sequence, key).commit
  }

  private static func decode(_ bytes: [UInt8]) throws(EntryProblem) -> WireLogEntry {
    guard bytes.count <= limit else {
      throw .unreadable(FormatError(what, "it has more than the \(limit) bytes that are allowed"))
    }
    let entry: WireLogEntry
    do {
      entry = try StoredMessage.decode(bytes, as: WireLogEntry.self, what, limit: limit, .closed)
    } catch {
      // A later format may have fields that are no entry for this one.
      if let format = laterFormat(bytes) { throw .newerFormat(format) }
      throw EntryProblem(error)
    }
    guard entry.format <= format else { throw .newerFormat(entry.format) }
    guard entry.format == format, entry.epoch > 0, entry.epoch <= UInt64(Int64.max),
      entry.nonce.count == Crypto.nonceCount, entry.commitment.count == 32,
      entry.keyBoxes.allSatisfy({ $0.count == boxSize })
    else { throw .unreadable(FormatError(what, "a part of it is missing or has a wrong size")) }
    return entry
  }

  /// The format, if these bytes begin with a higher one than ours.
  private static func laterFormat(_ bytes: [UInt8]) -> UInt32? {
    guard bytes.count > 1, bytes[0] == 8, bytes[1] > format, bytes[1] < 128 else { return nil }
    return UInt32(bytes[1])
  }

  /// The content of an entry, before its author is verified.
  private struct Unsealed {
    var commit: Commit
    var nonce: Bytes16?
    var signature: [UInt8]
    var body: [UInt8]
    var place: [UInt8]
  }

  private static func unseal(
    _ entry: WireLogEntry, _ zone: ZoneID, _ sequence: UInt64, _ key: ZoneKey
  ) throws(EntryProblem) -> Unsealed {
    let nonce = Array(entry.nonce)
    guard commitment(key, zone, nonce).bytes == Array(entry.commitment) else { throw .sealBroken }
    let place = place(zone, sequence, entry.epoch, entry.keyBoxes.map { Array($0) })
    guard
      let plain = Crypto.open(
        Array(entry.sealed), key: sealingKey(key), nonce: nonce,
        with: Crypto.prefix("cairn commit v1") + place)
    else { throw .sealBroken }
    do {
      let signed = try StoredMessage.decode(
        plain, as: WireSignedCommit.self, what, limit: limit, .closed)
      let body = Array(signed.body)
      try CommitBounds.check(body)
      let wire = try StoredMessage.decode(body, as: WireCommit.self, what, limit: limit)
      let (commit, nonce) = try wire.commit(epoch: entry.epoch)
      return Unsealed(
        commit: commit, nonce: nonce, signature: Array(signed.signature), body: body, place: place)
    } catch {
      throw EntryProblem(error)
    }
  }

  private static func open(
    _ entry: WireLogEntry, _ zone: ZoneID, _ sequence: UInt64, _ kind: ZoneKind, _ key: ZoneKey,
    _ signKey: (Author) throws -> Bytes32?
  ) throws -> Commit {
    let opened = try unseal(entry, zone, sequence, key)
    try check(opened.commit, opened.signature, opened.body, opened.place, zone, signKey)
    if kind == .owned, let genesis = opened.commit.genesis, let nonce = opened.nonce {
      guard ZoneID.derive(owner: genesis.owner, nonce: nonce) == zone else {
        throw EntryProblem.foreignZone
      }
    }
    return opened.commit
  }

  /// The nonce of the zone's id, which the first entry contains. Nil if the entry cannot be opened,
  /// or belongs to another zone.
  public static func nonce(of first: [UInt8], zone: ZoneID, keys: Keyring) -> Bytes16? {
    do throws(EntryProblem) {
      let entry = try decode(first)
      guard let key = keys[entry.epoch] else { return nil }
      let opened = try unseal(entry, zone, 1, key)
      guard let founder = opened.commit.genesis?.owner, let nonce = opened.nonce,
        ZoneID.derive(owner: founder, nonce: nonce) == zone
      else { return nil }
      return nonce
    } catch {
      return nil
    }
  }

  /// Verifies the signatures of the author and of the claimed links.
  private static func check(
    _ commit: Commit, _ signature: [UInt8], _ body: [UInt8], _ place: [UInt8], _ zone: ZoneID,
    _ signKey: (Author) throws -> Bytes32?
  ) throws {
    let author = commit.author
    guard let signer = try signKey(author) else { throw EntryProblem.unknownDevice(author) }
    guard SigningKey.verify(signature, by: signer, "cairn signed commit v1", place, body) else {
      throw EntryProblem.badSignature(author)
    }
    for case .claim(let link, let proof) in commit.share {
      guard
        SigningKey.verify(
          proof, by: link.value, claimContext, zone.bytes, link.bytes, author.user.bytes)
      else { throw EntryProblem.badClaim(author) }
    }
  }

  static let claimContext = "cairn link claim v1"

  private static func place(
    _ zone: ZoneID, _ sequence: UInt64, _ epoch: UInt64, _ boxes: [[UInt8]]
  ) -> [UInt8] {
    let parts = boxes.flatMap { [Crypto.number(UInt64($0.count)), $0] }
    let digest = Crypto.digest("cairn key boxes v1", parts: parts)
    return zone.bytes + Crypto.number(sequence) + Crypto.number(epoch) + digest.bytes
  }

  private static func sealingKey(_ key: ZoneKey) -> SecretBytes {
    Crypto.derive("cairn commit key v1", from: key.secret)
  }

  private static func commitment(_ key: ZoneKey, _ zone: ZoneID, _ nonce: [UInt8]) -> Bytes32 {
    Crypto.digest(
      "cairn key commitment v1", secret: key.secret, zone.bytes, Crypto.number(key.epoch), nonce)
  }
}
