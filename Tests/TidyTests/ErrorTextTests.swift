import Testing

/// The messages of errors below the library: programs get them, without the remedies, which are for
/// people at a terminal.
@Suite struct ErrorTextTests {
  private static let targets = [
    "CairnStore", "CairnIndex", "CairnIdentity", "CairnReplica", "CairnContainer", "CairnCloud",
    "CairnMirror",
  ]

  @Test func `the message of no error is a command line`() throws {
    let repository = Repository()
    var count = 0
    for path in repository.files() where path.hasSuffix(".swift") {
      guard Self.targets.contains(where: { path.hasPrefix("Sources/\($0)/") }) else { continue }
      let text = try repository.text(of: path)
      for found in text.matches(of: /(CloudError|\.init)\(\s*\.\w+,(?<message>[^;]*?)remedy:/) {
        count += 1
        let message = found.message
        let hasCommand = message.contains("`") || message.contains(/\bcairn [a-z]/)
        #expect(!hasCommand, "\(path): \(message)")
      }
    }
    #expect(count > 80, "the pattern finds the errors")
  }
}
