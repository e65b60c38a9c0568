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
