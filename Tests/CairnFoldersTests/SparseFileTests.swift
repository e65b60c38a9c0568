import CairnFolders
import CairnZone
import Foundation
import Testing

@testable import CairnReplica

/// A file with holes needs no more space at its destination.
@Suite struct SparseFileTests {
  /// Writes bytes in pieces of some size. Returns the bytes in the file, and the size of its holes.
  private func written(_ bytes: [UInt8], by piece: Int) throws -> (bytes: [UInt8], holes: Int) {
    var (result, holes) = ([UInt8](), 0)
    func act(_ act: ZeroRuns.Act) {
      switch act {
      case .write(let bytes): result += bytes
      case .skip(let count):
        holes += count
        result += [UInt8](repeating: 0, count: count)
      }
    }
    var runs = ZeroRuns()
    for start in stride(from: 0, to: bytes.count, by: piece) {
      try bytes[start..<min(bytes.count, start + piece)].withUnsafeBytes { try runs.take($0, act) }
    }
    let size = try runs.finish(act)
    #expect(size == nil || size == bytes.count)
    // A hole at the end only exists once the size says so.
    #expect(size != nil || bytes.isEmpty || holes == 0 || bytes.last != 0 || holes < bytes.count)
    return (result, holes)
  }

  @Test(arguments: [1_000, 4_096, 5_000, 1 << 20])
  func `the bytes are the same for any pieces, and long runs of zeros are holes`(
    piece: Int
  ) throws {
    let zeros = [UInt8](repeating: 0, count: 65_536)
    let data = [UInt8](repeating: 7, count: 5_000)
    let files: [(bytes: [UInt8], holes: Int)] = [
      ([], 0), (data, 0), (zeros, 65_536), ([0], 0), (Array(zeros.prefix(20_000)), 0),
      (data + zeros + data, 61_440), (data + zeros, 62_344), (zeros + data, 65_536),
      (data + Array(zeros.prefix(20_000)) + data, 0),
    ]
    for file in files {
      let done = try written(file.bytes, by: piece)
      #expect(done.bytes == file.bytes)
      if piece >= 4_096, piece % 4_096 == 0 { #expect(done.holes == file.holes) }
      #expect((done.holes > 0) == (file.holes > 0))
    }
  }

  @Test(arguments: [0, 100])
  func `a file with a hole has one at its destination`(end: Int) throws {
    let world = try HostileWorld()
    let size = 8 << 20
    var rest =
      Data(repeating: 7, count: 10_000) + Data(count: size) + Data(repeating: 7, count: end)
    let content = try world.mallory.ingest { room in
      let count = min(room.count, rest.count)
      room.copyBytes(from: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
    var file = try HostileWorld.file("s", world.mallory, "")
    file.content = content
    try world.play([file])
    var status = stat()
    try #require(stat("\(world.folder)/s", &status) == 0)
    #expect(Int(status.st_size) == 10_000 + size + end)
    #expect(status.st_blocks * 512 < 1 << 20, "\(status.st_blocks) blocks")
    #expect(try world.lookAgain().isEmpty)
    #expect(try world.differingFiles().isEmpty)
  }
}
