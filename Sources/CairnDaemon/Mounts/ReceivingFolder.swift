import CairnControl
import CairnFolders
import Glibc

/// The folder in a home folder for shares that are accepted without a path. Its contents are
/// unknown here.
enum ReceivingFolder {
  /// Its name in the home folder: one in which no program looks for files.
  static let name = "Cairn"

  /// The kind of entry at its path.
  enum Look: Hashable {
    case nothing
    case folder
    /// Something else, in words.
    case other(String)
    case failure(CInt)
  }

  /// Returns the entry at a path. It follows no link, because its target may be another one
  /// tomorrow.
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

  /// Returns a title as the name of a folder. Others chose the title, and it may be any text. The
  /// name never leads elsewhere, hides the folder, or shows it as another one; nor is it mistaken
  /// for an option or a home folder in a command.
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

  /// Returns the replacement of a character in a name; nil for none.
  private static func safe(_ scalar: Unicode.Scalar) -> String? {
    if scalar == "/" || scalar == "\\" { return "-" }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
      return "-"
    case .spaceSeparator: return " "
    case .format:
      // Joiners make letters and signs of some scripts; the other characters of this kind only
      // deceive.
      return scalar.value == 0x200C || scalar.value == 0x200D ? String(scalar) : nil
    default: return String(scalar)
    }
  }
}
