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
  ///   - ahead: what was seen just now under keys of this chain; each answer is given once.
  ///   - page: how many names of the folder are listed at once, and kept at most.
  init(
    _ user: UserID, in store: any ObjectStore, as account: Account?, sites: SiteLook = SiteLook(),
    ahead: [ObjectKey: Look] = [:], page: Int = 100_000
  ) {
    self.ahead = ahead
    self.sites = sites
    names = LockedNames(in: ChainPlace.folder(user), page: page)
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
    if let name = account?.nextName(after: person), ChainPlace.lock(name) == person.lock {
      return ChainPlace.key(user, name)
    }
    do throws(StoreError) { return try names.key(for: person.lock, in: store) } catch {
      // Where nothing is listed nobody else can tell the name: the chain is known so far.
      guard error.code == .unlisted else { throw error }
      return nil
    }
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
  /// Asks in one flight for what is looked at first of these chains, where the store gains by that:
  /// of each the last entry that is known, or the first one, and of this device's own person the
  /// place behind it.
  /// - Returns: what stands there. Where that couldn't be told, whoever looks asks once more.
  /// - Throws: an error of the index.
  func lookAhead(
    _ users: some Sequence<UserID>, as account: Account?
  ) throws -> [ObjectKey: ChainReader.Look] {
    guard store.flight > 1 else { return [:] }
    var keys: [ObjectKey] = []
    for user in users {
      guard let person = try recall(user) else {
        keys.append(ChainPlace.start(user))
        continue
      }
      if let last = try memory?.entry(of: user, at: person.length), last.isNamed {
        keys.append(last.key(of: user))
      }
      if account?.user == user, let name = account?.nextName(after: person) {
        keys.append(ChainPlace.key(user, name))
      }
    }
    // One alone is asked for by whoever looks.
    guard keys.count > 1 else { return [:] }
    var found: [ObjectKey: ChainReader.Look] = [:]
    for (key, answer) in zip(keys, store.get(each: keys, range: 0..<IdentityLog.entryLimit + 1)) {
      if case .success(let bytes) = answer { found[key] = bytes.map { .bytes($0) } ?? .nothing }
    }
    return found
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
