public import CairnZone

/// A file on this device that has chunks of a content: an earlier version, for example. It says
/// where the chunks should be. The reader of a content checks each by its name, so the file may have
/// changed since.
public struct KnownChunks: Sendable {
  /// The bytes of one chunk in the file.
  public struct Part: Hashable, Sendable {
    /// The offset in bytes.
    public var offset: UInt64
    /// The number of bytes.
    public var size: Int
  }

  /// The parts of the file by the names of their chunks.
  public let parts: [ChunkName: Part]
  private let read: @Sendable (Part) -> [UInt8]?

  /// Creates a value; `read` returns the bytes of a part, or nil if it can't be read. Several
  /// threads may call it.
  public init(parts: [ChunkName: Part], read: @escaping @Sendable (Part) -> [UInt8]?) {
    self.parts = parts
    self.read = read
  }

  /// The bytes of a chunk; nil if the file doesn't have it.
  func chunk(_ name: ChunkName) -> [UInt8]? {
    guard let part = parts[name], let bytes = read(part), bytes.count == part.size,
      bytes.withUnsafeBytes({ ChunkName.digest(of: $0) }) == name
    else { return nil }
    return bytes
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
      parts[name] = KnownChunks.Part(offset: offset, size: Int(entry.size))
      offset += UInt64(entry.size)
    }
    return parts
  }
}
