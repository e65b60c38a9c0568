import CairnControl
import Testing

extension EndToEnd {
  /// Answers that are longer than the 4 MiB that a client may be behind with reading.
  @Suite struct LongListTests {
    @Test func `folders and logs of any length are listed, for people and programs`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        // Few files with long paths make a long list in a short time.
        let deep = try ana.fillDeep(directories: 14, files: 1_300)
        try ana.cairn("add", ana.folder.path)
        try ana.wait()
        let raw = try ana.cairn("ls", "-r", "-0", ana.folder.path).output
        #expect(raw.count > 4 << 20)
        #expect(raw.count { $0 == 0 } == deep.count)
        let list = try ana.answer(Control.ListReply.self, "ls", "-r", ana.folder.path)
        let root = Array(ana.folder.path.utf8) + [UInt8(ascii: "/")]
        #expect(list.entries.map(\.path.bytes) == deep.map { root + $0 })
        #expect(list.entries.allSatisfy { $0.state == .synced })
        let log = try ana.answer(Control.LogReply.self, "log", ana.folder.path)
        #expect(Set(log.entries.flatMap(\.changes).compactMap(\.path?.bytes)).isSuperset(of: deep))
      }
    }
  }
}

extension Person {
  /// Makes nested directories, and files in the innermost one. Returns the paths as a list shows
  /// them.
  fileprivate func fillDeep(directories: Int, files: Int) throws -> [[UInt8]] {
    let long = String(repeating: "d", count: 240)
    try folder.make("")
    var inner: Name = "\(long)"
    var paths: [[UInt8]] = []
    for depth in 0..<directories {
      if depth > 0 { inner = inner / "\(long)" }
      try folder.make(inner)
      paths.append(inner.bytes)
    }
    for number in 0..<files {
      let file = inner / "\(1_000_000 + number)"
      try folder.write("", to: file)
      paths.append(file.bytes)
    }
    return paths
  }
}
