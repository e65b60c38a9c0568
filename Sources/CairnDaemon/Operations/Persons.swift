import CairnCloud
import CairnControl
import CairnZone

/// The people of a container, as commands name them and answers show them.
struct Persons: Sendable {
  let container: Container

  /// The one person of the container that a handle, an id or a beginning of an id (of six digits or
  /// more) stands for; a clear error if there is none or more than one.
  func known(_ text: String) throws -> Person {
    let all = try container.people.all()
    let handles = all.filter { $0.handle == text }
    if handles.count == 1, let person = handles.first { return person }
    guard handles.isEmpty else {
      throw ControlError(
        .participantMayNeedVerification, "\(handles.count) persons claim the handle \(text).",
        remedy: "Ask which of them you mean, and name them by the id that `cairn user list` shows.")
    }
    let digits = text.lowercased()
    let ids = text.utf8.count < 6 ? [] : all.filter { $0.id.description.hasPrefix(digits) }
    if ids.count == 1, let person = ids.first { return person }
    guard ids.isEmpty else {
      throw ControlError(
        .participantMayNeedVerification, "The ids of \(ids.count) persons begin with \(text).",
        remedy: "Give more digits.")
    }
    throw ControlError(
      .participantMayNeedVerification, "Nobody with the handle or id \(text) is in this container.",
      remedy: "Ask them to run `cairn init` with this container first; `cairn user list` shows who "
        + "is here. Or send a link for one person: `cairn share invite SHARE --link`.")
  }

  /// A person as others are told about them.
  func told(_ user: UserID) -> Control.Person {
    do {
      let person = try container.people.person(user)
      return Control.Person(user: user.description, handle: person?.handle, name: person?.name)
    } catch {
      // The container can't be asked now; the id must do.
      return Control.Person(user: user.description, handle: nil, name: nil)
    }
  }

  /// How events name a person: handle and name; the id where they can't be had now.
  func name(of user: UserID) -> String {
    let person = told(user)
    guard let handle = person.handle, let name = person.name else { return person.user }
    return "\(handle) (\(name))"
  }
}
