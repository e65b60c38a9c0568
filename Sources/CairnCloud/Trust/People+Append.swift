import CairnStore
import CairnZone

extension People {
  /// Appends an entry to the account's own chain, at the first free place. Who loses the race for
  /// it looks at the chain again and decides anew.
  /// - Parameters:
  ///   - account: whose chain.
  ///   - change: what to append to this state of the chain; nil if nothing is to be done.
  /// - Returns: the person with what is in the chain then. The account knows a new key when this
  ///   returns; its file doesn't.
  /// - Throws: `CloudError`, and what `change` throws.
  func append(
    to account: Account, _ change: (Person) throws -> IdentityChange?
  ) throws -> Person {
    try use.check()
    do {
      for _ in 0..<1_000 {
        let person = try current(account)
        guard let change = try change(person) else { return person }
        let (next, entry) = try IdentityLog.append(
          change, to: person, by: account, time: WallClock.now)
        guard try store.puts(Self.key(account.user, person.length + 1), entry) else { continue }
        account.learn(next.encryption)
        return try current(account)
      }
    } catch let error as StoreError {
      throw CloudError(error)
    } catch let error as IdentityError {
      throw CloudError(
        .invalidArguments, error.description, remedy: "look at `cairn device list`, and try again")
    }
    throw CloudError(
      .zoneBusy, "others keep writing into your identity log", remedy: "try again later")
  }

  /// The person of the account as the chain says now, and the account with the newest key.
  /// - Throws: `CloudError` with `.notAuthenticated` if this device was revoked.
  private func current(_ account: Account) throws -> Person {
    guard let person = try refresh(account.user) else {
      throw CloudError(
        .notAuthenticated, "the container doesn't know this account",
        remedy: "check that cairn.conf names the right container")
    }
    guard person.devices[account.device.id]?.isActive == true else { throw CloudError.revoked }
    _ = try learn(account, as: person)
    return person
  }

  /// Takes up the encryption keys that the person has got since the account was stored.
  /// - Returns: whether there were any.
  /// - Throws: `StoreError`, or `IdentityError` if the first entry isn't valid.
  @discardableResult
  func learn(_ account: Account, as person: Person) throws -> Bool {
    guard person.encryptionKey != account.encryptionKey else { return false }
    var entries: [[UInt8]] = []
    while entries.count < person.length,
      let entry = try store.get(
        Self.key(account.user, UInt64(entries.count) + 1), upTo: IdentityLog.entryLimit)
    {
      entries.append(entry)
    }
    let keys = try IdentityLog.secrets(in: entries, of: account.user, for: account.device)
    let before = account.encryptionKey
    account.learn(keys)
    return account.encryptionKey != before
  }
}

extension CloudError {
  /// What a device is told that its person has revoked.
  static let revoked = CloudError(
    .notAuthenticated, "this device was revoked by another device of yours",
    remedy: "what is in its folders stays; use another CAIRN_HOME and `cairn device join` to "
      + "come back")
}
