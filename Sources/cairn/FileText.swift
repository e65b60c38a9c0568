import CairnControl
import Glibc

/// A short file of a person's, read as a whole.
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
      guard count >= 0 else { throw failure(path) }
      if count == 0 { return all }
      all += part[..<count]
    }
  }

  /// Opens a file for reading.
  static func open(_ path: Control.Path) throws(ControlError) -> CInt {
    let file = name(path) { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
    guard file >= 0 else { throw failure(path) }
    return file
  }

  private static func name(
    _ path: Control.Path, _ body: (UnsafePointer<CChar>) -> CInt
  ) -> CInt {
    (path.bytes + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.map(body) ?? -1 }
    }
  }

  private static func failure(_ path: Control.Path) -> ControlError {
    ControlError(
      .assetFileNotFound,
      "\(path.printable) can't be read: \(String(cString: strerror(errno))).",
      remedy: "Look at it with ls(1).", path: path)
  }
}
