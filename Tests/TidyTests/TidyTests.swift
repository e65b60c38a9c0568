import Testing

/// Every file of the project keeps the rules of the house.
struct TidyTests {
  private let repository = Repository()

  @Test func `every Swift source keeps the rules of the house`() throws {
    let sources = try repository.swiftSources()
    #expect(sources.count > 20, "the project's sources were not found at \(repository.root)")
    let violations = sources.flatMap { Rules.violations(in: $0) }
    #expect(violations.count == 0, "\(list(violations))")
  }

  @Test func `no folder of a target uses one above it`() throws {
    let violations = Rooms.violations(in: try repository.swiftSources())
    #expect(violations.count == 0, "\(list(violations))")
  }

  @Test func `no type is too large over all its files`() throws {
    let violations = TypeSizes.violations(in: try repository.swiftSources())
    #expect(violations.count == 0, "\(list(violations))")
  }

  @Test func `each table of an index is written by one type`() throws {
    let violations = TableWriters.violations(in: try repository.swiftSources())
    #expect(violations.count == 0, "\(list(violations))")
  }

  @Test func `C sources keep the limits on lines`() throws {
    let paths = repository.files().filter { $0.hasSuffix(".c") || $0.hasSuffix(".h") }
    #expect(!paths.isEmpty)
    let violations = try paths.flatMap {
      Rules.lengths(of: SwiftSource(path: $0, bytes: try repository.bytes(of: $0)))
    }
    #expect(violations.count == 0, "\(list(violations))")
  }

  @Test func `every target stands in the table of layers`() {
    let targets = Set(
      repository.files().filter { $0.hasPrefix("Sources/") }
        .map { $0.split(separator: "/") }.filter { $0.count > 2 }.map { String($0[1]) })
    let known = Set(Layers.allowed.keys).union(Layers.inC)
    #expect(targets == known)
  }

  @Test func `no file is larger than 320 KiB`() throws {
    let large = try repository.files().filter {
      try repository.bytes(of: $0).count > Rules.bytesPerFile
    }
    #expect(large.isEmpty)
  }

  @Test func `no file names a path of the machine that it was written on`() throws {
    // The paths are split so that this file names none.
    let paths = ["/wo" + "rk/", "/tmp" + "/h-"]
    let naming = try repository.files().filter { file in
      let text = try repository.text(of: file)
      return paths.contains { text.contains($0) }
    }
    #expect(naming.isEmpty)
  }

  @Test func `every source of cairn-watch says its licence, and no other does`() throws {
    // The text is split so that it isn't taken for the licence of this file.
    let mark = "SPDX-License-" + "Identifier: GPL-2.0-only"
    for path in repository.files() where path.hasPrefix("Sources/") {
      let isSource = [".swift", ".c", ".h"].contains { path.hasSuffix($0) }
      guard isSource else { continue }
      let says = try repository.text(of: path).contains(mark)
      let isWatch = path.hasPrefix("Sources/cairn-watch/")
      let isShim = path.hasPrefix("Sources/CInotifyTools/")
      #expect(says == isWatch || isShim, "\(path) must\(isWatch ? "" : " not") say “\(mark)”")
    }
  }

  @Test(arguments: ["README.md", "NOTICE"])
  func `both licences are named`(in file: String) throws {
    let text = try repository.text(of: file)
    #expect(text.contains("Apache-2.0"))
    #expect(text.contains("GPL-2.0-only"))
  }

  @Test func `both licences are here in full`() throws {
    #expect(try repository.text(of: "LICENSE").contains("Apache License"))
    let copying = try repository.text(of: "Sources/cairn-watch/COPYING")
    #expect(copying.contains("GNU GENERAL PUBLIC LICENSE"))
  }

  @Test(arguments: [
    "README.md", "CONTRIBUTING.md", "Sources/ARCHITECTURE.md", "examples/README.md",
    "Tests/README.md", "Tests/Model/README.md", "Tests/SimulatorTests/README.md",
  ])
  func `every path that a document names is there`(in document: String) throws {
    let folder = document.split(separator: "/").dropLast().map { $0 + "/" }.joined()
    let text = try repository.text(of: document)
    let missing = Links.named(in: text, folder: folder).filter { !repository.exists($0) }
    #expect(missing.isEmpty)
  }

  @Test(arguments: ["README.md", "Sources/ARCHITECTURE.md", "Sources/GLOSSARY.md"])
  func `each row of a table has all of its cells`(in document: String) throws {
    var width: Int?
    let lines = try repository.text(of: document).split(
      separator: "\n", omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      guard line.hasPrefix("|") else {
        width = nil
        continue
      }
      // What is code may contain the separator.
      let cells = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .reduce(0) { sum, part in
          sum + (part.offset.isMultiple(of: 2) ? part.element.count { $0 == "|" } : 0)
        }
      #expect(cells == width ?? cells, "\(document):\(number + 1)")
      width = width ?? cells
    }
  }

  @Test func `every document that a file mentions is in the project`() throws {
    let files = repository.files()
    let names = Set(files.compactMap { $0.split(separator: "/").last.map(String.init) })
    #expect(names.contains("ARCHITECTURE.md"))
    let absent = try files.flatMap { file in
      try Links.documents(in: repository.text(of: file)).subtracting(names).map {
        Violation(file, 1, "`\($0)` isn't in the project; say what it says")
      }
    }
    #expect(absent.isEmpty, "\(list(absent))")
  }

  private func list(_ violations: [Violation]) -> String {
    "\(violations.count) to mend:\n" + violations.map(\.description).joined(separator: "\n")
  }
}
