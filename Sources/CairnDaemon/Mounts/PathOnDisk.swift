import CairnControl
import Glibc

/// What stands at a path on the disk, now.
extension Control.Path {
  /// What a share or zone of it is called, unless a person says otherwise.
  var title: String { String(decoding: lastName, as: UTF8.self) }

  /// What is there itself; nil if nothing is, or it can't be told.
  var status: stat? {
    var status = stat()
    return bytes.withPath { lstat($0, &status) } == 0 ? status : nil
  }

  /// Whether something stands there.
  var exists: Bool { status != nil }

  /// Whether a regular file stands there.
  var isFile: Bool { status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false }

  /// Whether a folder stands there.
  var isFolder: Bool { status.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }
}

extension [UInt8] {
  /// Calls `body` with the path as a C string; paths are bytes, and need not be UTF-8.
  func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (self + [0]).withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { text in
        guard let start = text.baseAddress else { preconditionFailure("an empty C string") }
        return body(start)
      }
    }
  }
}
