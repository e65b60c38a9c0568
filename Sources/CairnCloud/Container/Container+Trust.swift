public import CairnStore
public import CairnZone

/// How far this person can be sure who somebody is.
public enum Trust: String, Hashable, Sendable {
  /// Numbers were compared, and nothing changed since.
  case verified
  /// Nobody compared numbers.
  case notVerified
  /// Other devices, another handle or name than when they were seen, or verified, last.
  case changed
}

/// What this person's account knows of the people of the container.
public struct PeopleView: Sendable {
  /// Everybody, by id.
  public var people: [Person]
  /// With whom this person shares something, or compared numbers.
  public var known: Set<UserID>
  /// How sure this person can be of whom.
  public var trust: [UserID: Trust]

  /// The people who claim a handle.
  public func claimants(of handle: String) -> [Person] { people.filter { $0.handle == handle } }
}

extension Container {
  /// Looks at everybody once more, and notes those as seen who are known from now on: who takes
  /// part in a share with this person.
  /// - Throws: `CloudError`.
  public func lookAtPeople() throws -> PeopleView {
    do {
      let all = try people.all()
      let partners = try partners()
      let before = try AccountZone.seenPeople(in: accountZone)
      let new = all.filter { partners.contains($0.id) && before[$0.id] == nil }
      try AccountZone.saveNew(new.map { SeenPerson($0, isVerified: false) }, in: accountZone)
      var view = PeopleView(
        people: all, known: partners.union(before.keys), trust: [:])
      for person in all where person.id != account.user {
        view.trust[person.id] = Self.trust(person, before[person.id])
      }
      return view
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }

  private static func trust(_ person: Person, _ seen: SeenPerson?) -> Trust {
    guard let seen else { return .notVerified }
    if seen.differs(from: person) { return .changed }
    return seen.isVerified ? .verified : .notVerified
  }

  /// Everybody who takes part in a share of this account, but this person.
  private func partners() throws -> Set<UserID> {
    var users: Set<UserID> = []
    for zone in try zones(.private) + zones(.shared) {
      let header = zone.header
      guard header.kind == .owned, let share = header.share else { continue }
      users.formUnion(share.participants.keys)
      if let owner = header.owner { users.insert(owner) }
    }
    users.remove(account.user)
    return users
  }

  /// The number that this person and another one must both see.
  public func verificationNumber(with person: Person) throws -> VerificationNumber {
    VerificationNumber(try refreshMe().me, person)
  }

  /// Notes that somebody is who they say, in the state they are in now.
  public func verify(_ person: Person) throws {
    try AccountZone.save(SeenPerson(person, isVerified: true), in: accountZone)
  }

  /// Notes that numbers have to be compared again.
  public func forgetVerification(of person: Person) throws {
    try AccountZone.save(SeenPerson(person, isVerified: false), in: accountZone)
  }

  /// Takes somebody as they are now, without comparing numbers. Who has other devices than when
  /// they were verified isn't verified any more.
  public func acknowledge(_ person: Person) throws {
    let seen = try AccountZone.seenPeople(in: accountZone)[person.id]
    let isVerified = seen.map { $0.isVerified && $0.state == person.state } ?? false
    try AccountZone.save(SeenPerson(person, isVerified: isVerified), in: accountZone)
  }

  /// Calls `onHint` when somebody may have changed their identity.
  public func follow(
    _ user: UserID, _ onHint: @escaping @Sendable () -> Void
  ) throws -> Subscription {
    do { return try store.follow("users/\(user)/log", onHint) } catch { throw CloudError(error) }
  }

  /// Calls `onHint` when somebody may have come to the container.
  public func followNewcomers(_ onHint: @escaping @Sendable () -> Void) throws -> Subscription {
    do { return try store.follow("users", onHint) } catch { throw CloudError(error) }
  }
}
