import CairnContainer
import CairnControl
import CairnIdentity
import CairnZone

/// The people of a container, with their names in commands and answers.
struct Persons: Sendable {
  let container: Container

  /// Returns the one person for a handle, an id or the beginning of an id (six digits or more);
  /// throws a clear error if there is none or more than one. People that the container hides count,
  /// too: nobody takes another's place by hiding them.
  func known(_ text: String) throws -> Claimant {
    try known(text, in: container.acquaintances.seePeople())
  }

  /// The same in a view of all people.
  /// - Parameters:
  ///   - text: A handle, an id or the beginning of an id.
  ///   - view: All people.
  ///   - isInvited: Whether they are about to be invited, which a link does for strangers.
  /// - Returns: The person.
  /// - Throws: `ControlError` if there is none, or more than one.
  func known(
    _ text: String, in view: PeopleView, isInvited: Bool = false
  ) throws -> Claimant {
    // Handles have no capital letters.
    let handles = view.claimants(of: text.lowercased())
    if handles.count == 1, let person = handles.first { return person }
    guard handles.isEmpty else {
      throw ControlError(
        .participantMayNeedVerification,
        "\(handles.count) persons claim the handle \(text): "
          + handles.map { Self.listed($0, view) }.joined(separator: ", ") + ".",
        remedy: "Ask which of them you mean, and name them by these digits of their id.")
    }
    let ids = view.everybody.filter { $0.id.begins(with: text) }
    if ids.count == 1, let person = ids.first { return person }
    guard ids.isEmpty else {
      throw ControlError(
        .participantMayNeedVerification, "The ids of \(ids.count) persons begin with \(text).",
        remedy: "Give more digits.")
    }
    guard !text.contains("/") else {
      throw ControlError(
        .unknownItem, "\(Control.Path(text)) is a path, where a person belongs.",
        remedy: "A person is named by a handle or an id. `cairn user list` lists everyone.")
    }
    let near = Resemblance.nearest(text, among: view.everybody.map(\.handle))
    throw ControlError(
      .unknownItem, "Nobody with the handle or id \(text) is in this container.",
      remedy: near.map { "Did you mean \($0)? `cairn user list` lists everyone." }
        ?? "`cairn user list` lists everyone."
        + (isInvited
          ? " For somebody else, create a one-time link: `cairn share invite SHARE --link`." : ""))
  }

  /// Returns the handle of a known person that is the last name of a path; nil if nobody has it.
  func handle(at path: Control.Path) -> String? {
    guard let name = Control.Path(path.lastName).text?.lowercased() else { return nil }
    // A damaged index has no names; another reader of it reports that.
    return try? container.acquaintances.recallPeople().claimants(of: name).first?.handle
  }

  /// Returns everybody as the container shows them. While it is away, returns them as this device
  /// read them before. For answers only: nothing is sealed to people by it.
  func everybodyKnown() throws -> PeopleView {
    do { return try container.acquaintances.seePeople() } catch let error as CloudError {
      guard error.isWorthRetrying else { throw error }
      return try container.acquaintances.recallPeople()
    }
  }

  /// Returns one of several people who claim a handle, with the known facts.
  static func listed(_ person: Claimant, _ view: PeopleView) -> String {
    var words: [String] = []
    switch view.trust[person.id] {
    case .verified: words.append("verified")
    case .changed: words.append("changed since you saw them")
    case .notVerified: words.append("not verified")
    case nil: words.append("you")
    }
    if !person.isHere { words.append("not in the container now") }
    return "\(person.id.digits) (\(words.joined(separator: ", ")))"
  }

  /// Returns a person for others' answers.
  func told(_ user: UserID) -> Control.Person {
    // If the container is unavailable now, what this device read before must suffice; without it,
    // the id.
    let read = try? container.people.person(user)
    let person = try? read ?? container.people.recall(user)
    return Control.Person(user: user.description, handle: person?.handle, name: person?.name)
  }

  /// The same, with this person's trust in them.
  func told(_ user: UserID, _ view: PeopleView) -> Control.Person {
    let person = view.everybody.first { $0.id == user }
    return Control.Person(
      user: user.description, handle: person?.handle, name: person?.name,
      verification: view.trust[user].map { Control.Verification($0) },
      claimedBy: person.map { view.claimants(of: $0.handle).count })
  }

  /// Returns a person's name for events: name and handle; the id if they are unavailable now.
  func name(of user: UserID) -> String {
    let person = told(user)
    guard let handle = person.handle, let name = person.name else { return user.digits }
    return "\(name) (\(handle))"
  }
}
