import Testing

/// The prose of comments and pages is plain: no clauses as subjects, no stacked relative clauses.
@Suite struct PlainWordsTests {
  /// The directories that keep the limits. The list may only grow.
  static let plain = [
    "Sources", "Sources/CInotifyTools", "Sources/CQREncode", "Sources/CSQLite", "Sources/CSodium",
    "Sources/CZstd", "Sources/CairnCipher", "Sources/CairnCloud", "Sources/CairnConsole",
    "Sources/CairnConsolePage",
    "Sources/CairnContainer", "Sources/CairnControl", "Sources/CairnCurl", "Sources/CairnDaemon",
    "Sources/CairnDesktop", "Sources/CairnDiagnostics", "Sources/CairnFolders",
    "Sources/CairnIdentity", "Sources/CairnIndex", "Sources/CairnMirror", "Sources/CairnPlan",
    "Sources/CairnReplica",
    "Sources/CairnSQLite", "Sources/CairnStore", "Sources/CairnSystem", "Sources/CairnThreads",
    "Sources/CairnZone", "Sources/cairn", "Sources/cairn-watch", "Sources/cairnd", "Tests",
    "Tests/Attacks", "Tests/Bench", "Tests/Browser", "Tests/Buckets", "Tests/BuiltPrograms",
    "Tests/CairnContainerTests", "Tests/CairnControlTests", "Tests/CairnDaemonTests",
    "Tests/CairnFoldersTests", "Tests/CairnIndexTests", "Tests/CairnMirrorTests",
    "Tests/CairnPlanTests",
    "Tests/CairnStoreTests", "Tests/CairnThreadsTests", "Tests/CairnZoneTests", "Tests/Desktop",
    "Tests/EndToEndTests", "Tests/Engines", "Tests/Faults", "Tests/Format", "Tests/FormatTests",
    "Tests/Fuzz", "Tests/APIDescription", "Tests/LogCases", "Tests/Model", "Tests/PlannerCases",
    "Tests/Simulator", "Tests/SimulatorProgram", "Tests/SimulatorTests", "Tests/TidyTests",
    "Tests/Torture",
    "examples", "examples/desktop", "man",
  ]

  /// The counts of each directory: a target, or a folder of pages.
  private static func counts() throws -> [String: PlainWords] {
    let repository = Repository()
    var counts: [String: PlainWords] = [:]
    for path in repository.files() {
      guard let prose = Prose(path: path, bytes: try repository.bytes(of: path)) else { continue }
      counts[directory(of: path), default: PlainWords()].add(prose)
    }
    return counts
  }

  private static func directory(of path: String) -> String {
    let parts = path.split(separator: "/")
    switch parts.count {
    case 1: return "."
    case 2: return String(parts[0])
    default: return parts[0] == "man" ? "man" : "\(parts[0])/\(parts[1])"
    }
  }

  @Test func `directories that are written in plain words stay so`() throws {
    let counts = try Self.counts()
    for directory in Self.plain {
      let count = try #require(counts[directory], "there is no prose in \(directory)")
      #expect(count.words > 0)
      #expect(count.violations.isEmpty, "\(directory): \(count.violations.joined(separator: "; "))")
    }
    for (directory, count) in counts.sorted(by: { $0.key < $1.key }) {
      let isMissing = !Self.plain.contains(directory) && count.violations.isEmpty
      print("\(directory): \(count.figures)\(isMissing ? "; add it to `plain`" : "")")
    }
  }

  // MARK: The counter itself

  private func count(_ text: String, as path: String) throws -> PlainWords {
    let prose = try #require(Prose(path: path, bytes: [UInt8](text.utf8)))
    var count = PlainWords()
    count.add(prose)
    return count
  }

  @Test func `a text in plain words keeps the limits`() throws {
    let source = "/// The position of the reader.\nlet a = 1  // It is counted from 1.\n"
    let count = try count(source, as: "Sources/A/a.swift")
    #expect(count.violations.isEmpty)
    #expect(count.words == 9 && count.docComments == 1 && count.sentences == 2)
  }

  @Test(arguments: [
    "// Whoever reads it.", "// The person whom it names.", "/* Those of\n   whom. */",
    "// One of\n// which is left.", "/// What it reads.", "/// Whether it reads.",
    "/// Who reads.", "/// Where it is.", "/// How it is read.",
  ])
  func `each word that is limited is found in a comment`(source: String) throws {
    #expect(try !count(source, as: "a.swift").violations.isEmpty)
    #expect(try count("let text = \"\"\"\n  \(source)\n  \"\"\"", as: "a.swift").words == 0)
  }

  @Test func `strings, names and code are no prose`() throws {
    let source = "let a = \"// whoever\"\nfunc `of what`() {}\nlet whom = of.which\n"
    #expect(try count(source, as: "a.swift").words == 0)
  }

  @Test func `a limit is a share of all words, or of all doc comments`() throws {
    let filler = String(repeating: "// a b c d e f g h i j\n", count: 999)
    let enough = filler + "// eight more words, and one of them is whom it.\n"
    #expect(try count(enough, as: "a.swift").relatives == 1)
    #expect(try count(enough, as: "a.swift").violations.isEmpty)
    #expect(try count(filler + "// The one whom.\n", as: "a.swift").violations.count == 1)
    #expect(try count(enough + "// Whoever.\n", as: "a.swift").violations.count == 1)
    let two = filler + "// One of which, and two of what, are ten words here.\n"
    #expect(try count(two, as: "a.swift").partitives == 2)
    #expect(try count(two, as: "a.swift").violations.isEmpty)
    #expect(try count(two + "// Of whom.\n", as: "a.swift").violations.count == 1)
    let nouns = String(repeating: "/// A name.\nlet a = 1\n", count: 19)
    #expect(try count(nouns + "/// What is left.\n", as: "a.swift").violations.isEmpty)
    #expect(
      try count(nouns + "/// What is left.\nlet a = 1\n/// How.\n", as: "a.swift").violations.count
        == 1)
  }

  @Test func `pages and documents are read without their examples`() throws {
    let page = """
      .Sh EXAMPLES
      Run the command of
      .Nm which
      or stop.
      .Bd -literal
      whoever and whom
      .Ed
      """
    let count = try count(page, as: "man/a.1")
    #expect(count.partitives == 1 && count.relatives == 0 && count.words == 8)
    let document = "# Use\n\nThose of\nwhom.\n\n```\nwhoever\n```\nThe end.\n"
    #expect(try self.count(document, as: "README.md").partitives == 1)
    #expect(try self.count(document, as: "README.md").words == 6)
    let mark = "\"\"\""
    let script = "\(mark)Whether it runs.\(mark)\n# Of what.\n\(mark)Those\n\nwhom.\n\(mark)\n"
    let python = try self.count(script, as: "a.py")
    #expect(python.docComments == 2 && python.clauses == 1)
    #expect(python.relatives == 1 && python.partitives == 1)
  }

  @Test func `long sentences and passive openings are counted, and break no limit`() throws {
    let long = "// " + String(repeating: "word ", count: 31) + "end."
    let count = try count(long + " The file is deleted here. A file.\n", as: "a.swift")
    #expect(count.sentences == 3 && count.longSentences == 1 && count.passives == 1)
    #expect(count.violations.isEmpty)
  }
}
