import CairnSystem
import Glibc

/// A name in a folder of a store. Names that are not text cannot be keys, and are skipped.
struct FolderEntry: Sendable {
  enum Kind: Sendable {
    case file, folder, other
  }

  let name: String
  let kind: Kind

  /// Adds the contents of the folder. Returns 0 or errno.
  static func read(_ folder: Int32, into entries: inout [FolderEntry]) -> Int32 {
    withUnsafeTemporaryAllocation(byteCount: 32 << 10, alignment: 8) { buffer in
      guard let base = buffer.baseAddress else { return ENOMEM }
      while true {
        let filled = cairn_read_dir(folder, base, buffer.count)
        guard filled > 0 else { return Int32(-filled) }
        var offset = 0
        var inode: UInt64 = 0
        var type: UInt8 = 0
        var name: UnsafePointer<CChar>?
        while cairn_dirent_next(base, filled, &offset, &inode, &type, &name) == 1 {
          guard let name, let text = String(validatingCString: name) else { continue }
          entries.append(FolderEntry(name: text, kind: kind(type, text, folder)))
        }
      }
    }
  }

  private static func kind(_ type: UInt8, _ name: String, _ folder: Int32) -> Kind {
    switch Int(type) {
    case 8: return .file  // DT_REG
    case 4: return .folder  // DT_DIR
    case 0: break  // DT_UNKNOWN: this file system doesn't tell
    default: return .other
    }
    var status = cairn_stat()
    guard cairn_stat_at(folder, name, &status) == 0 else { return .other }
    switch status.mode & UInt32(S_IFMT) {
    case UInt32(S_IFREG): return .file
    case UInt32(S_IFDIR): return .folder
    default: return .other
    }
  }
}
