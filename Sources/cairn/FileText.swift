import CairnControl
import Glibc

/// A short file of a person's, read and replaced as a whole.
enum FileText {
  /// Reads a file.
  static func read(_ path: Control.Path) throws(ControlError) -> [UInt8] {
    let file = try open(path)
    defer { close(file) }
    var all: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = part.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw failure(path, "read") }
      if count == 0 { return all }
      all += part[..<count]
    }
  }

  /// Opens a file for reading.
  static func open(_ path: Control.Path) throws(ControlError) -> CInt {
    let file = name(path) { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
    guard file >= 0 else { throw failure(path, "read") }
    return file
  }

  /// Replaces a file by another one with these bytes and its mode, in one step.
  static func replace(_ path: Control.Path, by text: [UInt8]) throws(ControlError) {
    var status = stat()
    guard name(path, { lstat($0, &status) }) == 0 else { throw failure(path, "read") }
    guard let slash = path.bytes.lastIndex(of: UInt8(ascii: "/")) else { return }
    // A name that is never mirrored, beside the file.
    let digits = String(UInt32.random(in: .min ... .max), radix: 16)
    let word = String(repeating: "0", count: 8 - digits.count) + digits
    let fresh = Control.Path(Array(path.bytes[...slash]) + Array(".cairn-\(word)".utf8))
    try PrivateFile.write(String(decoding: text, as: UTF8.self), to: fresh, isNew: true)
    let isDone =
      name(fresh) { chmod($0, status.st_mode & 0o7777) } == 0
      && name(fresh) { from in name(path) { rename(from, $0) } } == 0
    guard isDone else {
      let error = failure(path, "replaced")
      _ = name(fresh) { unlink($0) }
      throw error
    }
  }

  private static func name(
    _ path: Control.Path, _ body: (UnsafePointer<CChar>) -> CInt
  ) -> CInt {
    (path.bytes + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.map(body) ?? -1 }
    }
  }

  private static func failure(_ path: Control.Path, _ act: String) -> ControlError {
    ControlError(
      .assetFileNotFound,
      "\(path.printable) can't be \(act): \(String(cString: strerror(errno))).",
      remedy: "Look at it with ls(1).", path: path)
  }
}
