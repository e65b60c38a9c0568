import CairnCloud
import CairnControl
import CairnStore
import CairnZone
import Synchronization

/// Looks who of the people that matter here has changed, and tells it. It must not know folders.
final class PeopleWatch: Sendable {
  private let one: OpenContainer
  private let problems: AccountProblems
  private let watch: AccountWatch
  /// Whose changes are heard of. Held while somebody looks: an older look must not be told after a
  /// newer one.
  private let followed = Mutex<[UserID: Subscription]>([:])

  init(_ one: OpenContainer, problems: AccountProblems, watch: AccountWatch) {
    self.one = one
    self.problems = problems
    self.watch = watch
  }

  /// What to tell somebody who is about to invite these people; nil if there is nothing.
  func warning(about people: [Person]) throws -> String? {
    let view = try one.container.lookAtPeople()
    let warnings = people.compactMap { Self.warning(about: $0, view) }
    return warnings.isEmpty ? nil : warnings.joined(separator: " ")
  }

  private static func warning(about person: Person, _ view: PeopleView) -> String? {
    let claimants = view.claimants(of: person.handle).count
    if claimants > 1 {
      return "\(claimants) persons claim the handle \(person.handle); you mean \(person.id). "
        + "`cairn user verify \(person.id)` tells whether it is the right one."
    }
    guard view.trust[person.id] == .changed else { return nil }
    return "\(person.handle) has changed since you saw them last: run `cairn user verify "
      + "\(person.handle)`."
  }

  // MARK: Looking

  /// Looks who of the people that matter here has changed, and says so until it was acknowledged.
  @discardableResult
  func look() throws -> PeopleView {
    try followed.withLock { followed in
      let view = try one.container.lookAtPeople()
      var problems: [String: Control.Problem] = [:]
      for person in view.people where view.known.contains(person.id) {
        if view.trust[person.id] == .changed {
          problems["user \(person.id)"] = Self.changed(person)
        }
      }
      let mine = one.container.account.user
      let handles = view.people.filter { view.known.contains($0.id) || $0.id == mine }
      for handle in Set(handles.map(\.handle)) {
        let claimants = view.claimants(of: handle)
        guard claimants.count > 1 else { continue }
        problems["handle \(handle)"] = Self.claimed(handle, claimants)
      }
      self.problems.setPeople(problems)
      try follow(view.known, &followed)
      return view
    }
  }

  private static func changed(_ person: Person) -> Control.Problem {
    Control.Problem(
      code: .participantMayNeedVerification,
      message: "\(person.name) (\(person.handle), \(person.id)) has other devices, or another "
        + "handle or name, than when you saw them last.",
      remedy: "Compare numbers by `cairn user verify \(person.id)`, or accept it with "
        + "--acknowledge.")
  }

  private static func claimed(_ handle: String, _ people: [Person]) -> Control.Problem {
    Control.Problem(
      code: .participantMayNeedVerification,
      message: "\(people.count) persons claim the handle \(handle): "
        + people.map(\.id.description).joined(separator: ", ") + ".",
      remedy: "Name them by id, and compare numbers by `cairn user verify ID` before you share.")
  }

  /// Hears of changes of known people as they come; others matter when a command looks at them.
  private func follow(
    _ known: Set<UserID>, _ followed: inout [UserID: Subscription]
  ) throws {
    for user in Set(followed.keys).subtracting(known) { followed[user] = nil }
    for user in known.subtracting(followed.keys) {
      followed[user] = try one.container.follow(user) { [watch] in watch.hint() }
    }
  }
}
