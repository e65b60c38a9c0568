import CairnSystem
import Glibc

/// An open file or directory, closed when the last reference goes.
final class Descriptor: Sendable {
  let number: Int32

  init(owning number: Int32) { self.number = number }

  deinit { close(number) }

  /// Opens a directory by its absolute path, following symlinks above it: the person named it.
  static func openRoot(_ path: [UInt8]) throws(FolderError) -> Descriptor {
    let number = path.withCString { Glibc.open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard number >= 0 else { throw FolderError(errno, path, "open the folder") }
    return Descriptor(owning: number)
  }

  /// Opens something below this directory by names, beneath it and following no symlink, however
  /// deep it lies (LESSONS.md §2(b)7).
  func open(
    _ names: [FileNameBytes], flags: Int32, mode: Int32 = 0
  ) throws(FolderError) -> Descriptor {
    var current = self
    var index = 0
    repeat {
      var path: [UInt8] = []
      while index < names.count, path.count + names[index].count < 3_800 {
        if !path.isEmpty { path.append(UInt8(ascii: "/")) }
        path += names[index]
        index += 1
      }
      if path.isEmpty { path = [UInt8(ascii: ".")] }
      let isLast = index >= names.count
      let wanted = isLast ? flags : (O_RDONLY | O_DIRECTORY)
      let parent = current.number
      let number = path.withCString {
        cairn_open_beneath(parent, $0, wanted, isLast ? mode : 0)
      }
      guard number >= 0 else { throw FolderError(-number, joined(names), "open") }
      current = Descriptor(owning: number)
    } while index < names.count
    return current
  }

  /// Opens a directory below this one.
  func openDirectory(_ names: [FileNameBytes]) throws(FolderError) -> Descriptor {
    try open(names, flags: O_RDONLY | O_DIRECTORY)
  }

  /// Makes what was written to this file durable.
  func sync() throws(FolderError) {
    guard fsync(number) == 0 else { throw FolderError(errno, [], "make durable") }
  }
}

/// The bytes of one name.
typealias FileNameBytes = [UInt8]

/// The names joined to a relative path.
func joined(_ names: [FileNameBytes]) -> [UInt8] {
  Array(names.joined(separator: [UInt8(ascii: "/")]))
}

extension [UInt8] {
  /// Calls `body` with the bytes as a C string. The bytes must not contain a NUL: names that came
  /// through `FileName` don't.
  func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    var terminated = self
    terminated.append(0)
    return terminated.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { text in
        guard let start = text.baseAddress else { preconditionFailure("an empty C string") }
        return body(start)
      }
    }
  }
}
