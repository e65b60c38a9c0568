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

extension ZoneView {
  /// Finds the chunks of a content in a file that has it.
  /// - Parameter content: The content that a record has, or had.
  /// - Returns: The parts of the file; nil if this device doesn't know the chunks any more.
  /// - Throws: `IndexFailure` if the index can't be read.
  public func parts(of content: ContentID) throws -> [ChunkName: KnownChunks.Part]? {
    guard let names = try state.chunks(of: content) else { return nil }
    var parts: [ChunkName: KnownChunks.Part] = [:]
    var offset: UInt64 = 0
    for name in names {
      guard let entry = try state.readableChunk(name) else { return nil }
      // Of a file that is there in part, the first one is there.
      if parts[name] == nil {
        parts[name] = KnownChunks.Part(offset: offset, size: Int(entry.size))
      }
      offset += UInt64(entry.size)
    }
    return parts
  }
}
