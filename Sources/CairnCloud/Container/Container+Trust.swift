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

/// Somebody who says by what handle to call them.
public struct Claimant: Hashable, Sendable {
  /// Who.
  public var id: UserID
  /// The handle that they claim.
  public var handle: String
  /// The name to show.
  public var name: String
  /// Whether the container shows them; else this device remembers them, or the account does.
  public var isHere: Bool

  init(_ person: Person, isHere: Bool) {
    (id, handle, name) = (person.id, person.handle, person.name)
    self.isHere = isHere
  }

  init(_ seen: SeenPerson) {
    (id, handle, name) = (seen.user, seen.handle, seen.name)
    isHere = false
  }
}

/// Why nothing should be sealed to somebody, or taken from them, before a person says so.
public enum Doubt: Hashable, Sendable {
  /// The container doesn't show somebody who is known.
  case hidden
  /// They have other devices, another handle or name than when they were seen last.
  case changed
  /// Others claim the same handle, and numbers were never compared.
  case claimed(others: [UserID])
  /// Numbers were never compared, though they were with others.
  case notVerified
}

/// What this person's account knows of the people of the container.
public struct PeopleView: Sendable {
  /// Everybody whom the container shows, by id.
  public var people: [Person]
  /// Who isn't shown, though this device has read them before, or the account knows them.
  public var hidden: [Claimant]
  /// With whom this person shares something, or compared numbers.
  public var known: Set<UserID>
  /// How sure this person can be of whom.
  public var trust: [UserID: Trust]
  /// Whether this person compares numbers: then who isn't verified is an exception.
  public var hasVerified: Bool

  /// Everybody, shown or not.
  public var everybody: [Claimant] { people.map { Claimant($0, isHere: true) } + hidden }

  /// The people who claim a handle: those, too, whom the container doesn't show now. So nobody
  /// takes the place of somebody by hiding them.
  public func claimants(of handle: String) -> [Claimant] {
    everybody.filter { $0.handle == handle }
  }

  /// What is to be said about somebody first; nil if nothing is against them.
  public func doubt(about user: UserID) -> Doubt? {
    guard let person = everybody.first(where: { $0.id == user }), person.isHere else {
      return .hidden
    }
    switch trust[user] {
    case .changed: return .changed
    case .verified: return nil
    case .notVerified, nil:
      let others = claimants(of: person.handle).map(\.id).filter { $0 != user }
      if !others.isEmpty { return .claimed(others: others) }
      return hasVerified ? .notVerified : nil
    }
  }
}

extension Container {
  /// Looks at everybody once more, and notes those as seen who are known from now on: who takes
  /// part in a share with this person.
  /// - Throws: `CloudError`.
  public func lookAtPeople() throws -> PeopleView {
    try look { all, partners, before in
      let new = all.filter { partners.contains($0.id) && before[$0.id] == nil }
      try AccountZone.saveNew(new.map { SeenPerson($0, isVerified: false) }, in: accountZone)
    }
  }

  /// The same, and notes nothing.
  /// - Throws: `CloudError`.
  public func seePeople() throws -> PeopleView { try look { _, _, _ in } }

  /// The same, as this device has read of everybody before: the container isn't asked.
  /// - Throws: what the index throws.
  public func recallPeople() throws -> PeopleView {
    try view(people.recallAll(), hidden: { _, _ in [] }, { _, _, _ in })
  }

  private func look(
    _ note: ([Person], Set<UserID>, [UserID: SeenPerson]) throws -> Void
  ) throws -> PeopleView {
    try view(people.all(), hidden: { try people.hidden(besides: $0, known: $1) }, note)
  }

  private func view(
    _ shown: @autoclosure () throws -> [Person],
    hidden: (Set<UserID>, Set<UserID>) throws -> [Person],
    _ note: ([Person], Set<UserID>, [UserID: SeenPerson]) throws -> Void
  ) throws -> PeopleView {
    do {
      // A folder of theirs may be left of whose chain nothing is: who is remembered isn't shown.
      let (all, gone) = try shown().reduce(into: ([Person](), [Person]())) { parts, person in
        let trouble = people.troubles[person.id]
        let isGone = trouble?.kind == .lostEnd && trouble?.agreed == 0
        if isGone { parts.1.append(person) } else { parts.0.append(person) }
      }
      let partners = try partners()
      let before = try AccountZone.seenPeople(in: accountZone)
      try note(all, partners, before)
      let known = partners.union(before.keys)
      var view = PeopleView(
        people: all, hidden: [], known: known, trust: [:],
        hasVerified: before.values.contains { $0.isVerified || $0.isDoubted })
      for person in all where person.id != account.user {
        view.trust[person.id] = Self.trust(person, before[person.id])
      }
      let listed = Set((all + gone).map(\.id))
      for person in try gone + hidden(listed, known)
      where person.id != account.user {
        view.trust[person.id] = Self.trust(person, before[person.id])
        view.hidden.append(Claimant(person, isHere: false))
      }
      let named = Set(all.map(\.id)).union(view.hidden.map(\.id))
      for (user, seen) in before where !named.contains(user) && user != account.user {
        view.trust[user] = seen.isVerified ? .verified : .notVerified
        view.hidden.append(Claimant(seen))
      }
      view.hidden.sort { $0.id < $1.id }
      return view
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }

  /// Somebody as the container shows them, or as this device remembers them; nil if neither does.
  /// - Throws: `CloudError`.
  public func person(_ user: UserID) throws -> Person? {
    do { return try people.refresh(user) } catch let error as StoreError {
      throw CloudError(error)
    } catch let error as IdentityError {
      throw CloudError(.assetNotAvailable, error.description, remedy: "run `cairn verify`")
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

  /// Forgets somebody whom the container doesn't show: that they were verified, and what was read
  /// of them. Who is in a share of this person's stays known by that.
  /// - Throws: `CloudError`.
  public func forget(_ user: UserID) throws {
    try AccountZone.forgetPerson(user, in: accountZone)
    try people.forget(user)
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
    do { return try store.follow(ChainPlace.folder(user), onHint) } catch {
      throw CloudError(error)
    }
  }

  /// Calls `onHint` when somebody may have come to the container.
  public func followNewcomers(_ onHint: @escaping @Sendable () -> Void) throws -> Subscription {
    do { return try store.follow("users", onHint) } catch { throw CloudError(error) }
  }
}
