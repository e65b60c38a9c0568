import CairnControl
import Glibc

/// The entry at a path on the disk, now.
extension Control.Path {
  /// The title of a share or zone of it, unless a person chooses another one.
  var title: String { String(decoding: lastName, as: UTF8.self) }

  /// The metadata of the entry itself; nil if there is none, or it is unreadable.
  var status: stat? {
    var status = stat()
    return bytes.withPath { lstat($0, &status) } == 0 ? status : nil
  }

  /// A Boolean value that indicates whether there is an entry.
  var exists: Bool { status != nil }

  /// A Boolean value that indicates whether it is a regular file.
  var isFile: Bool { status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false }

  /// A Boolean value that indicates whether it is a folder.
  var isFolder: Bool { status.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

  /// Returns the error for a path without an entry, with the similar path that exists.
  func missing(_ code: Control.ErrorCode, _ remedy: String) -> ControlError {
    ControlError(code, "\(self) doesn't exist.", remedy: suggestion + remedy, path: self)
  }

  /// Returns the error for a path without a folder.
  func noFolder(_ code: Control.ErrorCode = .invalidArguments) -> ControlError {
    let remedy = "Name a folder that exists."
    guard exists else { return missing(code, remedy) }
    return ControlError(code, "\(self) is not a folder.", remedy: remedy, path: self)
  }
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
