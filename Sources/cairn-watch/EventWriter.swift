// SPDX-License-Identifier: GPL-2.0-only
import Glibc

/// Formats events for standard output and collects them, so that a batch is one write(2). It must
/// not know their origin.
final class EventWriter {
  /// The kinds of hints about one entry. A batch contains each hint once.
  enum Hint: String {
    case changed, written, writing
  }

  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var hints: Set<[UInt8]> = []

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Adds a hint about the entry at `path`, in `directory`, which is an inode or 0. Repeated hints
  /// before `flush` are one line.
  func hint(_ hint: Hint, root: Int, directory: UInt64, path: [UInt8]) {
    let line = EventWriter.line("\(hint.rawValue) \(root) \(directory) ", path)
    guard hints.insert(line).inserted else { return }
    buffer += line
  }

  func ready(root: Int, directories: Int) { add("ready \(root) \(directories)") }
  /// Adds a hint about a subtree. `directory` is the inode of the directory at `path`, or 0.
  func tree(root: Int, directory: UInt64, path: [UInt8]) {
    add("tree \(root) \(directory) ", path)
  }
  func limit(root: Int, path: [UInt8]) { add("limit \(root) ", path) }
  func overflow() { add("overflow") }
  func lost(root: Int) { add("lost \(root)") }
  func unwatched(root: Int) { add("unwatched \(root)") }
  func synced(token: Int) { add("synced \(token)") }
  func failed(root: Int, message: [UInt8]) { add("failed \(root) ", message) }

  /// Writes the collected lines. A slow reader blocks it. Then the kernel's queue overflows, which
  /// is reported like any overflow.
  func flush() throws {
    hints.removeAll(keepingCapacity: hints.count < 4096)
    var done = 0
    while done < buffer.count {
      let count = buffer.withUnsafeBytes { bytes in
        write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      }
      if count >= 0 {
        done += count
      } else if errno != EINTR {
        throw EarlyExit(
          status: 74, message: "cannot write events: \(String(cString: strerror(errno)))")
      }
    }
    buffer.removeAll(keepingCapacity: buffer.count < 1 << 20)
  }

  private func add(_ fields: String, _ last: [UInt8] = []) {
    buffer += EventWriter.line(fields, last)
  }

  private static func line(_ fields: String, _ last: [UInt8]) -> [UInt8] {
    var line = Array(fields.utf8)
    line += last
    line.append(0)
    return line
  }
}
