import CSodium
import CairnZone
import FoundationEssentials

/// The sealed, signed entry of a zone's log: one commit, bound to its place (zone.proto). It
/// knows keys and bytes; whether the commit is valid is `CairnZone`'s business.
public enum EntryCodec {
  /// The most bytes that an entry may have.
  public static let limit = 16 << 20
  static let format: UInt32 = 1
  private static let boxSize = 32 + Crypto.boxOverhead
  private static let what = "log entry"

  /// Seals and signs a commit for one place of a zone's log.
  /// - Parameters:
  ///   - commit: by this account, of the epoch of `key`.
  ///   - zone: the zone.
  ///   - sequence: the place in its log.
  ///   - key: of the commit's epoch.
  ///   - next: the key of the next epoch, if the commit raises the epoch.
  ///   - boxesFor: with `next`, encryption keys of everybody who is to have it. A key that is none
  ///     gets no box.
  ///   - nonce: what made the zone's id; with a genesis, and only then.
  ///   - account: the author.
  /// - Returns: the bytes to be stored.
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
    return try seal(
      body: StoredMessage.encode(WireCommit(commit, nonce: nonce)), zone: zone, sequence: sequence,
      key: key, boxes: boxes, account: account, sealNonce: sealNonce)
  }

  /// Seals and signs the bytes of a commit, whatever they say.
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

  /// The boxes in which an entry hands out the key of the next epoch, in the order of their bytes.
  /// Whoever has that key and knows who is in makes the very same, so that nobody is left out
  /// unseen. A key that is none gets no box.
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

  /// What the next commit names as the one before it. What is longer than `limit` is no entry, and
  /// is cut one byte behind it by whoever reads it; so everybody gets the same digest of it.
  public static func digest(of bytes: [UInt8]) -> Bytes32 {
    Crypto.digest("cairn entry v1", bytes)
  }

  /// What everybody can read of an entry; nothing of it is proven before `open` succeeded.
  public static func header(
    of bytes: [UInt8]
  ) throws(EntryProblem) -> (epoch: UInt64, keyBoxes: [[UInt8]]) {
    let entry = try decode(bytes)
    return (entry.epoch, entry.keyBoxes.map { Array($0) })
  }

  /// Whose boxes of an entry can be opened: a person's, and those for links that they hold.
  public struct Opener: Sendable {
    let account: Account
    let links: [BoxKey]

    /// For this account, and the box keys of links.
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
    /// The commit; its signature was checked.
    public let commit: Commit
    /// The key of the next epoch, if it came in a box that this person can open. Keep it if the
    /// commit is valid, and forget it otherwise.
    public let newKey: ZoneKey?
    /// The boxes of the entry.
    let boxes: [[UInt8]]

    /// Whether the entry hands the next key to exactly these; nil if that can't be told without
    /// having it.
    func handsKey(to keys: Set<Bytes32>) -> Bool? {
      guard commit.nextKey != nil else { return boxes.isEmpty }
      guard boxes.count <= keys.count else { return false }
      return newKey.map { EntryCodec.boxes(of: $0, for: keys) == boxes }
    }
  }

  /// Opens an entry with a known key, and checks who signed it and who claims a link in it.
  /// - Parameters:
  ///   - bytes: the stored entry.
  ///   - zone: the zone in which it stands.
  ///   - sequence: the place at which it stands.
  ///   - kind: whose rules hold in the zone; the public one's id doesn't follow from an owner.
  ///   - keys: the keys that are known.
  ///   - opener: whose boxes to open.
  ///   - signKey: the public key of a device of a person, nil if there is no such.
  /// - Returns: the commit, and the key that it hands out.
  /// - Throws: `EntryProblem`, and what `signKey` throws.
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

  /// Opens an entry with a known key, and checks who signed it.
  /// - Parameters:
  ///   - bytes: the stored entry.
  ///   - zone: the zone in which it stands.
  ///   - sequence: the place at which it stands.
  ///   - keys: the keys that are known.
  ///   - signKey: the public key of a device of a person, nil if there is no such.
  /// - Returns: the commit.
  /// - Throws: `EntryProblem`, and what `signKey` throws.
  public static func open(
    _ bytes: [UInt8], zone: ZoneID, sequence: UInt64, keys: Keyring,
    signKey: (Author) throws -> Bytes32?
  ) throws -> Commit {
    let entry = try decode(bytes)
    guard let key = keys[entry.epoch] else { throw EntryProblem.noKey(epoch: entry.epoch) }
    return try open(entry, zone, sequence, .owned, key, signKey)
  }

  /// Opens an entry that was opened here before, as its digest tells: who signed it isn't checked
  /// again.
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
      // A later format may have fields that this one calls no entry.
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

  /// The format, if these bytes begin with one that is higher than ours.
  private static func laterFormat(_ bytes: [UInt8]) -> UInt32? {
    guard bytes.count > 1, bytes[0] == 8, bytes[1] > format, bytes[1] < 128 else { return nil }
    return UInt32(bytes[1])
  }

  /// What stands in an entry; who signed it isn't checked yet.
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

  /// What made the zone's id, with its founder: it stands in the first entry. Nil if that doesn't
  /// open, or isn't this zone's.
  static func nonce(of first: [UInt8], zone: ZoneID, keys: Keyring) -> Bytes16? {
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

  /// The signatures of the author, and of the links that are claimed.
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
