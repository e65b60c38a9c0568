/// The way out of a rescue folder: back to where its person wants the bytes, or away for good.
extension RescueFolder {
  /// Moves something that lies here into a directory.
  /// - Parameters:
  ///   - path: Where it lies within the rescue folder.
  ///   - directory: An absolute path.
  ///   - name: What it is to be called there.
  ///   - isFlexible: Whether a name that is taken gets company; if not, that is an error.
  /// - Returns: where it is now, absolute.
  /// - Throws: `FolderError` if something is missing, or the name is taken.
  public func giveBack(
    _ path: [UInt8], to directory: [UInt8], as name: [UInt8], isFlexible: Bool
  ) throws -> [UInt8] {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard let last = names.last else { throw FolderError(.badName, path, "an entry needs a name") }
    let from = try root().openDirectory(Array(names.dropLast()))
    let to = try Descriptor.openRoot(directory, on: disk)
    let target = try FreeName.take(attempts: isFlexible ? 10_000 : 1) { attempt in
      attempt == 1 ? name : Self.marked(name, "rescued", attempt - 1)
    } _: { target throws(FolderError) in
      try move(last, from: from, to: target, in: to)
      return target
    }
    try removeEmpty(Array(names.dropLast()))
    return directory + (directory.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + target
  }

  /// Removes something that lies here for good, with all that is in it.
  public func destroy(_ path: [UInt8]) throws {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard let last = names.last else { return }
    let above = Array(names.dropLast())
    do throws(FolderError) {
      try destroy(last, in: root().openDirectory(above))
    } catch {
      guard error.code == .notFound else { throw error }
    }
    try removeEmpty(above)
  }

  private func destroy(_ name: FileNameBytes, in directory: Descriptor) throws(FolderError) {
    guard try FileStat.at(directory, name)?.kind == .directory else {
      return try directory.remove(name)
    }
    let inner = try directory.openDirectory([name])
    for entry in try DirectoryListing.names(of: inner) { try destroy(entry, in: inner) }
    try directory.removeDirectory(name)
  }

  /// Removes the directories that a path went through, as far as nothing is in them any more.
  private func removeEmpty(_ names: [FileNameBytes]) throws(FolderError) {
    var names = names
    while let last = names.popLast() {
      do throws(FolderError) {
        try root().openDirectory(names).removeDirectory(last)
      } catch {
        guard error.code == .notEmpty || error.code == .notFound else { throw error }
        return
      }
    }
  }

  /// Makes the directories below an absolute path that aren't there.
  public static func makeFolders(
    _ names: [[UInt8]], in folder: [UInt8], on disk: any Disk = SystemDisk()
  ) throws {
    var directory = try Descriptor.openRoot(folder, on: disk)
    for name in names {
      do throws(FolderError) { try directory.makeDirectory(name, mode: 0o777) } catch {
        guard error.code == .exists else { throw error }
      }
      directory = try directory.openDirectory([name])
    }
  }

  /// The name with a word in parentheses before its extension, as in `note (rescued 2).txt`.
  static func marked(_ name: FileNameBytes, _ word: String, _ number: Int) -> FileNameBytes {
    let mark = Array(" (\(word)\(number > 1 ? " \(number)" : ""))".utf8)
    var end = name.endIndex
    if let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex,
      name.count - dot <= 17
    {
      end = dot
    }
    let suffix = name[end...]
    return Array(name[..<end].prefix(255 - mark.count - suffix.count)) + mark + suffix
  }
}
