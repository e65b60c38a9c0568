import Testing

@testable import CairnFolders

/// A name that is taken gets a number.
struct FreeNameTests {
  private func take(_ taken: Set<String>, attempts: Int = 10) throws -> String {
    let name = FreeName.numbered(Array("f".utf8))
    let found = try FreeName.take(attempts: attempts, name) { name throws(FolderError) in
      guard !taken.contains(String(decoding: name, as: UTF8.self)) else {
        throw FolderError(.exists, name, "the name is taken")
      }
      return name
    }
    return String(decoding: found, as: UTF8.self)
  }

  @Test(arguments: [([], "f"), (["f"], "f 2"), (["f", "f 2"], "f 3"), (["f 2"], "f")])
  func `the first free name is taken`(_ taken: [String], _ expected: String) throws {
    #expect(try take(Set(taken)) == expected)
  }

  @Test func `a single allowed name that is taken is reported`() {
    #expect(throws: FolderError.self) { try take(["f"], attempts: 1) }
  }

  @Test func `another error is no reason for another name`() {
    var attempts = 0
    #expect(throws: FolderError.self) {
      try FreeName.take(FreeName.numbered([])) { name throws(FolderError) in
        attempts += 1
        throw FolderError(.denied, name, "no right")
      }
    }
    #expect(attempts == 1)
  }
}
