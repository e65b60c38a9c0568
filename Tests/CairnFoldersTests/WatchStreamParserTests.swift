import CairnFolders
import Testing

@Suite struct WatchStreamParserTests {
  static let stream: [UInt8] =
    Array("ready 1 5\0changed 2 31 a b\nc\0written 1 0 ".utf8) + [0xFF, 0x20, 0xC3]
    + Array(
      "\0writing 1 18446744073709551615  x\0tree 1 7 \0overflow\0limit 3 d/e\0lost 1\0unwatched 2\0"
        .utf8)
    + Array("synced 77\0failed 4 cannot watch /x: gone\0".utf8)

  static let events: [WatchEvent] = [
    .ready(root: 1, directories: 5),
    .changed(root: 2, hint: FolderHint(Array("a b\nc".utf8), directory: 31)),
    .written(root: 1, hint: FolderHint([0xFF, 0x20, 0xC3])),
    .writing(root: 1, hint: FolderHint(Array(" x".utf8), directory: .max)),
    .tree(root: 1, hint: FolderHint([], directory: 7)), .overflow,
    .limit(root: 3, path: Array("d/e".utf8)),
    .lost(root: 1), .unwatched(root: 2), .synced(token: 77),
    .failed(root: 4, message: "cannot watch /x: gone"),
  ]

  @Test func `a stream split at any byte gives the same events`() throws {
    for split in 0...Self.stream.count {
      var parser = WatchStreamParser()
      let first = try parser.parse(Self.stream[..<split])
      let second = try parser.parse(Self.stream[split...])
      #expect(first + second == Self.events)
    }
  }

  @Test func `a stream that arrives byte by byte gives the same events`() throws {
    var parser = WatchStreamParser()
    var events: [WatchEvent] = []
    for index in Self.stream.indices { events += try parser.parse(Self.stream[index...index]) }
    #expect(events == Self.events)
  }

  @Test(arguments: [
    "", "overflow 1", "changed", "changed 1", "changed x y", "changed -1 y", "ready 1 many",
    "lost 1 a", "lost ", "synced", "renamed 1 2 a", "changed 99999999999999999999 2 a",
    "changed 1 2", "changed 1  a",
    "changed 1 x a", "changed 1 99999999999999999999 a", "tree 1 a",
  ])
  func `an event that the manual does not describe is refused`(event: String) {
    var parser = WatchStreamParser()
    #expect(throws: WatchStreamError(event: Array(event.utf8))) {
      _ = try parser.parse(Array(event.utf8) + [0])
    }
  }
}
