import CairnControl
import Foundation
import Testing

@testable import CairnDaemon

/// The directories that a picker shows.
@Suite struct DirectoriesTests {
  private func play(_ body: (URL, DirectoryOperations) throws -> Void) throws {
    let top = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: top) }
    let home = top.appending(path: "home")
    for name in ["home/b/inner", "home/a", "home/.hidden", "outside/secret"] {
      try FileManager.default.createDirectory(
        at: top.appending(path: name), withIntermediateDirectories: true)
    }
    try Data().write(to: home.appending(path: "file"))
    for (name, target) in [("link", top.path + "/outside"), ("up", "..")] {
      try FileManager.default.createSymbolicLink(
        atPath: home.path + "/" + name, withDestinationPath: target)
    }
    try body(home, DirectoryOperations(home: home.path))
  }

  @Test func `only directories are listed, sorted, whatever their names are`() throws {
    try play { home, operations in
      let strange: [UInt8] = [0xff, 0x0a, 0x3c]
      let path = Array((home.path + "/").utf8) + strange
      #expect(path.withPath { mkdir($0, 0o700) } == 0)
      let reply = try operations.list(nil)
      #expect(reply.path == Control.Path(home.path) && reply.home == reply.path && !reply.isCut)
      #expect(
        reply.names == [".hidden", "a", "b"].map { Control.Path($0) } + [Control.Path(strange)])
      #expect(try operations.list(Control.Path(home.path + "/b/")).names == ["inner"])
      #expect(try operations.list(Control.Path(home.path + "/a")).names == [])
    }
  }

  @Test func `nothing outside of the home is listed, not by links and not by dots`() throws {
    try play { home, operations in
      let others = [
        "/", "/etc", home.path + "/..", home.path + "/../outside", home.path + "/b/../../outside",
        home.path + "/link", home.path + "/link/secret", home.path + "/up", home.path + "x",
        "relative", "", home.path + "/./b",
      ]
      for path in others {
        let error = #expect(throws: ControlError.self) { try operations.list(Control.Path(path)) }
        #expect([.permissionFailure, .unknownItem].contains(error?.code), "\(path)")
      }
      for path in ["/missing", "/file"] {
        let error = #expect(throws: ControlError.self) {
          try operations.list(Control.Path(home.path + path))
        }
        #expect(error?.code == .unknownItem, "\(path)")
      }
      #expect(throws: ControlError.self) { try DirectoryOperations(home: nil).list(nil) }
      #expect(throws: ControlError.self) { try DirectoryOperations(home: "/").list(nil) }
    }
  }

  @Test func `of very many directories the first are listed`() throws {
    try play { home, operations in
      for number in 0...DirectoryOperations.limit {
        #expect(mkdir(home.path + "/a/\(number)", 0o700) == 0)
      }
      let reply = try operations.list(Control.Path(home.path + "/a"))
      #expect(reply.names.count == DirectoryOperations.limit && reply.isCut)
    }
  }
}
