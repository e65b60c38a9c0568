// SPDX-License-Identifier: GPL-2.0-only
import Glibc

/// A command of the caller, as cairn-watch(8) describes it.
enum Command: Equatable {
  case watch(root: Int, path: [UInt8], isFlat: Bool)
  case directory(root: Int, inode: UInt64, path: [UInt8])
  case unwatch(root: Int)
  case sync(token: Int)

  /// Parses bytes without the closing NUL; nil if they are no command.
  init?(_ bytes: ArraySlice<UInt8>) {
    let parts = bytes.split(separator: Self.space, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, let number: Int = Command.number(parts[1]) else { return nil }
    switch (String(decoding: parts[0], as: UTF8.self), parts.count) {
    case ("watch", 3): self = .watch(root: number, path: Array(parts[2]), isFlat: false)
    case ("watch-flat", 3): self = .watch(root: number, path: Array(parts[2]), isFlat: true)
    case ("directory", 3):
      guard let end = parts[2].firstIndex(of: Self.space),
        let inode: UInt64 = Command.number(parts[2][..<end])
      else { return nil }
      self = .directory(root: number, inode: inode, path: Array(parts[2][(end + 1)...]))
    case ("unwatch", 2): self = .unwatch(root: number)
    case ("sync", 2): self = .sync(token: number)
    default: return nil
    }
  }

  private static let space = UInt8(ascii: " ")

  private static func number<Number: FixedWidthInteger>(_ digits: ArraySlice<UInt8>) -> Number? {
    guard digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else {
      return nil
    }
    return Number(String(decoding: digits, as: UTF8.self))
  }
}

/// Splits the bytes on standard input into commands. It must not know their effect.
struct CommandReader {
  private let descriptor: Int32
  private var pending: [UInt8] = []
  /// A Boolean value that indicates whether the caller has closed its end.
  private(set) var isAtEnd = false

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Reads once, and returns the complete commands.
  mutating func read() throws -> [Command] {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count < 0 {
      guard errno != EINTR, errno != EAGAIN else { return [] }
      throw EarlyExit(
        status: 74, message: "cannot read commands: \(String(cString: strerror(errno)))")
    }
    isAtEnd = count == 0
    pending += buffer[..<count]
    return try takeCommands()
  }

  private mutating func takeCommands() throws -> [Command] {
    var commands: [Command] = []
    var rest = pending[...]
    while let end = rest.firstIndex(of: 0) {
      guard let command = Command(rest[..<end]) else {
        let text = String(decoding: rest[..<end], as: UTF8.self)
        throw EarlyExit(status: 64, message: "not a command: \(text); see cairn-watch(8)")
      }
      commands.append(command)
      rest = rest[(end + 1)...]
    }
    pending = Array(rest)
    return commands
  }
}
