import CairnStore
import CairnWire
import CairnZone

/// The memory of earlier reads of people, compared with the container.
extension People {
  /// The person as this device read them before; nil if it did not.
  func remembered(_ user: UserID) throws -> Person? {
    guard let memory else { return nil }
    let entries = try memory.entries(of: user)
    guard !entries.isEmpty else { return nil }
    do throws(IdentityError) {
      guard entries.allSatisfy(\.isNamed) else { throw .empty }
      return try IdentityLog.fold(entries.map(\.bytes), of: user)
    } catch {
      // A damaged index must not hide anybody: the container is read.
      try memory.forget(user)
      return nil
    }
  }

  /// All people that were read before, by id, without asking the container.
  public func recallAll() throws -> [Person] {
    try (memory?.users() ?? []).compactMap { try recall($0) }.sorted { $0.id < $1.id }
  }

  /// The people that this device read before, and that the container does not show. A missing known
  /// person is trouble. A stranger may disappear, but is remembered so that nobody takes their
  /// handle.
  public func hidden(besides shown: Set<UserID>, known: Set<UserID>) throws -> [Person] {
    var hidden: [Person] = []
    for user in try memory?.users() ?? [] where !shown.contains(user) {
      let person = try known.contains(user) ? refreshedOrNil(user) : recall(user)
      if let person { hidden.append(person) }
    }
    return hidden
  }

  /// The difference between the container and earlier reads of a person. The last entry covers
  /// everything. Entries by devices that were revoked later are checked, too, because a thief may
  /// own their files.
  func compare(_ person: Person, by reader: inout ChainReader) throws -> LogTrouble? {
    guard let memory, let last = try memory.entry(of: person.id, at: person.length) else {
      return nil
    }
    let isThere = try reader.stands(last)
    guard !isThere || person.devices.values.contains(where: { !$0.isActive }) else { return nil }
    let kept = try memory.entries(of: person.id)
    for (position, entry) in kept.enumerated() {
      if isThere, try !isByRevoked(entry, in: person) { continue }
      guard try !reader.stands(entry) else { continue }
      let isGone = try reader.look(entry.key(of: person.id)) == .nothing
      return LogTrouble(
        isThere ? .damaged : isGone ? .lostEnd : .twoHistories, agreed: UInt64(position),
        seen: UInt64(kept.count), object: entry.key(of: person.id).description)
    }
    return nil
  }

  private func isByRevoked(_ entry: ChainEntry, in person: Person) throws -> Bool {
    guard let device = DeviceID(bytes: try IdentityLog.decode(entry.bytes).1.device) else {
      return false
    }
    return person.devices[device]?.isActive == false
  }

  /// Puts lost entries of a person's chain back, unchanged.
  /// - Returns: the number of entries.
  /// - Throws: `StoreError`.
  public func putBack(_ user: UserID) throws -> Int {
    guard let kept = try memory?.entries(of: user) else { return 0 }
    var reader = ChainReader(user, in: store, as: nil)
    var count = 0
    for entry in kept where entry.isNamed {
      guard try reader.look(entry.key(of: user)) == .nothing else { continue }
      guard try store.puts(entry.key(of: user), entry.bytes) else { break }
      count += 1
    }
    _ = try refresh(user)
    return count
  }
}
