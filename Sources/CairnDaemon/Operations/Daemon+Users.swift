import CairnCloud
import CairnControl
import CairnZone
import Synchronization

extension Daemon {
  func users() throws -> Control.UserListReply {
    let view = try container.lookAtPeople()
    let users = view.people.map { describe($0, view) }
    return Control.UserListReply(
      users: users.sorted { ($0.handle, $0.user) < ($1.handle, $1.user) })
  }

  func describe(_ person: Person, _ view: PeopleView) -> Control.User {
    let isMe = person.id == container.account.user
    return Control.User(
      user: person.id.description, handle: person.handle, name: person.name,
      devices: person.devices.values.count(where: \.isActive), isMe: isMe,
      verification: view.trust[person.id].map(Self.verification),
      claimedBy: view.claimants(of: person.handle).count)
  }

  private static func verification(_ trust: Trust) -> Control.Verification {
    switch trust {
    case .verified: .verified
    case .notVerified: .notVerified
    case .changed: .changed
    }
  }

  func verify(_ request: Control.UserVerify) throws -> Control.UserVerifyReply {
    let person = try knownPerson(request.user)
    guard person.id != container.account.user else {
      throw ControlError(
        .invalidArguments, "That is you.", remedy: "Name somebody else; see `cairn user list`.")
    }
    let number = try container.verificationNumber(with: person)
    switch request.act {
    case .show: break
    case .forget: try container.forgetVerification(of: person)
    case .acknowledge: try container.acknowledge(person)
    case .match:
      guard number.matches(request.number ?? "") else {
        throw ControlError(
          .participantMayNeedVerification,
          "The numbers differ: this isn't \(person.name) as you know them, or a digit is wrong.",
          remedy: "Compare all digits again; if they still differ, share nothing with "
            + "\(person.handle), and ask whoever keeps the container.")
      }
      try container.verify(person)
    }
    let view = try lookAtPeople()
    return Control.UserVerifyReply(
      user: describe(person, view), number: number.description)
  }

  /// What to tell somebody who is about to invite these people; nil if there is nothing.
  func warning(about people: [Person]) throws -> String? {
    let view = try container.lookAtPeople()
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
  func lookAtPeople() throws -> PeopleView {
    try lookingAtPeople.withLock { _ in
      let view = try container.lookAtPeople()
      var problems: [String: Control.Problem] = [:]
      for person in view.people where view.known.contains(person.id) {
        if view.trust[person.id] == .changed {
          problems["user \(person.id)"] = Self.changed(person)
        }
      }
      let mine = container.account.user
      let handles = view.people.filter { view.known.contains($0.id) || $0.id == mine }
      for handle in Set(handles.map(\.handle)) {
        let claimants = view.claimants(of: handle)
        guard claimants.count > 1 else { continue }
        problems["handle \(handle)"] = Self.claimed(handle, claimants)
      }
      tell(problems)
      try follow(view.known)
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

  private func tell(_ problems: [String: Control.Problem]) {
    let before = accountState.withLock { state in
      defer { state.peopleProblems = problems }
      return state.peopleProblems
    }
    for (about, problem) in problems.sorted(by: { $0.key < $1.key })
    where before[about] != problem {
      events.add(.userChanged, mount: nil, path: nil, text: problem.message)
    }
  }

  /// Hears of changes of known people as they come; others matter when a command looks at them.
  private func follow(_ known: Set<UserID>) throws {
    let hint: @Sendable () -> Void = { [accountWatch] in accountWatch.hint() }
    let followed = accountState.withLock { Set($0.followed.keys) }
    for user in known.subtracting(followed) {
      let subscription = try container.follow(user, hint)
      accountState.withLock { $0.followed[user] = subscription }
    }
    for user in followed.subtracting(known) {
      accountState.withLock { $0.followed[user] = nil }
    }
  }
}
