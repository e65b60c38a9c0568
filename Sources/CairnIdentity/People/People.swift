import CairnStore
import CairnZone
import Synchronization

/// All people of a container: it reads identity logs from the store, verifies them, and remembers
/// them. It knows people, not zones. Calls block; any number of threads may call.
public final class People: Sendable {
  let store: any ObjectStore
  let memory: IdentityMemory?
  /// The detection of other users of this device's keys.
  public let use: DeviceUse
  /// The locations of the container.
  public let sites: SiteLook
  /// The account of this device: it computes the positions of its person's chain.
  let own: Account?
  private let known = Mutex<[UserID: Person]>([:])
  private let wrong = Mutex<[UserID: LogTrouble]>([:])
  /// The longest chain of each person in their own statements.
  let heard = Mutex<[UserID: ChainHead]>([:])
  /// The statements about chains that contradict the container.
  let claims = Mutex<[UserID: ChainHead]>([:])
  /// The length of a chain above which it is an attack or a defect.
  static let longest: UInt64 = 100_000

  /// Creates the people of the container in that store.
  public convenience init(store: any ObjectStore) { self.init(store: store, memory: nil) }

  /// Creates the people of the container in that store, whose root names its locations.
  public convenience init(store: any ObjectStore, of root: ContainerFile) {
    self.init(store: store, memory: nil, sites: SiteLook(root.trail))
  }

  /// Creates the people of the container in that store, with a memory.
  public init(
    store: any ObjectStore, memory: IdentityMemory?, own: Account? = nil,
    use: DeviceUse = DeviceUse(), sites: SiteLook = SiteLook()
  ) {
    self.store = store
    self.sites = sites
    self.own = own
    self.use = use
    self.memory = memory
  }

  /// The chains in the container that differ from this device's memory, at the last check.
  public var troubles: [UserID: LogTrouble] { wrong.withLock { $0 } }

  /// The person as this device read them last, without asking the container.
  /// - Returns: nil if nothing was read, or the index was lost since.
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

  /// Drops the memory of a person.
  public func forget(_ user: UserID) throws {
    try memory?.forget(user)
    try memory?.forgetHead(saidBy: user)
    known.withLock { $0[user] = nil }
    wrong.withLock { $0[user] = nil }
    claims.withLock { $0[user] = nil }
  }

  /// The person, from the memory or read now; nil if the container has nobody with that id.
  /// - Throws: `StoreError`, or `IdentityError` if the first entry is invalid.
  public func person(_ user: UserID) throws -> Person? {
    if let person = known.withLock({ $0[user] }) { return person }
    return try refresh(user)
  }

  /// The person with all current entries of the log. It ends before the first invalid entry,
  /// equally for everybody. Entries that were read here before hold, even if the container lost
  /// them or shows others. The following ones are read from there on.
  /// - Throws: `StoreError`, or `IdentityError` if the first entry is already invalid.
  public func refresh(_ user: UserID) throws -> Person? { try read(user, as: own)?.person }

  /// The same, on a device that may be the person's own, with the object that holds the chain.
  public func read(
    _ user: UserID, as account: Account?
  ) throws -> (person: Person, held: LogTrouble?)? {
    try read(user, as: account, lookAhead([user], as: account))
  }

  /// The same, with prefetched results.
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
    // Later entries confirm the missing one: it is neither another history nor the end of this one.
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

  /// The signing key of a person's device; nil if there is no such device, even after reading the
  /// person's log again. It does not say whether the device may still write. A person with a
  /// damaged first entry has no devices; that is no error of the store.
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

  /// Returns whether a person has revoked one of their devices, as far as their log was read here.
  public func hasRevoked(_ author: Author) -> Bool {
    known.withLock { $0[author.user]?.devices[author.device]?.isActive == false }
  }

  /// All people with a readable log, by id. A damaged or unreadable first entry hides only its
  /// person.
  /// - Throws: `StoreError`.
  public func all() throws -> [Person] {
    var people: [Person] = []
    let users = try listedUsers()
    var ahead = ChainReader.Ahead()
    let width = max(1, store.flight)
    for (number, user) in users.enumerated() {
      // Only one batch of concurrent requests at a time, because results become stale.
      if number % width == 0 { ahead = try lookAhead(users[number...].prefix(width), as: own) }
      do {
        if let person = try read(user, as: own, ahead)?.person { people.append(person) }
      } catch is IdentityError {
        continue
      } catch let error as StoreError {
        // A person with an unreadable folder hides only themself.
        guard !error.isWorthRetrying else { throw error }
      }
    }
    return people
  }

  /// The only person with that handle; nil if there is none.
  /// - Throws: `PeopleError.ambiguous` if several claim it; `StoreError`.
  public func find(handle: String) throws -> Person? {
    let found = try all().filter { $0.handle == handle }
    guard found.count <= 1 else {
      throw PeopleError.ambiguous(handle: handle, users: found.map(\.id))
    }
    return found.first
  }

  /// Publishes the first entry of an account's identity log, unless it exists.
  /// - Throws: `StoreError`, or `IdentityError.wrongPerson` if another object is in its place.
  public func publish(_ account: Account) throws {
    let key = ChainPlace.start(account.user)
    do {
      if case .stored = try store.put(key, account.origin) { return }
    } catch {
      // A lost answer is no failure: the object in the position decides.
      guard error.isWorthRetrying,
        try store.get(key, upTo: IdentityLog.entryLimit) == account.origin
      else { throw error }
      return
    }
    guard try store.get(key, upTo: IdentityLog.entryLimit) == account.origin else {
      throw IdentityError.wrongPerson
    }
  }

  /// The listed people; without lists, the known ones.
  private func listedUsers() throws(StoreError) -> [UserID] {
    do throws(StoreError) { return try users() } catch {
      guard error.code == .unlisted else { throw error }
      return known.withLock { Array($0.keys) }.sorted()
    }
  }

  /// The ids of all folders under `users/`, in one request.
  public func users() throws(StoreError) -> [UserID] {
    try store.folders(in: ObjectKind.people).compactMap { UserID(hexadecimal: $0) }
  }
}

/// The reason why a name identifies no person.
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
