import CairnControl
import CairnFolders
import Glibc

/// The folder in a home folder into which shares go whose place nobody said. It must not know what
/// is put there.
enum ReceivingFolder {
  /// Its name in the home folder: a place in which no program looks for anything.
  static let name = "Cairn"

  /// What stands at its path.
  enum Look: Hashable {
    case nothing
    case folder
    /// Something else, in words.
    case other(String)
    case failure(CInt)
  }

  /// Follows no link: what it leads to tomorrow nobody knows.
  static func look(_ path: String) -> Look {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno == ENOENT ? .nothing : .failure(errno) }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .folder
    case S_IFLNK:
      let real = Whereabouts.real(Array(path.utf8)).map { " to \(Control.Path($0))" } ?? ""
      return .other("is a symbolic link" + real)
    default: return .other("is no folder")
    }
  }

  /// A title as the name of a folder: others chose it, and any text may stand in it. Nothing in it
  /// leads elsewhere, hides the folder, or shows it as another; nor is it taken for an option or
  /// for a home folder where somebody types it.
  static func folderName(_ title: String) -> String {
    var name = ""
    for scalar in title.unicodeScalars {
      guard let safe = safe(scalar) else { continue }
      let next = name + safe
      if next.utf8.count > 200 { break }
      name = next
    }
    name = String(name.trimmingPrefix { " .-~".contains($0) })
    while let last = name.last, last == " " || last == "." { name.removeLast() }
    return name.isEmpty ? "Folder" : name
  }

  /// What stands for it in a name; nil: nothing.
  private static func safe(_ scalar: Unicode.Scalar) -> String? {
    if scalar == "/" || scalar == "\\" { return "-" }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
      return "-"
    case .spaceSeparator: return " "
    case .format:
      // Joiners make letters and signs of some scripts; all else of the kind is there to deceive.
      return scalar.value == 0x200C || scalar.value == 0x200D ? String(scalar) : nil
    default: return String(scalar)
    }
  }
}
