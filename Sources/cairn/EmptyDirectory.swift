import CairnControl
import Glibc

extension Control.Path {
  /// A Boolean value that indicates whether a directory has no entries; nil if it can't be read,
  /// and then `errno` has the reason.
  var isEmptyDirectory: Bool? {
    let listing = (bytes + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap { opendir($0) } }
    }
    guard let listing else { return nil }
    defer { closedir(listing) }
    // Two of the names are the folder's own and that of its parent.
    var count = 0
    while count < 3, readdir(listing) != nil { count += 1 }
    return count < 3
  }
}
