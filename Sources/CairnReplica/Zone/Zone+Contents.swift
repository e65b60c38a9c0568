import CairnIdentity
import CairnIndex
import CairnStore
import CairnThreads
public import CairnZone
import Synchronization

/// Reading many contents at once, for mirroring a tree.
extension Zone {
  /// The size in bytes from which a content is worth several threads.
  private static let large: UInt64 = 8 << 20

  /// Passes on the bytes of one content, chunk by chunk.
  public typealias ContentLender = ((UnsafeRawBufferPointer) throws -> Void) throws -> Void

  /// Passes on the bytes of several contents, roughly in the order of the container, as of the last
  /// replay. It waits for no replay or commit.
  /// - Parameters:
  ///   - contents: The contents to read.
  ///   - lanes: The number of threads that read parts of the contents. For a single large content,
  ///     the number of threads that prepare it beside the caller's.
  ///   - known: Files that have chunks of the contents, by the indexes of these. Their chunks are
  ///     not requested.
  ///   - meanwhile: Work of the caller's thread before it joins; with one lane, before anything is
  ///     read.
  ///   - onFetch: Receives the number of bytes of each answer from the container, on any of the
  ///     threads. An error of it ends the reading.
  ///   - body: Receives the index of a content, and a closure that reads it like `readContent`.
  /// - Throws: `CloudError` if the container cannot be read, and errors of the closures.
  public func readContents(
    _ contents: [Content], lanes: Int = 1, known: [Int: KnownChunks] = [:],
    meanwhile: () throws -> Void = {}, onFetch: @escaping @Sendable (Int) throws -> Void = { _ in },
    _ body: @Sendable (_ number: Int, _ read: ContentLender) throws -> Void
  ) throws {
    let entries = try entries(of: contents)
    let order = try ContentReader.order(of: contents) { entries[$0] }
    let work = ContentWork(order, sizes: contents.map(\.size))
    // One large content is itself work for several threads.
    let isAlone = contents.count == 1 && lanes > 1
    ParallelFor.run(contents.count > 1 ? lanes : 1) {
      do { try meanwhile() } catch { work.fail(error) }
    } _: { [store] in
      let reader = ContentReader(store: store, onFetch: onFetch)
      while let run = work.next() {
        do {
          reader.expect(
            run.flatMap { number in
              contents[number].chunks.compactMap { name in
                entries[name].flatMap { ContentReader.range(of: $0, known[number]) }
              }
            })
          for number in run {
            try body(number) { write in
              let content = contents[number]
              if isAlone, content.size >= Self.large {
                try ContentReader.readAhead(
                  content, lanes: lanes, store: store, entries: entries, known: known[number],
                  onFetch: onFetch, write)
              } else {
                try reader.read(
                  content, lookup: { entries[$0] }, known: known[number], write)
              }
            }
          }
        } catch {
          work.fail(error)
        }
      }
    }
    if let failure = work.failure { throw failure }
  }

  /// Passes on the bytes of a content, chunk by chunk, each checked against its name. It waits for
  /// no replay or commit.
  public func readContent(
    _ content: Content, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let entries = try entries(of: [content])
    let reader = ContentReader(store: store)
    reader.expect(content.chunks, in: entries, nil)
    try reader.read(content, lookup: { entries[$0] }, body)
  }

  /// Looks up all chunks at once, so that readers need nothing more from the index.
  private func entries(of contents: [Content]) throws -> [ChunkName: ChunkEntry] {
    try read { view in
      var entries: [ChunkName: ChunkEntry] = [:]
      for content in contents {
        for name in content.chunks where entries[name] == nil {
          entries[name] = try view.state.chunks.readable(name)
        }
      }
      return entries
    }
  }

  /// The rule for past versions, by this owner's device's notes of their ages.
  /// - Parameter clock: Seconds since 1970; now if left out.
  /// - Returns: The rule.
  /// - Throws: `IndexFailure` if the index cannot be read.
  public func retention(at clock: Int64 = WallClock.seconds) throws -> Retention {
    try index.read {
      try IndexedZone(reading: $0, zone: id, known: header).ages.retention(at: clock)
    }
  }
}

extension Zone {
  /// Reads chunks back from the container.
  /// - Returns: the missing or wrong ones.
  /// - Throws: `CloudError` if the container cannot be read.
  public func spoiled(_ names: some Collection<ChunkName>) throws -> Set<ChunkName> {
    let entries = try read { view in try names.compactMap { try view.state.chunks.readable($0) } }
    let reader = ContentReader(store: store)
    var sound: Set<ChunkName> = []
    for entry in entries {
      let content = Content(size: UInt64(entry.size), chunks: [entry.name])
      do {
        try reader.read(content, lookup: { _ in entry }, { _ in })
        sound.insert(entry.name)
      } catch is ContentError {
        continue
      }
    }
    return Set(names).subtracting(sound)
  }
}

/// The contents for several threads, cut into adjacent runs.
private final class ContentWork: Sendable {
  private struct State {
    var taken = 0
    var failure: (any Error)?
  }

  private let runs: [ArraySlice<Int>]
  private let state = Mutex(State())

  /// The maximum number of contents, and of bytes, in a run.
  private static let (longest, largest): (Int, UInt64) = (64, 4 << 20)

  init(_ order: [Int], sizes: [UInt64]) {
    var runs: [ArraySlice<Int>] = []
    var (start, bytes): (Int, UInt64) = (0, 0)
    for (place, number) in order.enumerated() {
      bytes += sizes[number]
      guard place - start + 1 == Self.longest || bytes >= Self.largest else { continue }
      runs.append(order[start...place])
      (start, bytes) = (place + 1, 0)
    }
    if start < order.count { runs.append(order[start...]) }
    self.runs = runs
  }

  /// The next run; nil if there is none, or something failed.
  func next() -> ArraySlice<Int>? {
    state.withLock { state in
      guard state.failure == nil, state.taken < runs.count else { return nil }
      defer { state.taken += 1 }
      return runs[state.taken]
    }
  }

  /// Stops all reading, for this reason.
  func fail(_ error: any Error) { state.withLock { $0.failure = $0.failure ?? error } }

  /// The first error.
  var failure: (any Error)? { state.withLock { $0.failure } }
}
