import CairnZone

extension ZoneView {
  /// Finds the chunks of a content in a file that has it.
  /// - Parameter content: The content that a record has, or had.
  /// - Returns: The parts of the file; nil if this device doesn't know the chunks any more.
  /// - Throws: `IndexFailure` if the index can't be read.
  public func parts(of content: ContentID) throws -> [ChunkName: KnownChunks.Part]? {
    guard let names = try state.history.chunks(of: content) else { return nil }
    var parts: [ChunkName: KnownChunks.Part] = [:]
    var offset: UInt64 = 0
    for name in names {
      guard let entry = try state.chunks.readable(name) else { return nil }
      // Of a file that is there in part, the first one is there.
      if parts[name] == nil {
        parts[name] = KnownChunks.Part(offset: offset, size: Int(entry.size))
      }
      offset += UInt64(entry.size)
    }
    return parts
  }
}
