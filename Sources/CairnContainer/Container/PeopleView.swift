import CairnIdentity
public import CairnZone

/// The certainty of a person's identity.
public enum Trust: String, Hashable, Sendable {
  /// The numbers were compared, and nothing changed since.
  case verified
  /// The numbers were never compared.
  case notVerified
  /// The devices, the handle or the name differ from those seen or verified last.
  case changed
}

/// An identity claim: a person who claims a handle.
public struct Claimant: Hashable, Sendable {
  /// The person.
  public var id: UserID
  /// The claimed handle.
  public var handle: String
  /// The display name.
  public var name: String
  /// A Boolean value that indicates whether the container shows them; otherwise this device or the
  /// account remembers them.
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

/// An identity warning: the reason why nothing should be sealed to a person, or accepted from them,
/// without confirmation.
public enum Doubt: Hashable, Sendable {
  /// The container does not show a known person.
  case hidden
  /// The devices, the handle or the name differ from those seen last.
  case changed
  /// Others claim the same handle, and the numbers were never compared.
  case claimed(others: [UserID])
  /// The numbers were never compared, though they were for other people.
  case notVerified
}

/// This person's knowledge of the people of the container.
public struct PeopleView: Sendable {
  /// All people that the container shows, by id.
  public var people: [Person]
  /// The people who are not shown, though this device or the account knows them.
  public var hidden: [Claimant]
  /// The people in common shares, or with compared numbers.
  public var known: Set<UserID>
  /// The certainty for each person.
  public var trust: [UserID: Trust]
  /// A Boolean value that indicates whether this person compares numbers: then an unverified person
  /// is an exception.
  public var hasVerified: Bool

  /// All people, shown or not.
  public var everybody: [Claimant] { people.map { Claimant($0, isHere: true) } + hidden }

  /// The people who claim a handle, including those that the container does not show now. So nobody
  /// takes a person's handle by hiding them.
  public func claimants(of handle: String) -> [Claimant] {
    everybody.filter { $0.handle == handle }
  }

  /// The warning for a person; nil if there is none.
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
