public import CairnZone

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

  /// Finds what a new content needs in a file that has an earlier one: chunks that both have, and
  /// those with which other chunks begin.
  /// - Parameters:
  ///   - old: The content of the file.
  ///   - new: The new content.
  /// - Returns: The parts of the file; nil if this device doesn't know the chunks of `old` any
  ///   more.
  /// - Throws: `IndexFailure` if the index can't be read.
  public func parts(
    of old: ContentID, for new: Content
  ) throws -> [ChunkName: KnownChunks.Part]? {
    guard let all = try parts(of: old) else { return nil }
    var needed = Set(new.chunks)
    for name in needed where all[name] == nil {
      guard let entry = try state.chunks.readable(name) else { continue }
      // An invalid chunk reports its error when it is read.
      do throws(FormatError) {
        needed.formUnion(try ChunkPlace(entry).pieces.map(\.before))
      } catch {}
    }
    return all.filter { needed.contains($0.key) }
  }
}

extension ZoneView {
  /// Finds the chunks of a content with their sizes, in their order.
  /// - Parameter content: The content that a record has, or had.
  /// - Returns: The chunks; nil if this device doesn't know them any more.
  /// - Throws: `IndexFailure` if the index can't be read.
  public func layout(of content: ContentID) throws -> ContentLayout? {
    guard let names = try state.history.chunks(of: content) else { return nil }
    var (chunks, ends): ([ChunkName], [UInt64]) = ([], [])
    for name in names {
      guard let entry = try state.chunks.readable(name) else { return nil }
      chunks.append(name)
      ends.append((ends.last ?? 0) + UInt64(entry.size))
    }
    return ContentLayout(chunks: chunks, ends: ends)
  }
}

/// The chunks of a content and their places in it.
public struct ContentLayout: Sendable {
  private let chunks: [ChunkName]
  /// The end of each chunk, in bytes from the beginning of the content.
  private let ends: [UInt64]

  init(chunks: [ChunkName], ends: [UInt64]) {
    (self.chunks, self.ends) = (chunks, ends)
  }

  /// Finds the chunks that have the bytes of a range.
  /// - Parameter range: The range. It may end behind the content.
  /// - Returns: The bytes of these chunks as a content, and their offset; nil if the range has no
  ///   byte of the content.
  /// - Complexity: O(log n) for n chunks, and the chunks that are found.
  public func part(covering range: Range<UInt64>) -> (content: Content, offset: UInt64)? {
    let first = index(ofByte: range.lowerBound)
    guard first < ends.count, !range.isEmpty else { return nil }
    let last = min(index(ofByte: range.upperBound - 1), ends.count - 1)
    let offset = first == 0 ? 0 : ends[first - 1]
    return (Content(size: ends[last] - offset, chunks: Array(chunks[first...last])), offset)
  }

  /// The first chunk that ends behind a byte.
  private func index(ofByte byte: UInt64) -> Int {
    var (low, high) = (0, ends.count)
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > byte { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
