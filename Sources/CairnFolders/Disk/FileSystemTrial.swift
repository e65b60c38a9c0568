import Glibc

/// The trial of a file system, on entries of our own.
struct FileSystemTrial {
  private let directory: Descriptor
  private let disk: any Disk

  init(_ directory: Descriptor) {
    self.directory = directory
    disk = directory.disk
  }

  private static let first = Array("trial-1".utf8)
  private static let second = Array("trial-2".utf8)
  /// A time with nanoseconds, in 2001.
  private static let time: Int64 = 1_000_000_000_123_456_789

  /// Tries everything, and notes what isn't kept.
  func run(_ traits: inout FileSystemTraits) throws(FolderError) {
    clear()
    defer { clear() }
    try tryFile(&traits)
    clear()
    try tryLink(&traits)
    clear()
    try tryDirectory(&traits)
  }

  /// Removes the entries of a trial, also of an interrupted one.
  private func clear() {
    for name in [Self.first, Self.second] {
      _ = disk.remove(name, in: directory.number)
      _ = disk.remove(name + Array("/file".utf8), in: directory.number)
      _ = disk.removeDirectory(name, in: directory.number)
    }
  }

  private func tryFile(_ traits: inout FileSystemTraits) throws(FolderError) {
    do {
      let file = try directory.makeFile(Self.first, mode: 0o600)
      try file.write(Array("trial".utf8))
    }
    note(time: Self.first, &traits, \.keepsTimes)
    let before = try FileStat.at(directory, Self.first)
    try rename(&traits)
    let after = try FileStat.at(directory, Self.second)
    if before?.inode != after?.inode { traits.keepsInodes = false }
    if before?.modified != after?.modified { traits.keepsFractions = false }
    let linked = disk.link(
      Self.second, in: directory.number, as: Self.first, in: directory.number)
    traits.hasLinks = linked >= 0
    if linked >= 0, try FileStat.at(directory, Self.first)?.inode != after?.inode {
      traits.keepsInodes = false
    }
    if linked < 0 { _ = try directory.makeFile(Self.first, mode: 0o600) }
    traits.swapsNames =
      disk.rename(
        Self.first, in: directory.number, to: Self.second, in: directory.number, .swapping) >= 0
    let reader = try directory.openFile([Self.second])
    traits.tellsWriters = reader.writers != .unknown
    var names: [[UInt8]] = []
    traits.hasAttributes = disk.attributeNames(of: reader.number, &names) >= 0
  }

  /// Some file systems follow a symbolic link to set a time, and set that of the target.
  private func tryLink(_ traits: inout FileSystemTraits) throws(FolderError) {
    _ = try directory.makeFile(Self.first, mode: 0o600)
    guard disk.makeSymlink(Self.second, in: directory.number, to: Self.first) >= 0 else { return }
    let target = try FileStat.at(directory, Self.first)
    note(time: Self.second, &traits, \.keepsLinkTimes)
    if try FileStat.at(directory, Self.first)?.modified != target?.modified {
      traits.keepsLinkTimes = false
    }
  }

  private func tryDirectory(_ traits: inout FileSystemTraits) throws(FolderError) {
    try directory.makeDirectory(Self.first, mode: 0o700)
    let name = Array("file".utf8)
    _ = try directory.openDirectory([Self.first]).makeFile(name, mode: 0o600)
    let before = try FileStat.at(directory, Self.first)
    let inner = try FileStat.at(directory.openDirectory([Self.first]), name)
    try rename(&traits)
    let after = try FileStat.at(directory, Self.second)
    let moved = try FileStat.at(directory.openDirectory([Self.second]), name)
    if before?.inode != after?.inode || inner?.inode != moved?.inode { traits.keepsInodes = false }
    note(time: Self.second, &traits, \.keepsDirectoryTimes)
  }

  private func rename(_ traits: inout FileSystemTraits) throws(FolderError) {
    let result = disk.rename(
      Self.first, in: directory.number, to: Self.second, in: directory.number, .replacing)
    guard result >= 0 else { throw FolderError(-result, Self.second, "rename") }
  }

  /// Sets a time, and notes what is shown.
  private func note(
    time name: FileNameBytes, _ traits: inout FileSystemTraits,
    _ trait: WritableKeyPath<FileSystemTraits, Bool>
  ) {
    guard disk.setTime(of: name, in: directory.number, Self.time) >= 0 else {
      traits[keyPath: trait] = false
      return
    }
    var shown = FileStat()
    guard disk.status(of: name, in: directory.number, &shown) >= 0 else { return }
    if shown.modified != Self.time { traits.keepsNanoseconds = false }
    // Two seconds are the coarsest unit, of vfat.
    if abs(shown.modified - Self.time) > 2_000_000_000 { traits[keyPath: trait] = false }
  }
}
