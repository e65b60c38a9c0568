import CairnContainer
import CairnControl
import CairnIdentity
import CairnZone

/// The operations on the people of the container.
struct UserOperations: Operations {
  let one: OpenContainer
  let persons: Persons
  let people: PeopleWatch

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.UserList.self) { _, _ in try users() }
    routes.answer(Control.UserVerify.self) { request, _ in try verify(request) }
  }

  func users() throws -> Control.UserListReply {
    let (view, isRecalled) = try look()
    let shown = view.people.map { describe($0, view) }
    // Not every stranger matters: only known people, and those whose handle another person claims.
    let hidden = view.hidden.filter {
      view.known.contains($0.id) || view.claimants(of: $0.handle).count > 1
    }.map { person in
      Control.User(
        user: person.id.description, handle: person.handle, name: person.name, devices: 0,
        isMe: false, verification: view.trust[person.id].map { Control.Verification($0) },
        claimedBy: view.claimants(of: person.handle).count, isHidden: true)
    }
    return Control.UserListReply(
      users: (shown + hidden).sorted { ($0.handle, $0.user) < ($1.handle, $1.user) },
      isRecalled: isRecalled ? true : nil)
  }

  /// Returns all people, from the container, or from memory while that is unavailable.
  private func look() throws -> (view: PeopleView, isRecalled: Bool) {
    let acquaintances = one.container.acquaintances
    do { return (try acquaintances.lookAtPeople(), false) } catch let error as CloudError {
      guard error.isAway else { throw error }
      return (try acquaintances.recallPeople(), true)
    }
  }

  func describe(_ person: Person, _ view: PeopleView) -> Control.User {
    let isMe = person.id == one.container.account.user
    return Control.User(
      user: person.id.description, handle: person.handle, name: person.name,
      devices: person.devices.values.count(where: \.isActive), isMe: isMe,
      verification: view.trust[person.id].map { Control.Verification($0) },
      claimedBy: view.claimants(of: person.handle).count)
  }

  func verify(_ request: Control.UserVerify) throws -> Control.UserVerifyReply {
    let named = try persons.known(request.user)
    if !named.isHere, request.act == .forget { return try forget(named) }
    guard let person = try one.container.acquaintances.person(named.id) else {
      throw ControlError(
        .participantMayNeedVerification,
        "The identity of \(named.handle) (\(named.id.digits)) isn't in the container.",
        remedy: "Ask the owner of the container to put it back, or run `cairn repair` on a device "
          + "that has read it.")
    }
    guard person.id != one.container.account.user else {
      throw ControlError(
        .invalidArguments, "That is you.", remedy: "Name another person; see `cairn user list`.")
    }
    let number = try one.container.acquaintances.verificationNumber(with: person)
    switch request.act {
    case .show: break
    case .forget: try one.container.acquaintances.forgetVerification(of: person)
    case .acknowledge: try one.container.acquaintances.acknowledge(person)
    case .match:
      try requireAllDigits(request.number ?? "", person)
      guard number.matches(request.number ?? "") else {
        throw ControlError(
          .participantMayNeedVerification,
          "The numbers differ: a digit is wrong, or somebody pretends to be "
            + "\(Control.Path(person.name)).",
          remedy: "Compare all digits again. If they still differ, share nothing with "
            + "\(person.handle), and ask the owner of the container.")
      }
      try one.container.acquaintances.verify(person)
    }
    let view = try people.look()
    return Control.UserVerifyReply(
      user: describe(person, view), number: number.description)
  }

  private func requireAllDigits(_ text: String, _ person: Person) throws(ControlError) {
    let (count, all) = (VerificationNumber.digits(in: text), VerificationNumber.length)
    guard count != all else { return }
    throw ControlError(
      .invalidArguments, "You gave \(count) of \(all) digits.",
      remedy: "Give all digits that \(person.handle) sees: `cairn user verify \(person.handle) "
        + "--match DIGITS`.")
  }

  /// Forgets a person who is gone for good: their handle is free for its present owner.
  private func forget(_ person: Claimant) throws -> Control.UserVerifyReply {
    try one.container.acquaintances.forget(person.id)
    let view = try people.look()
    return Control.UserVerifyReply(
      user: Control.User(
        user: person.id.description, handle: person.handle, name: person.name, devices: 0,
        isMe: false, verification: .notVerified,
        claimedBy: view.claimants(of: person.handle).count, isHidden: true), number: "")
  }
}
