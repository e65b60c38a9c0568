import CairnCloud
import CairnControl
import CairnZone

/// The operations about the people of the container.
struct UserOperations: Operations {
  let one: OpenContainer
  let persons: Persons
  let people: PeopleWatch

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.UserList.self) { _, _ in try users() }
    routes.answer(Control.UserVerify.self) { request, _ in try verify(request) }
  }

  func users() throws -> Control.UserListReply {
    let view = try one.container.lookAtPeople()
    let users = view.people.map { describe($0, view) }
    return Control.UserListReply(
      users: users.sorted { ($0.handle, $0.user) < ($1.handle, $1.user) })
  }

  func describe(_ person: Person, _ view: PeopleView) -> Control.User {
    let isMe = person.id == one.container.account.user
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
    let person = try persons.known(request.user)
    guard person.id != one.container.account.user else {
      throw ControlError(
        .invalidArguments, "That is you.", remedy: "Name somebody else; see `cairn user list`.")
    }
    let number = try one.container.verificationNumber(with: person)
    switch request.act {
    case .show: break
    case .forget: try one.container.forgetVerification(of: person)
    case .acknowledge: try one.container.acknowledge(person)
    case .match:
      guard number.matches(request.number ?? "") else {
        throw ControlError(
          .participantMayNeedVerification,
          "The numbers differ: this isn't \(person.name) as you know them, or a digit is wrong.",
          remedy: "Compare all digits again; if they still differ, share nothing with "
            + "\(person.handle), and ask whoever keeps the container.")
      }
      try one.container.verify(person)
    }
    let view = try people.look()
    return Control.UserVerifyReply(
      user: describe(person, view), number: number.description)
  }
}
