import CairnControl
import CairnThreads
import Glibc
import Testing

@testable import CairnView

@Suite struct ViewCacheTests {
  private static func play(
    limit: Int64 = 1 << 30, _ body: (FakeSource, ViewCache, CacheFolder) throws -> Void
  ) throws {
    try CacheFolder.play { folder in
      let source = FakeSource(folder.path)
      try body(source, ViewCache(folder: folder.view, limit: limit, source: source), folder)
    }
  }

  private func bytes(_ file: CInt, _ range: Range<Int64>) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: range.count)
    let count = pread(file, &buffer, buffer.count, off_t(range.lowerBound))
    return Array(buffer.prefix(max(0, count)))
  }

  @Test func `only the read part of a file is fetched, and once`() throws {
    try Self.play { source, cache, _ in
      let (content, size): (String, Int64) = (FakeSource.content(1), 100 << 20)
      try cache.open(content, size: size)
      let range: Range<Int64> = (50 << 20)..<(50 << 20) + 10
      for _ in 0..<2 {
        let file = try cache.descriptor(of: content, in: "z", with: range)
        #expect(bytes(file, range) == range.map { UInt8(truncatingIfNeeded: $0) })
      }
      let once: [Range<Int64>] = [(50 << 20)..<(50 << 20) + (128 << 10)]
      #expect(source.state.change { $0.reads } == once)
      // A program that reads on gets more each time.
      for offset in stride(from: Int64(51 << 20), to: 58 << 20, by: 1 << 20) {
        _ = try cache.descriptor(of: content, in: "z", with: offset..<offset + (1 << 20))
      }
      let more = source.state.change { $0.reads.dropFirst().map { $0.lowerBound >> 20 } }
      #expect(more == [51, 52, 53, 54, 55, 57])
      cache.close(content)
    }
  }

  @Test func `a file that many threads read is fetched once`() throws {
    try Self.play { source, cache, _ in
      let content = FakeSource.content(1)
      source.state.change { $0.isHeld = true }
      let done = Monitor(0)
      let threads = (0..<8).compactMap { _ in
        PosixThread.start("reader") {
          do {
            try cache.open(content, size: 1_000)
            _ = try cache.descriptor(of: content, in: "z", with: 0..<1_000)
            cache.close(content)
            done.change { $0 += 1 }
          } catch {
            Issue.record("\(error)")
          }
        }
      }
      _ = source.state.wait(until: nil) { $0.waiting > 0 ? true : nil }
      source.state.change { $0.isHeld = false }
      for thread in threads { thread.join() }
      #expect(done.change { $0 } == 8)
      #expect(source.state.change { $0.reads } == [0..<1_000])
    }
  }

  @Test func `the file that nobody used for the longest time is removed first`() throws {
    try Self.play(limit: 2_500) { source, cache, folder in
      func use(_ number: Int) throws {
        try cache.open(FakeSource.content(number), size: 1_000)
        _ = try cache.descriptor(of: FakeSource.content(number), in: "z", with: 0..<1_000)
        cache.close(FakeSource.content(number))
      }
      for number in [1, 2, 1, 3] { try use(number) }
      #expect(folder.names == [FakeSource.content(1), FakeSource.content(3)])
      #expect(cache.bytes == 2_000)
      try use(1)
      #expect(source.state.change { $0.reads.count } == 3)
    }
  }

  @Test func `an open file is never removed`() throws {
    try Self.play(limit: 500) { source, cache, folder in
      let (open, other) = (FakeSource.content(1), FakeSource.content(2))
      try cache.open(open, size: 1_000)
      let file = try cache.descriptor(of: open, in: "z", with: 0..<1_000)
      try cache.open(other, size: 1_000)
      _ = try cache.descriptor(of: other, in: "z", with: 0..<1_000)
      cache.close(other)
      #expect(folder.names == [open + ".part"])
      #expect(bytes(file, 0..<1_000).count == 1_000)
      cache.close(open)
      #expect(folder.names.isEmpty && cache.bytes == 0)
    }
  }

  @Test func `whole files outlive the process, and others don't`() throws {
    try Self.play { source, cache, folder in
      for number in 1...2 {
        try cache.open(FakeSource.content(number), size: Int64(number) * 2 << 20)
        _ = try cache.descriptor(of: FakeSource.content(number), in: "z", with: 0..<2 << 20)
        cache.close(FakeSource.content(number))
      }
      let again = ViewCache(folder: folder.view, limit: 1 << 30, source: source)
      #expect(folder.names == [FakeSource.content(1)])
      let before = source.state.change { $0.reads.count }
      try again.open(FakeSource.content(1), size: 2 << 20)
      let file = try again.descriptor(of: FakeSource.content(1), in: "z", with: 0..<2 << 20)
      #expect(bytes(file, 5..<7) == [5, 6])
      #expect(source.state.change { $0.reads.count } == before)
      again.close(FakeSource.content(1))
    }
  }

  @Test func `a file gets its name once its bytes are on the disk`() throws {
    try CacheFolder.play { folder in
      let source = FakeSource(folder.path)
      let content = FakeSource.content(1)
      let names = Monitor([[String]]())
      for result: CInt in [-1, 0] {
        let cache = ViewCache(folder: folder.view, limit: 1 << 30, source: source) { _ in
          names.change { $0.append(folder.names) }
          return result
        }
        // Nothing is left of the first attempt.
        #expect(folder.names.isEmpty)
        try cache.open(content, size: 10)
        _ = try cache.descriptor(of: content, in: "z", with: 0..<10)
        cache.close(content)
        #expect(folder.names == [result == 0 ? content : content + ".part"])
        #expect(source.state.change { $0.reads.count } == (result == 0 ? 2 : 1))
      }
      #expect(names.change { $0 } == [[content + ".part"], [content + ".part"]])
    }
  }

  @Test func `a reader whose range came with another one has no error`() throws {
    try Self.play { source, cache, folder in
      let content = FakeSource.content(1)
      let starts: [Int64] = [0, 512 << 10]
      source.state.change { ($0.held, $0.chunk) = (Set(starts), 0..<1 << 20) }
      let failures = Monitor([String]())
      let threads = starts.compactMap { start in
        PosixThread.start("reader") {
          do {
            try cache.open(content, size: 1 << 20)
            _ = try cache.descriptor(of: content, in: "z", with: start..<start + 10)
          } catch {
            failures.change { $0.append("\(error)") }
          }
        }
      }
      _ = source.state.wait(until: nil) { $0.waiting == 2 ? true : nil }
      // The first answer has the whole file. The second one is written afterwards.
      source.state.change { _ = $0.held.remove(0) }
      threads.first?.join()
      source.state.change { $0.held = [] }
      threads.last?.join()
      #expect(failures.change { $0 }.isEmpty)
      for _ in threads { cache.close(content) }
      #expect(folder.names == [content])
    }
  }

  @Test func `a failed read is tried again by the next reader`() throws {
    try Self.play { source, cache, _ in
      let content = FakeSource.content(1)
      try cache.open(content, size: 10)
      source.state.change { $0.failure = ControlError(.networkUnavailable, "away") }
      #expect(throws: ControlError.self) {
        try cache.descriptor(of: content, in: "z", with: 0..<10)
      }
      source.state.change { $0.failure = nil }
      _ = try cache.descriptor(of: content, in: "z", with: 0..<10)
      cache.close(content)
    }
  }
}
