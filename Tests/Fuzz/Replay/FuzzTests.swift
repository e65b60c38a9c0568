import CairnControl
import Foundation
import Testing

/// Runs the corpora of the fuzzers, including past findings, through the same functions.
@Suite struct FuzzTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func inputs(of target: String) throws -> [(name: String, bytes: [UInt8])] {
    let own = folder.appending(path: "Corpus/\(target)")
    return try FileManager.default.contentsOfDirectory(atPath: own.path).sorted().map { name in
      (name, [UInt8](try Data(contentsOf: own.appending(path: name))))
    }
  }

  @Test(arguments: FuzzTarget.all.map(\.name)) func `no input of the corpus breaks a promise`(
    name: String
  ) throws {
    let target = try #require(FuzzTarget.named(name))
    let inputs = try Self.inputs(of: name)
    #expect(!inputs.isEmpty, "Tests/Fuzz/Corpus/\(name) is empty")
    for input in inputs {
      #expect(throws: Never.self, "Corpus/\(name)/\(input.name)") { try target.check(input.bytes) }
    }
  }

  @Test(arguments: FuzzTarget.all.map(\.name)) func `no flipped or missing byte breaks a promise`(
    name: String
  ) throws {
    let target = try #require(FuzzTarget.named(name))
    for seed in try target.seeds() {
      try target.check(seed)
      for index in stride(from: 0, to: seed.count, by: 1 + seed.count / 64) {
        var flipped = seed
        flipped[index] ^= 1 << UInt8(index % 8)
        try target.check(flipped)
        try target.check(Array(seed.prefix(index)))
      }
    }
    #expect(try !target.seeds().isEmpty)
  }

  @Test func `every operation of cairnd(8) is fuzzed`() throws {
    let page = try String(
      contentsOf: Self.folder.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "man/cairnd.8"), encoding: .utf8)
    let names = FuzzedOperations.all.map { $0.name }
    #expect(Set(names).count == names.count)
    // The operations are between the kinds of answer lines and the daemon's refusals.
    let lines = page.split(separator: "\n")
    let start = try #require(lines.firstIndex(of: ".Li error ."))
    let end = try #require(lines.firstIndex(of: ".Li requestRateLimited ."))
    let listed = lines[(start + 1)..<end].filter { $0.hasPrefix(".Li ") }
      .map { String($0.dropFirst(4).prefix { $0 != " " }) }
    #expect(listed.count > 40)
    for name in listed { #expect(names.contains(name), "enter \(name) in FuzzedOperations") }
  }

  @Test func `the corpora stay small`() throws {
    var bytes = 0
    for target in FuzzTarget.all {
      bytes += try Self.inputs(of: target.name).reduce(0) { $0 + $1.bytes.count }
    }
    #expect(bytes < 1 << 20)
  }
}
