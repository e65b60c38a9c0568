import CairnIdentity
import CairnReplica
import CairnZone

/// The state of a person when this person last saw them, or compared numbers with them.
struct SeenPerson: Equatable {
  var user: UserID
  /// `Person.state` of then.
  var state: Bytes32
  var handle: String
  var name: String
  /// A Boolean value that indicates whether numbers were compared in that state.
  var isVerified: Bool
  /// A Boolean value that indicates whether only a device that was revoked since says that numbers
  /// were compared.
  private(set) var isDoubted = false

  init(_ person: Person, isVerified: Bool) {
    user = person.id
    state = person.state
    handle = person.handle
    name = person.name
    self.isVerified = isVerified
  }

  init?(_ record: Record) {
    guard case .bytes(let user)? = record.fields["user"], let user = UserID(bytes: user),
      case .bytes(let state)? = record.fields["state"], let state = Bytes32(state),
      case .text(let handle)? = record.fields["handle"],
      case .text(let name)? = record.fields["name"],
      case .integer(let verified)? = record.fields["verified"]
    else { return nil }
    self.user = user
    self.state = state
    self.handle = handle
    self.name = name
    isVerified = verified == 1
    isDoubted = verified == Self.doubted
  }

  /// The value of `verified` then.
  static let doubted: Int64 = 2

  /// Returns whether the person differs from the seen state: other devices, handle or name.
  func differs(from person: Person) -> Bool {
    state != person.state || handle != person.handle || name != person.name
  }
}

extension AccountZone {
  static let personType = "cairn.person"

  static func seenPeople(in account: Zone) throws -> [UserID: SeenPerson] {
    let seen = try records(personType, in: account).compactMap { record in
      SeenPerson(record).flatMap { personID($0.user) == record.id ? $0 : nil }
    }
    return Dictionary(seen.map { ($0.user, $0) }) { first, _ in first }
  }

  static func save(_ person: SeenPerson, in account: Zone) throws {
    try save(personID(person.user), personType, fields(of: person), in: account)
  }

  static func forgetPerson(_ user: UserID, in account: Zone) throws {
    try delete(personID(user), in: account)
  }

  /// Notes people who weren't known before, in one commit. Several threads may find the same ones.
  static func saveNew(_ people: [SeenPerson], in account: Zone) throws {
    try account.save {
      try account.read { view in
        try people.compactMap { person in
          let id = personID(person.user)
          guard try view.record(id) == nil else { return nil }
          return RecordChange(id: id, act: .create(.typed(personType)), fields: fields(of: person))
        }
      }
    }
  }

  private static func personID(_ user: UserID) -> RecordID { recordID("person", user.bytes) }

  private static func fields(of person: SeenPerson) -> [String: FieldValue?] {
    [
      "user": .bytes(person.user.bytes), "state": .bytes(person.state.bytes),
      "handle": .text(person.handle), "name": .text(person.name),
      "verified": .integer(person.isVerified ? 1 : 0),
    ]
  }
}
