import CairnIndex
import CairnStore
import CairnThreads
public import CairnZone
import Synchronization

/// Many contents at once, as whoever mirrors a tree asks for them.
extension Zone {
  /// From that size on a content is worth several threads, in bytes.
  private static let large: UInt64 = 8 << 20

  /// Lends the bytes of one content, chunk by chunk.
  public typealias ContentLender = ((UnsafeRawBufferPointer) throws -> Void) throws -> Void

  /// Hands out the bytes of several contents, about in the order in which they lie in the
  /// container, as of the last fold. It waits for nobody who folds or commits.
  /// - Parameters:
  ///   - contents: What to read.
  ///   - lanes: How many threads read, each its part of the contents. One large content by itself
  ///     is made ready by so many beside the caller's.
  ///   - meanwhile: What the caller's thread does before it takes its part; with one lane, before
  ///     anything is read.
  ///   - body: Gets the number of a content, and what reads it as `readContent` does.
  /// - Throws: `CloudError` if the container can't be read, and what `meanwhile` and `body` throw.
  public func readContents(
    _ contents: [Content], lanes: Int = 1, meanwhile: () throws -> Void = {},
    _ body: @Sendable (_ number: Int, _ read: ContentLender) throws -> Void
  ) throws {
    // Looked up once, and here: the lanes need nothing of the index.
    let entries = try read { view in
      var entries: [ChunkName: ChunkEntry] = [:]
      for content in contents {
        for name in content.chunks where entries[name] == nil {
          entries[name] = try view.state.readableChunk(name)
        }
      }
      return entries
    }
    let order = try ContentReader.order(of: contents) { entries[$0] }
    let work = ContentWork(order, sizes: contents.map(\.size))
    // One large content is a work for several lanes itself.
    let isAlone = contents.count == 1 && lanes > 1
    Lanes.run(contents.count > 1 ? lanes : 1) {
      do { try meanwhile() } catch { work.fail(error) }
    } _: { [store] in
      let reader = ContentReader(store: store)
      while let run = work.next() {
        do {
          for number in run {
            try body(number) { write in
              let content = contents[number]
              if isAlone, content.size >= Self.large {
                try ContentReader.readAhead(
                  content, lanes: lanes, store: store, entries: entries, write)
              } else {
                try reader.read(content, lookup: { entries[$0] }, write)
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

  /// Which past versions are kept now, by what this device of the owner's has noted of their age.
  /// - Throws: `IndexFailure` if the index can't be read.
  public func retention() throws -> Retention {
    try index.read {
      try IndexedZone(reading: $0, zone: id, known: header).retention(at: WallClock.seconds)
    }
  }
}

extension Zone {
  /// Reads chunks back from the container.
  /// - Returns: those that aren't there, or aren't what their names say.
  /// - Throws: `CloudError` if the container can't be read.
  public func spoiled(_ names: some Collection<ChunkName>) throws -> Set<ChunkName> {
    let entries = try read { view in try names.compactMap { try view.state.readableChunk($0) } }
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

/// Contents to be read by several threads, cut into runs that lie side by side.
private final class ContentWork: Sendable {
  private struct State {
    var taken = 0
    var failure: (any Error)?
  }

  private let runs: [ArraySlice<Int>]
  private let state = Mutex(State())

  /// A run ends after that many contents, or bytes.
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

  /// Nothing more is to be read, for this reason.
  func fail(_ error: any Error) { state.withLock { $0.failure = $0.failure ?? error } }

  /// What failed first.
  var failure: (any Error)? { state.withLock { $0.failure } }
}
