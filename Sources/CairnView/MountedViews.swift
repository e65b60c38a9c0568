public import CairnControl
import Glibc

/// The views that this user's processes show, by the kernel's table of mounts.
public enum MountedViews {
  /// The type of file system in the table.
  private static let type = "fuse.cairn"

  /// Finds the views.
  /// - Parameter table: The text of the kernel's table.
  /// - Returns: The absolute paths, sorted.
  public static func all(in table: [UInt8] = KernelMounts.text()) -> [Control.Path] {
    let user = Array("user_id=\(getuid())".utf8)
    return KernelMounts.lines(table)
      .filter { $0.type.elementsEqual(type.utf8) && $0.options.contains(user) }
      .map { Control.Path($0.point) }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}
