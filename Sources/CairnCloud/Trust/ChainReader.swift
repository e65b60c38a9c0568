import CairnStore
import CairnZone

/// An entry of a chain as it is stored, and the name under which.
struct ChainEntry: Hashable, Sendable {
  var name: String
  var bytes: [UInt8]

  /// Whether an entry can have that name.
  var isNamed: Bool { name == "start" || ChainPlace.isName(name) }

  func key(of user: UserID) -> ObjectKey { ChainPlace.key(user, name) }
}

/// Reads a person's chain in the container from place to place. Of the folder it reads the object
/// that the last entry's lock fits to, and no other. It remembers nothing but the folder's names,
/// and what was asked for ahead until somebody looks there.
struct ChainReader {
  /// What stands at the next place.
  enum Step {
    /// Nothing yet.
    case end
    case entry(ChainEntry, Person)
    /// Something that isn't a valid entry: which object, and why.
    case held(ObjectKey, String)
  }

  /// What stands under a key.
  enum Look: Equatable {
    case nothing
    case bytes([UInt8])
    /// No object, or one that can't be read here, though its folder can.
    case unusable(String)
  }

  /// What was seen just now of chains.
  struct Ahead {
    /// Under some of their keys.
    var looks: [ObjectKey: Look] = [:]
    /// All names in their folders, as far as they fit into one answer.
    var names: [UserID: [ObjectKey]] = [:]
  }

  private let store: any ObjectStore
  private let user: UserID
  private let account: Account?
  private let sites: SiteLook
  private var names: LockedNames
  private var ahead: [ObjectKey: Look]

  /// - Parameters:
  ///   - user: whose chain.
  ///   - store: where it stands.
  ///   - account: the person's own, if a device of theirs reads: it computes the names.
  ///   - sites: where the container stands.
  ///   - ahead: what was seen just now of this chain; each answer is given once.
  ///   - page: how many names of the folder are listed at once, and kept at most.
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

  /// The step behind a state of the chain; nil: to the first entry.
  /// - Throws: `StoreError`, or `IdentityError` if the first entry isn't valid.
  mutating func next(after person: Person?) throws -> Step {
    guard let person else { return try first() }
    // Behind its last entry here nothing counts.
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
      // Where nothing is listed nobody else can tell the name: the chain is known so far.
      guard error.code == .unlisted else { throw error }
      return nil
    }
  }

  /// The key of the next entry, where the person's own device computes it.
  static func key(after person: Person, of account: Account?) -> ObjectKey? {
    guard let account, account.user == person.id else { return nil }
    let name = account.nextName(after: person)
    return name.flatMap { ChainPlace.lock($0) == person.lock ? ChainPlace.key(person.id, $0) : nil }
  }

  /// Whether an entry stands where it was read.
  mutating func stands(_ entry: ChainEntry) throws(StoreError) -> Bool {
    try look(entry.key(of: user)) == .bytes(entry.bytes)
  }

  /// What stands under a key of the chain's folder.
  mutating func look(_ key: ObjectKey) throws(StoreError) -> Look {
    if let seen = ahead.removeValue(forKey: key) { return seen }
    do {
      return try store.get(key, upTo: IdentityLog.entryLimit).map { .bytes($0) } ?? .nothing
    } catch {
      guard !error.isWorthRetrying else { throw error }
      // If not even the folder can be read, this says nothing about the object.
      _ = try store.list(ChainPlace.folder(user) + "/", after: nil, limit: 1)
      return .unusable(error.cause)
    }
  }
}

extension People {
  /// How many names of a chain are listed ahead.
  static let listed = 1_000

  /// Asks in one flight for what is looked at first of these chains, where the store gains by that:
  /// of each the last entry that is known, and the names in its folder, or of this device's own
  /// person the place behind it; of whom nothing is known, the first entry.
  /// - Returns: what stands there. Where that couldn't be told, whoever looks asks once more.
  /// - Throws: an error of the index.
  func lookAhead(
    _ users: some Sequence<UserID>, as account: Account?
  ) throws -> ChainReader.Ahead {
    guard store.flight > 1 else { return ChainReader.Ahead() }
    var keys: [ObjectKey] = []
    var others: [UserID] = []
    for user in users {
      guard let person = try recall(user) else {
        // Nothing need stand there: a stranger's folder costs one look.
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
    // One alone is asked for by whoever looks.
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

  /// Reads a chain in the container from its beginning, whatever is remembered of it.
  /// - Parameters:
  ///   - user: whose.
  ///   - length: the last place to read.
  ///   - visit: is given each entry and the person that it makes.
  /// - Throws: `StoreError`, or `IdentityError` if the first entry isn't valid.
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
