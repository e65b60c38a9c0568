import CairnStore
import CairnZone

extension People {
  /// Reads everybody's chain back: the known part, and what follows. Garbage under names without a
  /// lock is ignored.
  /// - Returns: one damage for each object that is missing, altered, or holds a chain.
  /// - Throws: `StoreError` if the container cannot be read.
  public func verify() throws -> [Damage] {
    var damages: [Damage] = []
    let users = try Set(users()).union(memory?.users() ?? [])
    for user in users.sorted() {
      do {
        damages += try verify(user)
      } catch let error as IdentityError {
        let isKnown = try memory?.entries(of: user).isEmpty == false
        damages.append(
          Damage(
            isKnown ? .object : .rubbish,
            key: ChainPlace.start(user).description, reason: "begins no identity: \(error)",
            remedy: "nothing has to be done if it is nobody's whom you know; else take it away, as "
              + "whoever put it there or owns the container's folder may, and whoever knows them "
              + "runs `cairn repair`"))
      } catch let error as StoreError {
        guard !error.isWorthRetrying else { throw error }
        damages.append(
          Damage(
            key: ChainPlace.folder(user), reason: "can't be read: \(error)",
            remedy: "look at what stands there, and who may read it"))
      }
    }
    return damages
  }

  private func verify(_ user: UserID) throws -> [Damage] {
    var damages: [Damage] = []
    let held = try read(user, as: own)?.held
    var reader = ChainReader(user, in: store, as: nil)
    for (position, entry) in try (memory?.entries(of: user) ?? []).enumerated()
    where try entry.isNamed && !reader.stands(entry) {
      let key = entry.key(of: user)
      let isGone = try reader.look(key) == .nothing
      damages.append(
        Damage(
          key: key.description,
          reason: isGone
            ? "is missing, which this device has read" : "isn't what this device has read there",
          sequence: UInt64(position) + 1,
          remedy: isGone
            ? "run `cairn repair`: it puts back what this device has"
            : "take it away, as whoever put it there or owns the container's folder may, and run "
              + "`cairn repair`: it puts back what this device has"))
    }
    if let held, let object = held.object {
      damages.append(
        Damage(
          key: object, reason: "holds its chain: \(held.message)", sequence: held.seen,
          remedy: held.remedy))
    }
    if let trouble = troubles[user], trouble.kind == .disputed {
      damages.append(
        Damage(
          key: ChainPlace.folder(user),
          reason: "isn't the chain that this person speaks of: "
            + trouble.message, sequence: trouble.seen, remedy: trouble.remedy))
    }
    return damages
  }
}
