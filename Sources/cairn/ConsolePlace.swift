import ArgumentParser
import CairnControl
import Glibc

/// Where the console's page opens: a section, and what of it. It goes behind the secret, which the
/// page takes away before it does anything else.
struct ConsolePlace {
  /// The sections of the page, by their names in its addresses, and the parts of that of files.
  static let sections = [
    "folders", "people", "activity", "files", "conflicts", "held", "deleted", "rescued", "records",
  ]

  /// What `--show` takes: a section, or a path.
  struct Wanted: ExpressibleByArgument {
    /// Nil: a path.
    let section: String?
    private let path: PathArgument

    static let defaultCompletionKind = CompletionKind.file()
    static let allValueStrings = sections

    init?(argument: String) {
      guard let path = PathArgument(argument: argument) else { return nil }
      self.path = path
      section = sections.first { $0 == argument }
    }

    /// The place; `other` is a path beside a section.
    func place(_ other: PathArgument?) throws(ControlError) -> ConsolePlace {
      guard let section else { return ConsolePlace(section: "files", path: try path.absolute()) }
      return ConsolePlace(section: section, path: try other?.absolute())
    }
  }

  let section: String
  let path: Control.Path?

  /// What the address ends with: a slash, the section, and the bytes of the path, each with an
  /// escape that isn't plain. A folder's ends with a slash.
  var fragment: String {
    var bytes = path?.bytes ?? []
    if isFolder, bytes.last != UInt8(ascii: "/") { bytes.append(UInt8(ascii: "/")) }
    let escaped = bytes.map { byte -> String in
      let isPlain =
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
        || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "/")
      guard !isPlain else { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }
    return "/" + section + escaped.joined()
  }

  private var isFolder: Bool {
    guard let path else { return false }
    var status = stat()
    let isThere = (path.bytes + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        characters.baseAddress.map { lstat($0, &status) == 0 } ?? false
      }
    }
    return isThere && status.st_mode & S_IFMT == S_IFDIR
  }
}
