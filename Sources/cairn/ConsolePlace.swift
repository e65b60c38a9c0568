import ArgumentParser
import CairnControl
import Glibc

/// The place at which the console opens: a section, and a part of it. It follows the secret in the
/// address, which the page removes before anything else.
struct ConsolePlace {
  /// The sections of the console by their names in addresses, and the parts of the files section.
  static let sections = [
    "folders", "people", "activity", "files", "conflicts", "held", "deleted", "rescued", "devices",
    "storage", "settings", "advanced",
  ]

  /// The argument of `--show`: a section, or a path.
  struct Wanted: ExpressibleByArgument {
    /// The section; nil: a path.
    let section: String?
    private let path: PathArgument

    static let defaultCompletionKind = CompletionKind.file()
    static let allValueStrings = sections

    init?(argument: String) {
      guard let path = PathArgument(argument: argument) else { return nil }
      self.path = path
      section = sections.first { $0 == argument }
    }

    /// Returns the place; `other` is a path beside a section.
    func place(_ other: PathArgument?) throws(ControlError) -> ConsolePlace {
      guard let section else { return ConsolePlace(section: "files", path: try path.absolute()) }
      return ConsolePlace(section: section, path: try other?.absolute())
    }
  }

  let section: String
  let path: Control.Path?

  /// The end of the address: a slash, the section, and the bytes of the path, escaped where needed.
  /// A folder's path ends with a slash.
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
