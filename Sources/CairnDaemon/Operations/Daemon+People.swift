import CairnCloud
import CairnControl
import CairnZone

extension Daemon {
  /// The one person of the container that a handle, an id or a beginning of an id (of six digits or
  /// more) stands for; a clear error if there is none or more than one.
  func knownPerson(_ text: String) throws -> Person {
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
}
