import ArgumentParser
import CairnControl
import Glibc

/// A path on the command line, as given and in absolute form. Only its text is used: symlinks are
/// not followed, and `..` removes the name before it.
struct PathArgument: ExpressibleByArgument {
  /// The path as given.
  let given: [UInt8]

  init?(argument: String) {
    given = RawArguments.bytes(of: argument)
    guard !given.isEmpty else { return nil }
  }

  /// Creates a path from bytes; nil if there are none.
  init?(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return nil }
    given = bytes
  }

  static let defaultCompletionKind = CompletionKind.file()

  /// Returns the absolute path, without `.`, `..`, doubled or trailing slashes. Throws
  /// `invalidArguments` if it is relative and the working folder was removed.
  func absolute() throws(ControlError) -> Control.Path {
    let slash = UInt8(ascii: "/")
    var whole = given
    if given.first != slash {
      guard let folder = getcwd(nil, 0) else {
        throw ControlError(
          .invalidArguments, "The working folder is gone, so a relative path means nothing.",
          remedy: "Change to a folder that exists, or give an absolute path.")
      }
      defer { free(folder) }
      whole = UnsafeRawBufferPointer(start: folder, count: strlen(folder)) + [slash] + given
    }
    var names: [ArraySlice<UInt8>] = []
    for name in whole.split(separator: slash) where name != [UInt8(ascii: ".")] {
      if Array(name) == [UInt8(ascii: "."), UInt8(ascii: ".")] {
        _ = names.popLast()
      } else {
        names.append(name)
      }
    }
    return Control.Path(names.isEmpty ? [slash] : names.flatMap { [slash] + $0 })
  }

  /// A Boolean value that indicates whether the path exists.
  var exists: Bool {
    var status = stat()
    return (given + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        characters.baseAddress.map { lstat($0, &status) == 0 } ?? false
      }
    }
  }
}
