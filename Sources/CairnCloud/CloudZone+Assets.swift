import Glibc

extension CloudZone {
  /// Stores the bytes of a file, piece by piece. A save of a record with the asset keeps them;
  /// without one they are deleted after some days.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - progress: A function that gets the number of bytes so far, on another thread.
  /// - Returns: The asset for a field.
  /// - Throws: `CloudError`; with `.operationCancelled` as soon as the task is cancelled.
  public func upload(
    _ path: String, progress: (@Sendable (Int64) -> Void)? = nil
  ) async throws(CloudError) -> Asset {
    try await work.transfer { [engine] check in
      let file = try OpenFile(reading: path)
      var done: Int64 = 0
      return try engine.upload { buffer in
        try check()
        let count = try file.read(into: buffer)
        done += Int64(count)
        progress?(done)
        return count
      }
    }
  }

  /// Stores bytes like those of a file.
  public func upload(bytes: [UInt8]) async throws(CloudError) -> Asset {
    try await work.transfer { [engine] check in
      var done = 0
      return try engine.upload { buffer in
        try check()
        let count = min(buffer.count, bytes.count - done)
        buffer.copyBytes(from: bytes[done..<done + count])
        done += count
        return count
      }
    }
  }

  /// Returns the bytes of an asset.
  public func bytes(of asset: Asset) async throws(CloudError) -> [UInt8] {
    try await work.transfer { [engine] check in
      var bytes: [UInt8] = []
      try engine.download(asset) { part in
        try check()
        bytes += part
      }
      return bytes
    }
  }

  /// Writes the bytes of an asset to a file, which is replaced when all of them are there.
  /// - Parameters:
  ///   - asset: The asset.
  ///   - path: The path of the file.
  ///   - progress: A function that gets the number of bytes so far, on another thread.
  /// - Throws: `CloudError`; with `.operationCancelled` as soon as the task is cancelled, and then
  ///   the file is as before.
  public func download(
    _ asset: Asset, to path: String, progress: (@Sendable (Int64) -> Void)? = nil
  ) async throws(CloudError) {
    try await work.transfer { [engine] check in
      let file = try OpenFile(replacing: path)
      var done: Int64 = 0
      try engine.download(asset) { bytes in
        try check()
        try file.write(bytes)
        done += Int64(bytes.count)
        progress?(done)
      }
      try check()
      try file.replace()
    }
  }
}

/// A file of the program, open for one transfer.
private final class OpenFile {
  private let descriptor: CInt
  private let path: String
  /// The name of the file until it is complete.
  private var unfinished: String?

  init(reading path: String) throws {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  init(replacing path: String) throws {
    self.path = path
    let name = "\(path).\(UInt64.random(in: .min ... .max)).part"
    descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.failure(name) }
    unfinished = name
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if let unfinished { unlink(unfinished) }
  }

  private static func failure(_ path: String) -> CloudError {
    let number = errno
    return CloudError(
      number == EACCES || number == EPERM ? .permissionFailure : .assetFileNotFound,
      "\(path): \(String(cString: strerror(number)))")
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      guard errno == EINTR else { throw Self.failure(path) }
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var written = 0
    while written < bytes.count {
      let count = Glibc.write(
        descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure(path) }
      written += count
    }
  }

  func replace() throws {
    guard let name = unfinished, rename(name, path) == 0 else { throw Self.failure(path) }
    unfinished = nil
  }
}
