import CairnContainer
import CairnControl
import CairnIdentity
import CairnZone

/// The authors of changes, for answers: each is looked up once.
final class Authors {
  private let persons: Persons
  private var people: [UserID: Control.Person] = [:]
  private var devices: [Author: String?] = [:]

  init(_ persons: Persons) { self.persons = persons }

  /// A person.
  func told(_ user: UserID) -> Control.Person {
    if let person = people[user] { return person }
    let person = persons.told(user)
    people[user] = person
    return person
  }

  /// The name of a device, if its person can be asked.
  func device(_ author: Author) -> String? {
    if let name = devices[author] { return name }
    var name: String?
    do {
      name = try persons.container.people.person(author.user)?.devices[author.device]?.name
    } catch {
      // It is told to help; the id is told without it.
    }
    devices[author] = name
    return name
  }

  /// The last entry before a point in time.
  func told(_ moment: UInt64, in view: PastView) throws -> Control.LogPlace {
    let entry = view.entry(at: moment)
    let stamp = try view.moment(after: entry.sequence, in: entry.zone?.description).flatMap {
      try view.stamp(at: $0)
    }
    return Control.LogPlace(
      place: entry.sequence, zone: entry.zone?.description,
      time: stamp.map { Control.Time(nanoseconds: $0.time) },
      author: stamp.map { told($0.user) })
  }

  /// Returns a filter for authors by person, by device, or by both. An unknown device matches
  /// nobody.
  /// - Parameters:
  ///   - person: A handle, an id or its beginning; nil for anybody.
  ///   - device: A name, or the beginning of an id; nil for any.
  /// - Returns: A function that tells whether an author matches.
  /// - Throws: `ControlError` if no person, or several, have that name.
  func chosen(_ person: String?, _ device: String?) throws -> (Author) -> Bool {
    let user = try person.map { try persons.known($0).id }
    return { [self] author in
      guard user == nil || author.user == user else { return false }
      guard let device else { return true }
      return self.device(author) == device || author.device.begins(with: device)
    }
  }
}
