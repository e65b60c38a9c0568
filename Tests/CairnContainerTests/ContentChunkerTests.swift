import CairnZone
import Testing

@testable import CairnReplica

@Suite struct ContentChunkerTests {
  private func cuts(_ bytes: [UInt8]) -> [Int] {
    bytes.withUnsafeBytes { bytes in
      var lengths: [Int] = []
      var offset = 0
      while offset < bytes.count {
        let length = Chunker.cut(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
        lengths.append(length)
        offset += length
      }
      return lengths
    }
  }

  /// The rule as content.proto describes it, one byte at a time.
  private func plainCut(_ bytes: ArraySlice<UInt8>) -> Int {
    var state: UInt64 = 0x6361_6972_6e2d_7631
    let gear: [UInt64] = (0..<256).map { _ in
      state &+= 0x9e37_79b9_7f4a_7c15
      let first = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
      let second = (first ^ (first >> 27)) &* 0x94d0_49bb_1331_11eb
      return second ^ (second >> 31)
    }
    guard bytes.count > 65536 else { return bytes.count }
    var hash: UInt64 = 0
    for index in 65536..<min(bytes.count, 1_048_576) {
      hash = (hash &<< 1) &+ gear[Int(bytes[bytes.startIndex + index])]
      let mask: UInt64 = index < 262_144 ? 0x7fff_f800_0000_0000 : 0x7fff_8000_0000_0000
      if hash & mask == 0 { return index + 1 }
    }
    return min(bytes.count, 1_048_576)
  }

  @Test func `cuts are in the places that the published rule gives`() {
    let noise = ContentPieces.noise(3 << 20, seed: 5)
    var rest = noise[...]
    var expected: [Int] = []
    while !rest.isEmpty {
      expected.append(plainCut(rest))
      rest = rest.dropFirst(expected[expected.count - 1])
    }
    #expect(cuts(noise) == expected)
    #expect(expected.count > 5)
  }

  @Test func `cuts of known bytes never move from version to version`() {
    #expect(
      cuts(ContentPieces.noise(2 << 20)) == [
        329149, 108053, 307262, 431461, 280930, 357066, 283231,
      ])
    #expect(cuts([UInt8](repeating: 0, count: 3 << 20)) == [1 << 20, 1 << 20, 1 << 20])
  }

  @Test(arguments: [0, 1, 65535, 65536])
  func `a small content is one chunk, and an empty one has none`(count: Int) {
    #expect(cuts(ContentPieces.noise(count)) == (count == 0 ? [] : [count]))
  }

  @Test func `all chunks keep the upper limit, and all but the last the lower one`() {
    let lengths = cuts(ContentPieces.noise(4 << 20, seed: 3) + ContentPieces.text(2 << 20))
    #expect(lengths.allSatisfy { $0 <= Chunker.maximum })
    #expect(lengths.dropLast().allSatisfy { $0 > Chunker.minimum })
    #expect(lengths.reduce(0, +) == 6 << 20)
  }

  @Test func `names and ids follow the published rule`() {
    let name = ContentPieces.text(100).withUnsafeBytes { ChunkName.digest(of: $0) }
    #expect(
      name.description
        == "f0db95f8eba15fc7e14e9227b81406a1c128c2791ed31568bceca5574570af91")
    #expect(
      Content(size: 100, chunks: [name]).id.description
        == "aae565445ce558772404e277f9be7dbd3c8cf5da7222cb483ab184c3d97f6992")
  }
}
