import CairnControl
import CairnFolders
import Foundation
import Testing

@testable import CairnDaemon

/// Files that arrive in pieces, and the rules that would keep them out of the mirror.
struct IncomingFileTests {
  private func play(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(
      at: folder.appending(path: ".cairn/staging"), withIntermediateDirectories: true)
    try body(folder)
  }

  @Test func `an incomplete file is not placed`() throws {
    try play { folder in
      let bytes = Array(folder.path.utf8)
      let incoming = IncomingFile(in: bytes, id: "one", path: Control.Path(bytes))
      #expect(try incoming.append([1, 2, 3], at: 0) == 3)
      #expect(throws: ControlError.self) {
        try incoming.place(at: [Array("name".utf8)], size: 4)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [".cairn"])
      let again = IncomingFile(in: bytes, id: "two", path: Control.Path(bytes))
      #expect(try again.append([1, 2, 3], at: 0) == 3)
      let path = try again.place(at: [Array("name".utf8)], size: 3)
      #expect(path == Array("name".utf8))
      #expect(try Data(contentsOf: folder.appending(path: "name")) == Data([1, 2, 3]))
    }
  }

  @Test func `a name that is never mirrored has a rule`() throws {
    try play { folder in
      try FileManager.default.createDirectory(
        at: folder.appending(path: "sub/logs"), withIntermediateDirectories: true)
      try Data("*.raw\n".utf8).write(to: folder.appending(path: ".cairnignore"))
      try Data("logs/\n".utf8).write(to: folder.appending(path: "sub/.cairnignore"))
      func rule(_ path: String, isEmpty: Bool = false) throws -> String? {
        let names = path.split(separator: "/").map { Array($0.utf8) }
        let rule = try NewFileRule(
          ignoring: names, isEmpty: isEmpty, in: Array(folder.path.utf8))
        return rule.map {
          String(decoding: ($0.file ?? []) + [UInt8(ascii: ":")] + $0.pattern, as: UTF8.self)
        }
      }
      #expect(try rule("~$x") == ":~$*")
      #expect(try rule("x.part") == ":*.part")
      #expect(try rule("sub/a~") == ":*~")
      #expect(try rule("sub/x.raw") == ".cairnignore:*.raw")
      #expect(try rule("sub/logs/x") == "sub/.cairnignore:logs/")
      #expect(try rule("sub/x") == nil)
      #expect(try rule("4913", isEmpty: true) == ":4913")
      #expect(try rule("4913") == nil)
    }
  }
}
