/// Reads a whole directory. After an error the directory is unknown, never empty: deletions follow
/// only from completely read directories.
enum DirectoryListing {
  static func names(of directory: Descriptor) throws(FolderError) -> [FileNameBytes] {
    var names: [FileNameBytes] = []
    let result = directory.disk.list(directory.number, &names)
    guard result >= 0 else { throw FolderError(-result, [], "read the directory") }
    return names
  }

  /// The target of a symlink.
  static func target(
    in directory: Descriptor, _ name: FileNameBytes
  ) throws(FolderError) -> [UInt8] {
    var target: [UInt8] = []
    let result = directory.disk.target(of: name, in: directory.number, &target)
    guard result >= 0 else { throw FolderError(-result, name, "read the symlink") }
    return target
  }
}
