/// A guarantee of the simulated world that is broken on purpose: each shows that a checker can
/// fail.
enum Sabotage: String, CaseIterable, Sendable {
  /// A swap of two names destroys what stood there.
  case swapDestroys
  /// A write says that it took everything, and took half.
  case tornWrite
  /// fsync says that it is done, and does nothing.
  case noSync
  /// A directory is listed without one of its names, and without an error.
  case shortListing
  /// Two writers are told that they won the same place in the log.
  case twoWinners
  /// What is moved away to Cairn's own folder also stays where it was.
  case moveCopies
  /// A file gets another time whenever it is looked at.
  case restlessTimes
  /// What stands in the place of a hidden folder has its number and its mark.
  case disguisedRoot
  /// Whoever read an object goes on seeing it after the container has lost it.
  case staleReads
  /// What a stranger puts into the container gets into somebody's folder.
  case credulousReader
  /// A thief brings along what they do before the device is revoked.
  case unrevokedThief
  /// A pack is thrown away that the zone needs.
  case hastyGarbage
  /// A file that has several names says that it has one.
  case secretLinks
  /// A person's file is read with another bit than it has, each time.
  case alteredFile
  /// Entries go below a floor whose snapshot is gone as well.
  case hollowFloor
  /// The owner keeps nothing of what they said is kept for ever.
  case stingyOwner

  func apply(to story: Story) {
    for device in story.devices {
      switch self {
      case .twoWinners, .staleReads: device.store.sabotage = self
      default: device.disk.sabotage = self
      }
    }
  }
}
