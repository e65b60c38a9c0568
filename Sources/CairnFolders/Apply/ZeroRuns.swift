import Glibc

/// Bytes of a file on their way to a disk, of which long runs of zeros become holes: a file that
/// takes no room at one place takes none at another. What the file holds is the same.
public struct ZeroRuns {
  /// What is to be done with the file.
  public enum Act {
    /// These bytes come next.
    case write(UnsafeRawBufferPointer)
    /// So many zeros come next, which may be a hole.
    case skip(Int)
  }

  /// What a hole is made of: a block of most file systems.
  private static let block = 4_096
  /// Shorter ones aren't worth their place in the file's map.
  private static let shortest = 32_768
  private static let zeros = [UInt8](repeating: 0, count: shortest)

  /// How many bytes there were.
  private var offset = 0
  /// How many zeros wait for what comes behind them.
  private var waiting = 0

  /// Begins at the start of a file.
  public init() {}

  /// Takes the next bytes of the file.
  /// - Parameters:
  ///   - bytes: any number of them.
  ///   - act: does what is to be done now.
  /// - Throws: what `act` throws.
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

  /// The file is complete.
  /// - Parameter act: does what is left to be done.
  /// - Returns: how large the file is, if it ends in a hole, which its size has to say.
  /// - Throws: what `act` throws.
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
    // Each byte is the one before it.
    return memcmp(start, start + 1, bytes.count - 1) == 0
  }
}
