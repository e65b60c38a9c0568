/// A deliberately broken guarantee of the simulated world: each shows that a checker can fail.
enum Sabotage: String, CaseIterable, Sendable {
  /// A swap of two names destroys a file.
  case swapDestroys
  /// A write reports success and writes half.
  case tornWrite
  /// fsync reports success and does nothing.
  case noSync
  /// A directory is listed without one of its names, and without an error.
  case shortListing
  /// Two writers are told that they won the same log position.
  case twoWinners
  /// A file that is moved to Cairn's own folder also stays in its place.
  case moveCopies
  /// A file's time changes with each stat.
  case restlessTimes
  /// The replacement of a hidden folder has its inode number and its mark.
  case disguisedRoot
  /// A reader of an object still sees it after the container lost it.
  case staleReads
  /// A stranger's object gets into somebody's folder.
  case credulousReader
  /// A thief brings along work from before the revocation.
  case unrevokedThief
  /// A needed pack is deleted.
  case hastyGarbage
  /// A file with several names reports only one.
  case secretLinks
  /// A person's file is always read with a wrong bit.
  case alteredFile
  /// Entries are deleted below a log start whose snapshot is gone, too.
  case hollowFloor
  /// The owner keeps nothing, against the policy that keeps everything.
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
