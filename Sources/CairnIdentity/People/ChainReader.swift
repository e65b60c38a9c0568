import CairnStore
import CairnZone

/// A stored entry of a chain, and its name.
struct ChainEntry: Hashable, Sendable {
  var name: String
  var bytes: [UInt8]

  /// A Boolean value that indicates whether an entry can have that name.
  var isNamed: Bool { name == "start" || ChainPlace.isName(name) }

  func key(of user: UserID) -> ObjectKey { ChainPlace.key(user, name) }
}

/// Reads a person's chain in the container, position by position. Of the folder it reads only the
/// object that fits the last entry's lock. It remembers only the folder's names, and each
/// prefetched answer until it is used.
struct ChainReader {
  /// The result at the next position.
  enum Step {
    /// Nothing yet.
    case end
    case entry(ChainEntry, Person)
    /// An object that is no valid entry, with the reason.
    case held(ObjectKey, String)
  }

  /// The result under a key.
  enum Look: Equatable {
    case nothing
    case bytes([UInt8])
    /// No object, or one that cannot be read here although its folder can.
    case unusable(String)
  }

  /// Prefetched results of chains.
  struct Ahead {
    /// The results under some of their keys.
    var looks: [ObjectKey: Look] = [:]
    /// All names in their folders, if they fit into one answer.
    var names: [UserID: [ObjectKey]] = [:]
  }

  private let store: any ObjectStore
  private let user: UserID
  private let account: Account?
  private let sites: SiteLook
  private var names: LockedNames
  private var ahead: [ObjectKey: Look]

  /// Creates a reader.
  /// - Parameters:
  ///   - user: The person.
  ///   - store: The store with the chain.
  ///   - account: The person's own account on their device: it computes the names.
  ///   - sites: The locations of the container.
  ///   - ahead: Prefetched results for this chain; each is used once.
  ///   - page: The maximum number of names that are listed at once and kept.
  init(
    _ user: UserID, in store: any ObjectStore, as account: Account?, sites: SiteLook = SiteLook(),
    ahead: Ahead = Ahead(), page: Int = 100_000
  ) {
    self.ahead = ahead.looks
    self.sites = sites
    names = LockedNames(in: ChainPlace.folder(user), listed: ahead.names[user], page: page)
    self.user = user
    self.store = store
    self.account = account?.user == user ? account : nil
  }

  /// Reads the step after a state of the chain; nil: the first entry.
  /// - Throws: `StoreError`, or `IdentityError` if the first entry is invalid.
  mutating func next(after person: Person?) throws -> Step {
    guard let person else { return try first() }
    // After its last entry here, nothing counts.
    if let site = person.site, try !sites.trail().passes(site) { return .end }
    guard person.length < People.longest, let key = try key(after: person) else { return .end }
    switch try look(key) {
    case .nothing: return .end
    case .unusable(let why): return .held(key, why)
    case .bytes(let bytes):
      do throws(IdentityError) {
        let next = try IdentityLog.fold(bytes, onto: person)
        return .entry(ChainEntry(name: ChainPlace.name(of: key), bytes: bytes), next)
      } catch {
        return .held(key, error.description)
      }
    }
  }

  private mutating func first() throws -> Step {
    switch try look(ChainPlace.start(user)) {
    case .nothing: return .end
    case .unusable(let why): throw IdentityError.unreadable(FormatError("identity entry", why))
    case .bytes(let bytes):
      let person = try IdentityLog.fold([bytes], of: user)
      return .entry(ChainEntry(name: "start", bytes: bytes), person)
    }
  }

  private mutating func key(after person: Person) throws(StoreError) -> ObjectKey? {
    if let key = Self.key(after: person, of: account) { return key }
    do throws(StoreError) { return try names.key(for: person.lock, in: store) } catch {
      // Without lists nobody else can find the name: the known chain ends here.
      guard error.code == .unlisted else { throw error }
      return nil
    }
  }

  /// The key of the next entry, which the person's own device computes.
  static func key(after person: Person, of account: Account?) -> ObjectKey? {
    guard let account, account.user == person.id else { return nil }
    let name = account.nextName(after: person)
    return name.flatMap { ChainPlace.lock($0) == person.lock ? ChainPlace.key(person.id, $0) : nil }
  }

  /// Returns whether an entry is still where it was read.
  mutating func stands(_ entry: ChainEntry) throws(StoreError) -> Bool {
    try look(entry.key(of: user)) == .bytes(entry.bytes)
  }

  /// Returns the result under a key of the chain's folder.
  mutating func look(_ key: ObjectKey) throws(StoreError) -> Look {
    if let seen = ahead.removeValue(forKey: key) { return seen }
    do {
      return try store.get(key, upTo: IdentityLog.entryLimit).map { .bytes($0) } ?? .nothing
    } catch {
      guard !error.isWorthRetrying else { throw error }
      // If the folder cannot be read either, this says nothing about the object.
      _ = try store.list(ChainPlace.folder(user) + "/", after: nil, limit: 1)
      return .unusable(error.cause)
    }
  }
}

extension People {
  /// The maximum number of names of a chain that are prefetched.
  static let listed = 1_000

  /// Prefetches the first reads of these chains in one batch of concurrent requests, if the store
  /// benefits: the last known entry and the names of each folder; for this device's person the next
  /// position; for unknown people the first entry.
  /// - Returns: the results. Failed ones are requested again when they are needed.
  /// - Throws: an error of the index.
  func lookAhead(
    _ users: some Sequence<UserID>, as account: Account?
  ) throws -> ChainReader.Ahead {
    guard store.flight > 1 else { return ChainReader.Ahead() }
    var keys: [ObjectKey] = []
    var others: [UserID] = []
    for user in users {
      guard let person = try recall(user) else {
        // A person may be missing: a stranger's folder costs one read.
        keys.append(ChainPlace.start(user))
        continue
      }
      if let last = try memory?.entry(of: user, at: person.length), last.isNamed {
        keys.append(last.key(of: user))
      }
      if let next = ChainReader.key(after: person, of: account) {
        keys.append(next)
      } else {
        others.append(user)
      }
    }
    // A single request is left to its user.
    guard keys.count + others.count > 1 else { return ChainReader.Ahead() }
    let found = store.look(
      at: keys, range: 0..<IdentityLog.entryLimit + 1, in: others.map { ChainPlace.folder($0) },
      limit: Self.listed)
    var ahead = ChainReader.Ahead()
    for (key, answer) in zip(keys, found.objects) {
      if case .success(let bytes) = answer {
        ahead.looks[key] = bytes.map { .bytes($0) } ?? .nothing
      }
    }
    for (user, answer) in zip(others, found.names) {
      if case .success(let names) = answer, names.count < Self.listed { ahead.names[user] = names }
    }
    return ahead
  }

  /// Reads a chain in the container from its beginning, without using the memory.
  /// - Parameters:
  ///   - user: The person.
  ///   - length: The last position to read.
  ///   - visit: Receives each entry and the resulting person.
  /// - Throws: `StoreError`, or `IdentityError` if the first entry is invalid.
  func walk(
    _ user: UserID, upTo length: UInt64, _ visit: (ChainEntry, Person) throws -> Void
  ) throws {
    var person: Person?
    var reader = ChainReader(user, in: store, as: nil, sites: sites)
    while (person?.length ?? 0) < length,
      case .entry(let entry, let next) = try reader.next(after: person)
    {
      try visit(entry, next)
      person = next
    }
  }
}
