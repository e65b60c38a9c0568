import CairnStore
public import CairnZone

/// What the container as a whole has lost, as far as this device has looked.
public struct ContainerTroubles: Sendable {
  /// The zones that aren't what was read here, this person's account among them.
  public var zones: [(zone: Zone, trouble: LogTrouble)] = []
  /// The people whose chains aren't what was read here.
  public var people: [UserID: LogTrouble] = [:]

  /// Whether an older copy of the container stands in its place: several logs lost what they had.
  /// One alone may have been cut off by itself, and what is gone as a whole may have been ended.
  public var isRestored: Bool {
    let lost =
      zones.filter { !$0.trouble.mayBeEnded }.map(\.trouble.kind) + people.values.map(\.kind)
    return lost.count { $0 == .lostEnd || $0 == .twoHistories } > 1
  }

  /// Whether nothing is wrong.
  public var isEmpty: Bool { zones.isEmpty && people.isEmpty }
}

extension Container {
  /// How the container differs from what this device has read of it, as of the last look at each
  /// log. Neither asks the container nor waits.
  public var troubles: ContainerTroubles {
    var found = ContainerTroubles()
    for zone in [accountZone] + openZones {
      if let trouble = zone.trouble { found.zones.append((zone, trouble)) }
    }
    found.people = people.troubles
    return found
  }

  /// Whether the zone is this person's account, which no folder mirrors.
  public func isAccount(_ zone: Zone) -> Bool { zone.id == accountZone.id }

  /// All zones that this person reads, their account first, and what people publish last.
  /// - Throws: what the index throws.
  public func zonesToVerify() throws -> [Zone] {
    [accountZone] + (try DatabaseScope.allCases.flatMap { try zones($0) })
  }

  /// Puts back what the container has lost of people's chains, as it was read here.
  /// - Returns: how many entries.
  /// - Throws: `CloudError` if the container can't be used.
  public func putBackPeople() throws -> Int {
    do {
      return try people.troubles.filter { $0.value.kind == .lostEnd || $0.value.kind == .damaged }
        .keys.sorted().reduce(0) { try $0 + people.putBack($1) }
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }
}
