import CairnStore
import CairnZone

extension People {
  /// Appends an entry to the account's own chain, at its next position. A device that loses the
  /// race reads the chain again and decides again. Other objects in the folder do not hinder a
  /// device, except one in that very position.
  /// - Parameters:
  ///   - account: The owner of the chain.
  ///   - change: Returns the change for this state of the chain; nil if there is none.
  /// - Returns: the person by the chain afterwards: the change is read back. The account then knows
  ///   a new key; its file does not.
  /// - Throws: `CloudError`, and errors of `change`.
  public func append(
    to account: Account, _ change: (Person) throws -> IdentityChange?
  ) throws -> Person {
    try use.check()
    do {
      var (length, vain) = (UInt64(0), 0)
      for _ in 0..<1_000 where vain < Self.patient {
        let (person, held) = try current(account)
        vain = person.length == length ? vain + 1 : 0
        length = person.length
        guard let change = try change(person) else { return person }
        guard try sites.trail().keeps(person.site) else {
          throw LogTrouble.elsewhere(person.site, at: person.length).error
        }
        if let held { throw held.error }
        try mend(account)
        let (next, name, entry) = try IdentityLog.append(
          change, to: person, by: account, time: WallClock.now)
        let key = ChainPlace.key(account.user, name)
        guard try store.puts(key, entry) else { continue }
        account.learn(next.encryption)
        let after = try current(account).person
        guard after.length > person.length + 1 || after.head == IdentityLog.digest(of: entry) else {
          throw Self.unread(key)
        }
        return after
      }
    } catch let error as StoreError {
      throw CloudError(error)
    } catch IdentityError.noPlace(let at) {
      throw CloudError(
        .assetNotAvailable, IdentityError.noPlace(at).description,
        remedy: "see in `cairn device list` which of your devices isn't in your hands: entry \(at) "
          + "is by it, and its object has to be taken out of users/\(account.user)/log")
    } catch let error as IdentityError {
      throw CloudError(
        .invalidArguments, error.description, remedy: "look at `cairn device list`, and try again")
    }
    throw try unfree(account)
  }

  /// The number of reads of a taken position without a readable entry: a store may show another
  /// device's object late.
  private static let patient = 5

  /// The account's person by the current chain, with the object that holds the chain, and the
  /// account with the newest key.
  /// - Throws: `CloudError` with `.notAuthenticated` if this device was revoked.
  private func current(_ account: Account) throws -> (person: Person, held: LogTrouble?) {
    guard let (person, held) = try read(account.user, as: account) else {
      throw CloudError(
        .notAuthenticated, "the container doesn't know this account",
        remedy: "check that cairn.conf names the right container")
    }
    guard person.devices[account.device.id]?.isActive == true else { throw CloudError.revoked }
    _ = try learn(account, as: person)
    return (person, held)
  }

  /// Puts back lost objects of the account's own chain. Otherwise nobody could read what follows.
  private func mend(_ account: Account) throws {
    switch troubles[account.user]?.kind {
    case .lostEnd, .damaged: _ = try putBack(account.user)
    case .twoHistories, .held, .disputed, .elsewhere, nil: break
    }
  }

  /// The error for a next position that is not free although no entry was read there.
  private func unfree(_ account: Account) throws -> CloudError {
    let person = try current(account).person
    guard let name = account.nextName(after: person) else {
      return CloudError(
        .zoneBusy, "others keep writing into your identity log", remedy: "try again later")
    }
    return LogTrouble(
      .held, agreed: person.length, seen: person.length + 1,
      object: ChainPlace.key(account.user, name).description,
      reason: "nothing can be read there, and nothing be put there"
    ).error
  }

  private static func unread(_ key: ObjectKey) -> CloudError {
    CloudError(
      .assetNotAvailable,
      "your identity doesn't show what was just written to it, under \(key)",
      remedy: "nothing else was changed; run `cairn verify`, and try again")
  }

  /// Adds the encryption keys that the person got since the account was stored.
  /// - Returns: whether there were any.
  /// - Throws: `StoreError`, or `IdentityError` if the first entry is invalid.
  @discardableResult
  public func learn(_ account: Account, as person: Person) throws -> Bool {
    guard person.encryptionKey != account.encryptionKey else { return false }
    let keys = try IdentityLog.secrets(
      in: entries(of: account.user, upTo: person.length), of: account.user, for: account.device
    ).keys
    let before = account.encryptionKey
    account.learn(keys)
    return account.encryptionKey != before
  }

  /// The account of a person on a recovery device, from the person's chain alone.
  /// - Returns: nil if the chain does not give the device all of the person's encryption keys.
  /// - Throws: `StoreError` or `IdentityError` if the chain cannot be read.
  public func account(of person: Person, on device: DeviceKeys) throws -> Account? {
    let entries = try entries(of: person.id, upTo: person.length)
    let secrets = try IdentityLog.secrets(in: entries, of: person.id, for: device)
    guard secrets.areAll, let origin = entries.first else { return nil }
    return Account(user: person.id, device: device, encryption: secrets.keys, origin: origin)
  }

  /// The device that let in each other device, by the person's chain.
  /// - Throws: `StoreError` or `IdentityError` if the chain cannot be read.
  public func adders(of person: Person) throws -> [DeviceID: DeviceID] {
    var adders: [DeviceID: DeviceID] = [:]
    for entry in try entries(of: person.id, upTo: person.length) {
      guard let (added, adder) = try IdentityLog.addition(in: entry) else { continue }
      adders[added] = adder
    }
    return adders
  }

  /// The stored entries of a chain up to a position, from the memory or else from the container.
  private func entries(of user: UserID, upTo length: UInt64) throws -> [[UInt8]] {
    let kept = try memory?.entries(of: user).map(\.bytes) ?? []
    guard kept.count < length else { return Array(kept.prefix(Int(length))) }
    var entries: [[UInt8]] = []
    try walk(user, upTo: length) { entry, _ in entries.append(entry.bytes) }
    return entries
  }
}

extension CloudError {
  /// The error for a device that its person has revoked.
  public static let revoked = CloudError(
    .notAuthenticated, "this device was revoked by another device of yours",
    remedy: "what is in its folders stays; use another CAIRN_HOME and `cairn device join` to "
      + "come back")
}
