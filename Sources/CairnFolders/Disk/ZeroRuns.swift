import Glibc

/// The bytes of a file on their way to a disk. Long runs of zeros become holes, so a sparse file
/// stays sparse. The content is the same.
public struct ZeroRuns {
  /// An action on the file.
  public enum Act {
    /// Write these bytes.
    case write(UnsafeRawBufferPointer)
    /// Leave a hole of this many zeros.
    case skip(Int)
  }

  /// The unit of holes: a block of most file systems.
  private static let block = 4_096
  /// The minimum size of a hole; shorter ones are not worth an entry in the file's map.
  private static let shortest = 32_768
  private static let zeros = [UInt8](repeating: 0, count: shortest)

  /// The number of bytes so far.
  private var offset = 0
  /// The number of zeros at the current end.
  private var waiting = 0

  /// Starts at the beginning of a file.
  public init() {}

  /// Handles the next bytes of the file.
  /// - Parameters:
  ///   - bytes: Any number of bytes.
  ///   - act: Performs an action.
  /// - Throws: errors of `act`.
  public mutating func take(
    _ bytes: UnsafeRawBufferPointer, _ act: (Act) throws -> Void
  ) throws {
    var (start, position) = (0, 0)
    while position < bytes.count {
      let end = min(bytes.count, position + Self.block - (offset + position) % Self.block)
      if Self.isZero(UnsafeRawBufferPointer(rebasing: bytes[position..<end])) {
        try write(bytes, start..<position, act)
        waiting += end - position
        start = end
      } else if waiting > 0 {
        try passZeros(act)
      }
      position = end
    }
    try write(bytes, start..<position, act)
    offset += bytes.count
  }

  /// Ends the file.
  /// - Parameter act: Performs an action.
  /// - Returns: the size of the file, if it ends in a hole and so must be set.
  /// - Throws: errors of `act`.
  public mutating func finish(_ act: (Act) throws -> Void) throws -> Int? {
    let endsInHole = waiting >= Self.shortest
    try passZeros(act)
    return endsInHole ? offset : nil
  }

  private func write(
    _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ act: (Act) throws -> Void
  ) throws {
    guard !range.isEmpty else { return }
    try act(.write(UnsafeRawBufferPointer(rebasing: bytes[range])))
  }

  private mutating func passZeros(_ act: (Act) throws -> Void) throws {
    guard waiting > 0 else { return }
    if waiting >= Self.shortest {
      try act(.skip(waiting))
    } else {
      try Self.zeros.withUnsafeBytes { zeros in
        try act(.write(UnsafeRawBufferPointer(rebasing: zeros[..<waiting])))
      }
    }
    waiting = 0
  }

  private static func isZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress, bytes[0] == 0 else { return false }
    // Each byte equals the one before it.
    return memcmp(start, start + 1, bytes.count - 1) == 0
  }
}
