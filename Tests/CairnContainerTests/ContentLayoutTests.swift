import CairnZone
import Testing

@testable import CairnReplica

@Suite struct ContentLayoutTests {
  private func chunk(_ number: UInt8) -> ChunkName {
    [number].withUnsafeBytes { ChunkName.digest(of: $0) }
  }

  @Test func `a range is covered by whole chunks, and by no others`() {
    let chunks = [chunk(1), chunk(2), chunk(1)]
    let layout = ContentLayout(chunks: chunks, ends: [10, 30, 40])
    func part(_ range: Range<UInt64>) -> [UInt64] {
      guard let part = layout.part(covering: range) else { return [] }
      return [part.offset, part.content.size, UInt64(part.content.chunks.count)]
    }
    #expect(part(0..<1) == [0, 10, 1])
    #expect(part(9..<10) == [0, 10, 1])
    #expect(part(9..<11) == [0, 30, 2])
    #expect(part(10..<30) == [10, 20, 1])
    #expect(part(35..<100) == [30, 10, 1])
    #expect(part(0..<100) == [0, 40, 3])
    #expect(part(40..<50) == [] && part(5..<5) == [])
    #expect(layout.part(covering: 0..<100)?.content.chunks == chunks)
    #expect(ContentLayout(chunks: [], ends: []).part(covering: 0..<9) == nil)
  }
}
