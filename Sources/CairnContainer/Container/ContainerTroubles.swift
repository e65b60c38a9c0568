import CairnReplica
public import CairnZone

/// The losses of the container as a whole, as far as this device has checked.
public struct ContainerTroubles: Sendable {
  /// The zones that differ from this device's reads, including this person's account.
  public var zones: [(zone: Zone, trouble: LogTrouble)] = []
  /// The people whose chains differ from this device's reads.
  public var people: [UserID: LogTrouble] = [:]

  /// A Boolean value that indicates whether an older copy of the container replaced it: several
  /// logs lost entries. A single log may have been cut alone, and a missing one may have been
  /// ended.
  public var isRestored: Bool {
    let lost =
      zones.filter { !$0.trouble.mayBeEnded }.map(\.trouble.kind) + people.values.map(\.kind)
    return lost.count { $0 == .lostEnd || $0 == .twoHistories } > 1
  }

  /// A Boolean value that indicates whether nothing is wrong.
  public var isEmpty: Bool { zones.isEmpty && people.isEmpty }
}
