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
