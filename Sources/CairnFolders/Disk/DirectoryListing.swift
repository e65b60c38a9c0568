import CairnSystem
import Glibc

/// Reads a whole directory. An error means that the directory is unknown, never that it is empty
/// (DESIGN.md §6: deletions come only from directories that were read completely).
enum DirectoryListing {
  static func names(of directory: Descriptor) throws(FolderError) -> [FileNameBytes] {
    var names: [FileNameBytes] = []
    let capacity = 64 * 1024
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
    defer { buffer.deallocate() }
    guard lseek(directory.number, 0, SEEK_SET) >= 0 else {
      throw FolderError(errno, [], "read the directory")
    }
    while true {
      let filled = cairn_read_dir(directory.number, buffer, capacity)
      guard filled >= 0 else { throw FolderError(Int32(-filled), [], "read the directory") }
      if filled == 0 { return names }
      var offset = 0
      var inode: UInt64 = 0
      var type: UInt8 = 0
      var name: UnsafePointer<CChar>?
      while cairn_dirent_next(buffer, filled, &offset, &inode, &type, &name) == 1 {
        guard let name else { break }
        let length = strlen(name)
        names.append(
          name.withMemoryRebound(to: UInt8.self, capacity: length) {
            Array(UnsafeBufferPointer(start: $0, count: length))
          })
      }
    }
  }

  /// The target of a symlink.
  static func target(
    in directory: Descriptor, _ name: FileNameBytes
  ) throws(FolderError) -> [UInt8] {
    let capacity = 4_096
    let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
    defer { buffer.deallocate() }
    let length = name.withCString { cairn_readlink_at(directory.number, $0, buffer, capacity) }
    guard length >= 0 else { throw FolderError(Int32(-length), name, "read the symlink") }
    return buffer.withMemoryRebound(to: UInt8.self, capacity: length) {
      Array(UnsafeBufferPointer(start: $0, count: length))
    }
  }
}
