import CairnControl
import Foundation
import Testing

extension EndToEnd {
  /// The requests of a console's page to a real daemon.
  @Suite struct ConsoleTests {
    private func client(of person: Person) throws -> ControlClient {
      ControlClient(home: try Home(environment: ["CAIRN_HOME": person.home.path]))
    }

    /// Returns the bytes of a file as a page gets them.
    private func read(
      _ path: String, version: UInt64? = nil, limit: Int64? = nil, by person: Person
    ) throws -> Data {
      var bytes = Data()
      let request = Control.ReadContent(path: .init(path), version: version, limit: limit)
      _ = try client(of: person).call(request) { line throws(ControlError) in
        for piece in try line.items(String.self) { bytes += Data(base64Encoded: piece) ?? Data() }
      }
      return bytes
    }

    @Test func `a page reads the present file and former versions`() throws {
      try TwoPeople.playSharing { people in
        let path = people.ana.folder.path + "/long"
        let (first, second) = (String(repeating: "one\n", count: 100_000), "two")
        try people.ana.folder.write(first, to: "long")
        try people.settle()
        try people.ana.folder.write(second, to: "long")
        try people.settle()
        #expect(try read(path, by: people.ana) == Data(second.utf8))
        #expect(try read(path, limit: 2, by: people.ana) == Data("tw".utf8))
        let json = try people.bob.cairn("history", people.bob.folder.path + "/long", "--json")
          .output
        let history = try ControlJSON.decode(Control.HistoryReply.self, from: json)
        let made = try #require(history.entries.last)
        let theirs = people.bob.folder.path + "/long"
        #expect(try read(theirs, version: made.version, by: people.bob) == Data(first.utf8))
        // No temporary file is left.
        let names = try FileManager.default.contentsOfDirectory(atPath: people.bob.home.path)
        #expect(!names.contains { $0.hasPrefix("content-") })
      }
    }

    @Test func `a page reads files of mirrored folders, and nothing else of the machine`() throws {
      try TwoPeople.playSharing { people in
        let folder = people.ana.folder.path
        try people.root.write("secret", to: "outside")
        try people.ana.folder.write("text", to: "file")
        try people.ana.folder.make("sub")
        let manager = FileManager.default
        for (name, target) in [("link", "../outside"), ("way", ".."), ("own", "file")] {
          try manager.createSymbolicLink(
            atPath: "\(folder)/\(name)", withDestinationPath: target)
        }
        #expect(mkfifo("\(folder)/pipe", 0o600) == 0)
        try people.ana.wait()
        #expect(try read("\(folder)/file", by: people.ana) == Data("text".utf8))
        let others = [
          people.root.path + "/outside", "/etc/passwd", "\(folder)/../outside", "\(folder)/link",
          "\(folder)/way/outside", "\(folder)/own", "\(folder)/sub/../../outside", folder,
          "\(folder)/sub", "\(folder)/pipe", "\(folder)/.cairn/zone", "\(folder)/./.cairn/zone",
          "\(folder)/sub/../.cairn/zone", "\(folder)/.cairn", "\(folder)/.cairn/rescue/../zone",
          "\(folder)//.cairn/zone", people.ana.home.path + "/cairn.conf",
          people.ana.home.path + "/rescue/../cairn.conf", people.ana.home.path + "/rescue",
          "relative",
        ]
        for path in others {
          let error = #expect(throws: ControlError.self) { try read(path, by: people.ana) }
          #expect(error?.code != .internalError, "\(path): \(String(describing: error))")
        }
      }
    }

    private func upload(
      _ text: String, to path: String, id: String, at offset: Int64 = 0, isLast: Bool = true,
      by person: Person
    ) throws -> Control.UploadReply {
      let request = Control.Upload(
        path: .init(path), id: id, offset: offset, piece: Data(text.utf8).base64EncodedString(),
        isLast: isLast)
      return try client(of: person).call(request).reply
    }

    @Test func `a page uploads into mirrored folders, in pieces, and replaces nothing`() throws {
      try TwoPeople.playSharing("read-only") { people in
        let folder = people.ana.folder.path
        let id = String(repeating: "0a", count: 16)
        try people.ana.folder.write("text", to: "file")
        try people.ana.folder.make("sub")
        let manager = FileManager.default
        try manager.createSymbolicLink(atPath: "\(folder)/way", withDestinationPath: "..")
        try people.ana.wait()
        let first = try upload("one", to: "\(folder)/file", id: id, isLast: false, by: people.ana)
        #expect(first == Control.UploadReply(size: 3))
        // A repeated piece, and a missing one.
        for offset in [Int64(0), 4] {
          #expect(throws: ControlError.self) {
            try upload("x", to: "\(folder)/file", id: id, at: offset, by: people.ana)
          }
        }
        let last = try upload("two", to: "\(folder)/file", id: id, at: 3, by: people.ana)
        #expect(last == Control.UploadReply(size: 6, path: .init("\(folder)/file 2")))
        #expect(try String(contentsOfFile: "\(folder)/file", encoding: .utf8) == "text")
        #expect(try String(contentsOfFile: "\(folder)/file 2", encoding: .utf8) == "onetwo")
        let others = [
          people.root.path + "/outside", "\(folder)/../outside", "\(folder)/way/outside", folder,
          "\(folder)/sub/../../outside", "\(folder)/.cairn/zone", "\(folder)/.cairn/rescue/new",
          "\(folder)/sub/../.cairn/new", "\(folder)/missing/new", "\(folder)/sub/", "relative",
        ]
        for (number, path) in others.enumerated() {
          let id = String(repeating: "0", count: 30) + String(10 + number)
          let error = #expect(throws: ControlError.self) {
            try upload("x", to: path, id: id, by: people.ana)
          }
          #expect(error?.code != .internalError, "\(path): \(String(describing: error))")
        }
        #expect(!manager.fileExists(atPath: people.root.path + "/outside"))
        let staged = try manager.contentsOfDirectory(atPath: "\(folder)/.cairn/staging")
        #expect(staged.filter { $0.hasPrefix("upload-") } == [], "no incomplete file is left")
        try people.settle()
        let error = #expect(throws: ControlError.self) {
          try upload("x", to: people.bob.folder.path + "/new", id: id, by: people.bob)
        }
        #expect(error?.code == .permissionFailure)
      }
    }

    @Test func `a page reads rescued files`() throws {
      try TwoPeople.playSharing("read-only") { people in
        try people.ana.folder.write("hers", to: "file")
        try people.settle()
        let copy = people.bob.folder.path + "/file"
        #expect(chmod(copy, 0o644) == 0)
        try people.bob.folder.write("his", to: "file")
        try people.bob.wait()
        let json = try people.bob.cairn("rescue", "list", "--json").output
        let rescued = try ControlJSON.decode(Control.RescueReply.self, from: json).entries
        let path = try #require(rescued.first?.rescued.path.text)
        #expect(try read(path, by: people.bob) == Data("his".utf8))
      }
    }
  }
}
