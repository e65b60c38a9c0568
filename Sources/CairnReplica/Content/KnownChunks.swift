public import CairnZone

/// Files on this device that have chunks of a content: an earlier version, for example. It says
/// where the chunks should be. The reader of a content checks each by its name, so a file may have
/// changed since.
public struct KnownChunks: Sendable {
  /// The bytes of one chunk in the file.
  public struct Part: Hashable, Sendable {
    /// The offset in bytes.
    public var offset: UInt64
    /// The number of bytes.
    public var size: Int
  }

  private struct File: Sendable {
    var parts: [ChunkName: Part]
    var read: @Sendable (Part) -> [UInt8]?
  }

  private var files: [File]

  /// Creates a value for one file.
  /// - Parameters:
  ///   - parts: The parts of the file by the names of their chunks.
  ///   - read: Returns the bytes of a part, or nil if it can't be read. Several threads may call
  ///     it.
  public init(parts: [ChunkName: Part], read: @escaping @Sendable (Part) -> [UInt8]?) {
    files = [File(parts: parts, read: read)]
  }

  /// Returns these files and those of another value.
  public func adding(_ other: KnownChunks) -> KnownChunks {
    var sum = self
    sum.files += other.files
    return sum
  }

  /// Returns whether a file should have the chunk.
  func has(_ name: ChunkName) -> Bool { files.contains { $0.parts[name] != nil } }

  /// The bytes of a chunk; nil if no file has it.
  func chunk(_ name: ChunkName) -> [UInt8]? {
    for file in files {
      if let part = file.parts[name], let bytes = file.read(part), bytes.count == part.size,
        bytes.withUnsafeBytes({ ChunkName.digest(of: $0) }) == name
      {
        return bytes
      }
    }
    return nil
  }
}
