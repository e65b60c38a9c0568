import CairnContainer
import CairnControl
import CairnIdentity
import CairnStore
import CairnZone
import Synchronization

/// Checks which of the people that matter here have changed, and reports it. It has no access to
/// folders.
final class PeopleWatch: Sendable {
  private let one: OpenContainer
  private let problems: AccountProblems
  private let watch: AccountWatch
  /// The subscriptions to people's changes. Locked during a check: an older check must not report
  /// after a newer one.
  private let followed = Mutex<[UserID: Subscription]>([:])

  init(_ one: OpenContainer, problems: AccountProblems, watch: AccountWatch) {
    self.one = one
    self.problems = problems
    self.watch = watch
  }

  /// Returns the reason against sealing anything to a person, as a sentence with advice; nil if
  /// there is none. It names the person by id: anybody can claim a handle.
  static func doubt(
    about person: Claimant, _ view: PeopleView
  ) -> (message: String, remedy: String)? {
    let who = "\(Control.Path(person.name)) (\(person.handle), \(person.id.digits))"
    let compare = "Compare numbers with them by `cairn user verify \(person.id.digits)`"
    switch view.doubt(about: person.id) {
    case .hidden:
      return (
        "The identity of \(who) isn't in the container any more, or is hidden.",
        "Ask them, and the owner of the container; `cairn repair` puts back what this device has "
          + "read."
      )
    case .changed:
      return (
        "\(who) has changed since you saw them last: other devices, or another handle or name.",
        compare + ", or accept it with --acknowledge."
      )
    case .claimed(let others):
      let listed = view.everybody.filter { others.contains($0.id) }
        .map { Persons.listed($0, view) }
      return (
        "\(others.count + 1) persons claim the handle \(person.handle): you mean \(who), who isn't "
          + "verified; the handle is claimed by \(listed.joined(separator: ", ")), too.",
        compare + "."
      )
    case .notVerified:
      return (
        "You have verified others, and \(who) isn't verified.", compare + "."
      )
    case nil: return nil
    }
  }

  // MARK: Looking

  /// Checks which of the people that matter here have changed, and reports that until it is
  /// acknowledged.
  @discardableResult
  func look() throws -> PeopleView {
    try followed.withLock { followed in
      let view = try one.container.acquaintances.lookAtPeople()
      var problems: [String: Control.Problem] = [:]
      // People whose chain was read here are reported by it; these are known by the account only.
      for person in view.hidden where view.known.contains(person.id) {
        if one.container.people.troubles[person.id] == nil {
          problems["user \(person.id)"] = Self.hidden(person)
        }
      }
      for person in view.people where view.known.contains(person.id) {
        if view.trust[person.id] == .changed {
          problems["user \(person.id)"] = Self.changed(person)
        }
      }
      let mine = one.container.account.user
      let handles = view.everybody.filter { view.known.contains($0.id) || $0.id == mine }
      for handle in Set(handles.map(\.handle)) {
        let claimants = view.claimants(of: handle)
        guard claimants.count > 1 else { continue }
        problems["handle \(handle)"] = Self.claimed(handle, claimants, view)
      }
      self.problems.setPeople(problems)
      try follow(view.known, &followed)
      return view
    }
  }

  private static func changed(_ person: Person) -> Control.Problem {
    Control.Problem(
      code: .participantMayNeedVerification,
      message: "\(Control.Path(person.name)) (\(person.handle), \(person.id.digits)) has other "
        + "devices, or another handle or name, than when you saw them last.",
      remedy: "Compare numbers by `cairn user verify \(person.id.digits)`, or accept it with "
        + "--acknowledge.")
  }

  static func hidden(_ person: Claimant) -> Control.Problem {
    Control.Problem(
      code: .participantMayNeedVerification,
      message:
        "The identity of \(Control.Path(person.name)) (\(person.handle), \(person.id.digits)), "
        + "whom you know, isn't in the container any more.",
      remedy: "Ask them, and the owner of the container. `cairn repair` on a device that has read "
        + "it puts it back; `cairn user verify \(person.id.digits) --forget` drops it, "
        + "once they are in no share of yours.")
  }

  private static func claimed(
    _ handle: String, _ people: [Claimant], _ view: PeopleView
  ) -> Control.Problem {
    Control.Problem(
      code: .participantMayNeedVerification,
      message: "\(people.count) persons claim the handle \(handle): "
        + people.map { Persons.listed($0, view) }.joined(separator: ", ") + ".",
      remedy: "Name them by id, and compare numbers by `cairn user verify ID` before you share.")
  }

  /// Subscribes to changes of known people; others matter when a command reads them.
  private func follow(
    _ known: Set<UserID>, _ followed: inout [UserID: Subscription]
  ) throws {
    for user in Set(followed.keys).subtracting(known) { followed[user] = nil }
    for user in known.subtracting(followed.keys) {
      followed[user] = try one.container.acquaintances.follow(user) { [watch] in watch.hint() }
    }
  }
}
