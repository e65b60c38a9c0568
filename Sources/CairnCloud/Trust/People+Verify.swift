import CairnStore
import CairnZone

extension People {
  /// Reads every identity's log back, and says what is missing in it or isn't valid. Whoever reads
  /// a chain skips such entries; here they are named.
  /// - Returns: one damage for each object that isn't as it must be.
  /// - Throws: `StoreError` if the container can't be read.
  func verify() throws(StoreError) -> [Damage] {
    var damages: [Damage] = []
    for user in try users() {
      var person: Person?
      var place: UInt64 = 0
      for (key, number) in try entries(of: user) {
        // Anybody can put something at any place: a gap is told once, however long it is.
        if number > place, number - place > 1 {
          let others = number - place > 2 ? ", with all up to \(number - 1)" : ""
          damages.append(
            Damage(
              key: Self.key(user, place + 1).description,
              reason: "is missing\(others), though later entries are there"))
        }
        place = number
        guard let bytes = try store.get(key, upTo: IdentityLog.entryLimit) else { continue }
        do throws(IdentityError) {
          if let before = person {
            person = try IdentityLog.fold(bytes, onto: before)
          } else {
            person = try IdentityLog.fold([bytes], of: user)
          }
        } catch {
          damages.append(Damage(key: key.description, reason: "has no effect: \(error)"))
          if let before = person { person = IdentityLog.folding(bytes, onto: before) }
        }
      }
    }
    return damages
  }

  private func entries(of user: UserID) throws(StoreError) -> [(key: ObjectKey, place: UInt64)] {
    var found: [(ObjectKey, UInt64)] = []
    var after: ObjectKey?
    while true {
      let keys = try store.list("users/\(user)/log/", after: after, limit: 1_000)
      for key in keys {
        // One place has one name; what has another one is nobody's entry.
        guard let place = key.description.split(separator: "/").last.flatMap({ UInt64($0) }),
          place > 0, Self.key(user, place) == key
        else { continue }
        found.append((key, place))
      }
      guard let last = keys.last else { return found }
      after = last
    }
  }
}

extension Container {
  /// Reads every identity's log back from the container, and says what is damaged.
  /// - Throws: `CloudError` if the container can't be read.
  public func verifyPeople() throws -> [Damage] {
    do { return try people.verify() } catch { throw CloudError(error) }
  }
}
