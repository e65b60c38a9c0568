/// The sizes of the buffers of transfers. They don't depend on the size of a large file.
public enum TransferMemory {
  /// The size in bytes of the buffers of an upload.
  /// - Parameters:
  ///   - size: The number of bytes of all files.
  ///   - lanes: The number of parallel workers.
  /// - Returns: The size, at most.
  public static func toSend(_ size: UInt64, lanes: Int) -> Int {
    let packs = lanes > 1 && size > UInt64(PackWriter.target) ? 2 : 1
    return min(Int(clamping: size), ContentBuilder.memory(lanes: lanes))
      + packs * min(Int(clamping: size) + slack, PackWriter.memory)
  }

  /// The size in bytes of the buffers of a download.
  /// - Parameters:
  ///   - size: The number of bytes of all files.
  ///   - lanes: The number of threads that prepare a single file.
  /// - Returns: The size, at most.
  public static func toReceive(_ size: UInt64, lanes: Int) -> Int {
    min(2 * Int(clamping: min(size, 1 << 30)) + slack, ContentReader.memory(lanes: lanes))
  }

  /// The part of the buffers that no file is too small for.
  private static let slack = 64 << 10
}
