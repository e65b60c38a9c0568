import CairnStore
import CairnZone
import Synchronization

/// Everybody in a container: reads identity logs from the store, checks them, and remembers them.
/// It knows persons, not zones. Calls block; any number of threads may call.
public final class People: Sendable {
  let store: any ObjectStore
  let memory: IdentityMemory?
  /// Who else uses the keys of this device.
  let use: DeviceUse
  private let patience: Patience
  private let known = Mutex<[UserID: Person]>([:])
  private let wrong = Mutex<[UserID: LogTrouble]>([:])
  /// A chain longer than this is an attack, or a program gone wild.
  static let longest: UInt64 = 100_000

  /// The people of the container in that store.
  public convenience init(store: any ObjectStore) { self.init(store: store, memory: nil) }

  /// The people of the container in that store, and what was read of them before.
  init(
    store: any ObjectStore, memory: IdentityMemory?, use: DeviceUse = DeviceUse(),
    patience: Patience = Patience()
  ) {
    self.store = store
    self.patience = patience
    self.use = use
    self.memory = memory
  }

  /// Whose chains in the container aren't what this device has read of them, as of the last look.
  public var troubles: [UserID: LogTrouble] { wrong.withLock { $0 } }

  /// The person, as remembered or read now; nil if the container has nobody with that id.
  /// - Throws: `StoreError`, or `IdentityError` if its first entry isn't valid.
  public func person(_ user: UserID) throws -> Person? {
    if let person = known.withLock({ $0[user] }) { return person }
    return try refresh(user)
  }

  /// The person with all entries that the log has by now; those that aren't valid are skipped.
  /// What was read here before holds, also where the container has lost it or shows another entry
  /// in its place.
  /// - Throws: `StoreError`, or `IdentityError` if already the first entry isn't valid.
  public func refresh(_ user: UserID) throws -> Person? {
    var person = try known.withLock { $0[user] } ?? remembered(user)
    let trouble = try person.flatMap { try compare($0) }
    wrong.withLock { $0[user] = trouble }
    while trouble == nil, (person?.length ?? 0) < Self.longest {
      let place = (person?.length ?? 0) + 1
      guard let entry = try store.get(Self.key(user, place), upTo: IdentityLog.entryLimit) else {
        break
      }
      person =
        try person.map { IdentityLog.folding(entry, onto: $0) }
        ?? IdentityLog.fold([entry], of: user)
      try memory?.keep(entry, of: user, at: place)
    }
    guard let person else { return nil }
    known.withLock { known in
      // Another thread may have read further meanwhile.
      if (known[user]?.length ?? 0) < person.length { known[user] = person }
    }
    return person
  }

  /// The person as this device has read them before; nil if it hasn't.
  private func remembered(_ user: UserID) throws -> Person? {
    guard let entries = try memory?.entries(of: user), !entries.isEmpty else { return nil }
    do throws(IdentityError) { return try IdentityLog.fold(entries, of: user) } catch {
      // A damaged index must not hide anybody: the container is read.
      return nil
    }
  }

  /// How the container differs from what was read of a person; the last entry tells of all.
  private func compare(_ person: Person) throws -> LogTrouble? {
    guard let kept = try memory?.entries(of: person.id), let last = kept.last else { return nil }
    if try entry(of: person.id, at: kept.count) == last { return nil }
    var agreed = 0
    var isOther = false
    for (position, entry) in kept.enumerated() {
      guard let found = try self.entry(of: person.id, at: position + 1) else { break }
      guard found == entry else {
        isOther = true
        break
      }
      agreed = position + 1
    }
    guard agreed < kept.count else { return nil }
    return LogTrouble(
      isOther ? .twoHistories : .lostEnd, agreed: UInt64(agreed), seen: UInt64(kept.count))
  }

  private func entry(of user: UserID, at place: Int) throws -> [UInt8]? {
    try store.get(Self.key(user, UInt64(place)), upTo: IdentityLog.entryLimit)
  }

  /// Puts entries of a person's chain back that the container has lost, as they were.
  /// - Returns: how many.
  /// - Throws: `StoreError`.
  func putBack(_ user: UserID) throws -> Int {
    guard let kept = try memory?.entries(of: user) else { return 0 }
    var count = 0
    for (position, entry) in kept.enumerated() {
      guard try self.entry(of: user, at: position + 1) == nil else { continue }
      guard try store.puts(Self.key(user, UInt64(position + 1)), entry) else { break }
      count += 1
    }
    _ = try refresh(user)
    return count
  }

  /// The key that a device of a person signs with; nil if there is no such device, also after
  /// another look at the person's log. It tells nothing of whether the device may still write.
  /// Someone whose first entry is damaged has no devices; that isn't an error of the store's.
  /// - Throws: `StoreError` only.
  public func signKey(of author: Author) throws(StoreError) -> Bytes32? {
    if let key = known.withLock({ $0[author.user]?.devices[author.device]?.signKey }) {
      return key
    }
    do {
      let key = try refresh(author.user)?.devices[author.device]?.signKey
      if key != nil { patience.ends(for: author.user) }
      return key
    } catch let error as StoreError {
      throw error
    } catch {
      return nil
    }
  }

  /// Whether an entry of a log by this author, whose device `signKey` doesn't find, is to be asked
  /// for again before it is passed over.
  func waits(for author: Author, isMember: Bool) -> Bool {
    let length = known.withLock { $0[author.user]?.length ?? 0 }
    return patience.waits(for: author.user, length: length, isMember: isMember)
  }

  /// Everybody whose log can be read, by id. A damaged first entry hides one person
  /// (DESIGN.md §2.4).
  /// - Throws: `StoreError`.
  public func all() throws -> [Person] {
    var people: [Person] = []
    for user in try users() {
      do {
        if let person = try refresh(user) { people.append(person) }
      } catch is IdentityError {
        continue
      }
    }
    return people
  }

  /// The one person with that handle; nil if there is none.
  /// - Throws: `PeopleError.ambiguous` if several claim it; `StoreError`.
  public func find(handle: String) throws -> Person? {
    let found = try all().filter { $0.handle == handle }
    guard found.count <= 1 else {
      throw PeopleError.ambiguous(handle: handle, users: found.map(\.id))
    }
    return found.first
  }

  /// Publishes the first entry of an account's identity log, unless it is there.
  /// - Throws: `StoreError`, or `IdentityError.wrongPerson` if something else stands in its place.
  public func publish(_ account: Account) throws {
    let key = Self.key(account.user, 1)
    do {
      if case .stored = try store.put(key, account.origin) { return }
    } catch {
      // An answer that got lost is not a failure: what stands in the slot decides.
      guard error.isWorthRetrying,
        try store.get(key, upTo: IdentityLog.entryLimit) == account.origin
      else { throw error }
      return
    }
    guard try store.get(key, upTo: IdentityLog.entryLimit) == account.origin else {
      throw IdentityError.wrongPerson
    }
  }

  /// The ids of all folders under `users/`: one listing a person, whatever else they store.
  func users() throws(StoreError) -> [UserID] {
    var users: [UserID] = []
    var after: ObjectKey?
    while let key = try store.list("users/", after: after, limit: 1).first {
      let parts = key.description.split(separator: "/", maxSplits: 2)
      guard parts.count == 3 else {
        after = key
        continue
      }
      if let user = UserID(hexadecimal: String(parts[1])) { users.append(user) }
      // Behind everything in this folder: its names are log, inbox and packs.
      after = ObjectKey("users/\(parts[1])/zzzzzzzz")
      guard after != nil else { break }
      if let passed = after, passed <= key { after = key }
    }
    return users
  }

  static func key(_ user: UserID, _ place: UInt64) -> ObjectKey {
    guard let key = ObjectKey("users/\(user)/log/\(LogPlace.digits(place))") else {
      preconditionFailure("hex and digits make a key")
    }
    return key
  }
}

/// Why a person can't be named.
public enum PeopleError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Several persons claim the handle.
  case ambiguous(handle: String, users: [UserID])

  /// A sentence for people.
  public var description: String {
    switch self {
    case .ambiguous(let handle, let users):
      "\(users.count) persons claim the handle '\(handle)': "
        + users.map { String($0.description.prefix(16)) }.joined(separator: ", ")
        + ". Ask which is the right one, and name them by id."
    }
  }
}
