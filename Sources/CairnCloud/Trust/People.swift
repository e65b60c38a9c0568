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
  /// Where the container stands that they are read in.
  let sites: SiteLook
  /// Whose device this is: it computes where the entries of its person's chain stand.
  let own: Account?
  private let known = Mutex<[UserID: Person]>([:])
  private let wrong = Mutex<[UserID: LogTrouble]>([:])
  /// The longest chain of each person that they were heard to speak of.
  let heard = Mutex<[UserID: ChainHead]>([:])
  /// What people said of their chains that isn't what the container shows.
  let claims = Mutex<[UserID: ChainHead]>([:])
  /// A chain longer than this is an attack, or a program gone wild.
  static let longest: UInt64 = 100_000

  /// The people of the container in that store.
  public convenience init(store: any ObjectStore) { self.init(store: store, memory: nil) }

  /// The people of the container in that store, whose root says how it came there.
  public convenience init(store: any ObjectStore, of root: ContainerFile) {
    self.init(store: store, memory: nil, sites: SiteLook(root.trail))
  }

  /// The people of the container in that store, and what was read of them before.
  init(
    store: any ObjectStore, memory: IdentityMemory?, own: Account? = nil,
    use: DeviceUse = DeviceUse(), sites: SiteLook = SiteLook()
  ) {
    self.store = store
    self.sites = sites
    self.own = own
    self.use = use
    self.memory = memory
  }

  /// Whose chains in the container aren't what this device has read of them, as of the last look.
  public var troubles: [UserID: LogTrouble] { wrong.withLock { $0 } }

  /// The person as this device has read them last; the container isn't asked.
  /// - Returns: nil if nothing was read of them, or the index was lost since.
  /// - Throws: an error of the index.
  public func recall(_ user: UserID) throws -> Person? {
    if let person = known.withLock({ $0[user] }) { return person }
    guard let person = try remembered(user) else { return nil }
    return known.withLock { known in
      // Another thread may have read further meanwhile.
      if (known[user]?.length ?? 0) < person.length { known[user] = person }
      return known[user]
    }
  }

  /// Drops what was read of somebody.
  func forget(_ user: UserID) throws {
    try memory?.forget(user)
    try memory?.forgetHead(saidBy: user)
    known.withLock { $0[user] = nil }
    wrong.withLock { $0[user] = nil }
    claims.withLock { $0[user] = nil }
  }

  /// The person, as remembered or read now; nil if the container has nobody with that id.
  /// - Throws: `StoreError`, or `IdentityError` if its first entry isn't valid.
  public func person(_ user: UserID) throws -> Person? {
    if let person = known.withLock({ $0[user] }) { return person }
    return try refresh(user)
  }

  /// The person with all entries that the log has by now. It ends before what isn't a valid entry,
  /// for everybody alike. What was read here before holds, also where the container has lost it or
  /// shows another entry in its place: what follows it is read from there on.
  /// - Throws: `StoreError`, or `IdentityError` if already the first entry isn't valid.
  public func refresh(_ user: UserID) throws -> Person? { try read(user, as: own)?.person }

  /// The same, by a device that may be the person's own, and what holds the chain there, if
  /// something does.
  func read(
    _ user: UserID, as account: Account?
  ) throws -> (person: Person, held: LogTrouble?)? {
    try read(user, as: account, lookAhead([user], as: account))
  }

  /// The same, with what was seen of the chain just now.
  private func read(
    _ user: UserID, as account: Account?, _ ahead: ChainReader.Ahead
  ) throws -> (person: Person, held: LogTrouble?)? {
    var person = try known.withLock { $0[user] } ?? remembered(user)
    var held: LogTrouble?
    var reader = ChainReader(user, in: store, as: account, sites: sites, ahead: ahead)
    var trouble = try person.flatMap { try compare($0, by: &reader) }
    let before = person?.length ?? 0
    reading: while true {
      switch try reader.next(after: person) {
      case .end: break reading
      case .held(let key, let why):
        let length = person?.length ?? 0
        held = LogTrouble(
          .held, agreed: length, seen: length + 1, object: key.description,
          reason: why.hasSuffix(".") ? String(why.dropLast()) : why)
        held?.owner = store.owner(of: key)
        break reading
      case .entry(let entry, let next):
        try memory?.keep(entry, of: user, at: next.length)
        person = next
      }
    }
    // What follows tells what was there: it isn't another history, nor the end of this one.
    if let person, person.length > before { trouble?.kind = .damaged }
    let found = try trouble ?? held ?? person.flatMap { try dispute(of: $0) }
    wrong.withLock { $0[user] = found }
    guard let person else { return nil }
    known.withLock { known in
      // Another thread may have read further meanwhile.
      if (known[user]?.length ?? 0) < person.length { known[user] = person }
    }
    return (person, held)
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
      return try refresh(author.user)?.devices[author.device]?.signKey
    } catch let error as StoreError {
      throw error
    } catch {
      return nil
    }
  }

  /// Whether a person has revoked one of their devices, as far as their log was read here.
  func hasRevoked(_ author: Author) -> Bool {
    known.withLock { $0[author.user]?.devices[author.device]?.isActive == false }
  }

  /// Everybody whose log can be read, by id. A damaged first entry, or one that can't be read here,
  /// hides one person, and no other.
  /// - Throws: `StoreError`.
  public func all() throws -> [Person] {
    var people: [Person] = []
    let users = try listedUsers()
    var ahead = ChainReader.Ahead()
    let width = max(1, store.flight)
    for (number, user) in users.enumerated() {
      // No more at a time than are under way together: what was seen is old soon.
      if number % width == 0 { ahead = try lookAhead(users[number...].prefix(width), as: own) }
      do {
        if let person = try read(user, as: own, ahead)?.person { people.append(person) }
      } catch is IdentityError {
        continue
      } catch let error as StoreError {
        // Whoever makes a folder that nobody may look into hides only themselves.
        guard !error.isWorthRetrying else { throw error }
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
    let key = ChainPlace.start(account.user)
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

  /// Those who are shown; where nothing is listed, those who are known here.
  private func listedUsers() throws(StoreError) -> [UserID] {
    do throws(StoreError) { return try users() } catch {
      guard error.code == .unlisted else { throw error }
      return known.withLock { Array($0.keys) }.sorted()
    }
  }

  /// The ids of all folders under `users/`, in one look.
  func users() throws(StoreError) -> [UserID] {
    try store.folders(in: ObjectKind.people).compactMap { UserID(hexadecimal: $0) }
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
