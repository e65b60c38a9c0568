import CairnIdentity
import CairnReplica
public import CairnStore
public import CairnZone

/// The account's notes about the people of the container: the state in which each was seen, and
/// whether numbers were compared.
///
/// It uses these parts of the container: `account`, `accountZone`, `people`, `refreshMe`, `store`,
/// `zones`.
public struct Contacts: Sendable {
  let container: Container

  /// Creates the access for a container.
  public init(_ container: Container) { self.container = container }

  /// Reads everybody again, and marks known people, who are in a share with this person, as seen.
  /// - Throws: `CloudError`.
  public func lookAtPeople() throws -> PeopleView {
    try look { all, partners, before in
      let new = all.filter { partners.contains($0.id) && before[$0.id] == nil }
      try AccountZone.saveNew(
        new.map { SeenPerson($0, isVerified: false) }, in: container.accountZone)
    }
  }

  /// The same, without marking anybody.
  /// - Throws: `CloudError`.
  public func seePeople() throws -> PeopleView { try look { _, _, _ in } }

  /// The same, as this device read everybody before, without asking the container.
  /// - Throws: errors of the index.
  public func recallPeople() throws -> PeopleView {
    try view(container.people.recallAll(), hidden: { _, _ in [] }, { _, _, _ in })
  }

  private func look(
    _ note: ([Person], Set<UserID>, [UserID: SeenPerson]) throws -> Void
  ) throws -> PeopleView {
    try view(
      container.people.all(), hidden: { try container.people.hidden(besides: $0, known: $1) }, note)
  }

  private func view(
    _ shown: @autoclosure () throws -> [Person],
    hidden: (Set<UserID>, Set<UserID>) throws -> [Person],
    _ note: ([Person], Set<UserID>, [UserID: SeenPerson]) throws -> Void
  ) throws -> PeopleView {
    do {
      // A person's folder may remain without a chain: a remembered person is then not shown.
      let (all, gone) = try shown().reduce(into: ([Person](), [Person]())) { parts, person in
        let trouble = container.people.troubles[person.id]
        let isGone = trouble?.kind == .lostEnd && trouble?.agreed == 0
        if isGone { parts.1.append(person) } else { parts.0.append(person) }
      }
      let partners = try partners()
      let before = try AccountZone.seenPeople(in: container.accountZone)
      try note(all, partners, before)
      let known = partners.union(before.keys)
      var view = PeopleView(
        people: all, hidden: [], known: known, trust: [:],
        hasVerified: before.values.contains { $0.isVerified || $0.isDoubted })
      for person in all where person.id != container.account.user {
        view.trust[person.id] = Self.trust(person, before[person.id])
      }
      let listed = Set((all + gone).map(\.id))
      for person in try gone + hidden(listed, known)
      where person.id != container.account.user {
        view.trust[person.id] = Self.trust(person, before[person.id])
        view.hidden.append(Claimant(person, isHere: false))
      }
      let named = Set(all.map(\.id)).union(view.hidden.map(\.id))
      for (user, seen) in before where !named.contains(user) && user != container.account.user {
        view.trust[user] = seen.isVerified ? .verified : .notVerified
        view.hidden.append(Claimant(seen))
      }
      view.hidden.sort { $0.id < $1.id }
      return view
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }

  /// A person as the container shows them, or as this device remembers them; nil if neither.
  /// - Throws: `CloudError`.
  public func person(_ user: UserID) throws -> Person? {
    do { return try container.people.refresh(user) } catch let error as StoreError {
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

  /// All other people in shares of this account.
  private func partners() throws -> Set<UserID> {
    var users: Set<UserID> = []
    for zone in try container.zones(.private) + container.zones(.shared) {
      let header = zone.header
      guard header.kind == .owned, let share = header.share else { continue }
      users.formUnion(share.participants.keys)
      if let owner = header.owner { users.insert(owner) }
    }
    users.remove(container.account.user)
    return users
  }

  /// The number that this person and another one must both see.
  public func verificationNumber(with person: Person) throws -> VerificationNumber {
    VerificationNumber(try container.refreshMe().me, person)
  }

  /// Marks a person as verified, in their current state.
  public func verify(_ person: Person) throws {
    try AccountZone.save(SeenPerson(person, isVerified: true), in: container.accountZone)
  }

  /// Requires a new comparison of numbers.
  public func forgetVerification(of person: Person) throws {
    try AccountZone.save(SeenPerson(person, isVerified: false), in: container.accountZone)
  }

  /// Forgets a person that the container does not show: the verification, and their chain. A person
  /// in a common share stays known.
  /// - Throws: `CloudError`.
  public func forget(_ user: UserID) throws {
    try AccountZone.forgetPerson(user, in: container.accountZone)
    try container.people.forget(user)
  }

  /// Accepts a person's current state without comparing numbers. A person with other devices than
  /// at the verification is no longer verified.
  public func acknowledge(_ person: Person) throws {
    let seen = try AccountZone.seenPeople(in: container.accountZone)[person.id]
    let isVerified = seen.map { $0.isVerified && $0.state == person.state } ?? false
    try AccountZone.save(SeenPerson(person, isVerified: isVerified), in: container.accountZone)
  }

  /// Calls `onHint` when a person may have changed their identity.
  public func follow(
    _ user: UserID, _ onHint: @escaping @Sendable () -> Void
  ) throws -> Subscription {
    do { return try container.store.follow(ChainPlace.folder(user), onHint) } catch {
      throw CloudError(error)
    }
  }

  /// Calls `onHint` when a person may have joined the container.
  public func followNewcomers(_ onHint: @escaping @Sendable () -> Void) throws -> Subscription {
    do { return try container.store.follow("users", onHint) } catch { throw CloudError(error) }
  }
}
