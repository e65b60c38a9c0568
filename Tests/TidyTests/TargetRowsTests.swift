import Testing

/// An operation that takes a path or a share stands in the table of targets.
@Suite struct TargetRowsTests {
  private let repository = Repository()

  @Test func `every operation with a path or a share has a row in the table of targets`() throws {
    let table = try repository.text(of: "Tests/EndToEndTests/Targets/TargetTable.swift")
    let files = repository.files().filter {
      $0.hasPrefix("Sources/CairnControl/") && $0.hasSuffix(".swift")
    }
    var count = 0
    for file in files {
      for operation in Self.operations(in: try repository.text(of: file)) where operation.isNamed {
        count += 1
        let rows = table.ranges(of: "Control.\(operation.name).self").count
        #expect(rows == 1, "\(file): \(operation.name) has \(rows) rows in TargetTable.swift")
        // An operation on a share has targets, whatever its other members are.
        #expect(
          !operation.namesShare || operation.isTargeted,
          "\(file): \(operation.name) names a share and isn't a TargetedOperation")
      }
    }
    #expect(count > 60)
  }

  /// The operations that make mirrors and shares of paths: only these ask where a path is.
  private static let makers: Set<String> = [
    "AddOperation", "ContainerPlaces", "NestedShares", "PublicOperations", "RescueOperations",
    "ShareCreation", "ShareParts",
  ]

  @Test func `only the resolver turns a path that an operation names into a mount`() throws {
    let files = repository.files().filter { $0.hasPrefix("Sources/CairnDaemon/Operations/") }
    #expect(files.count > 40)
    for file in files where try repository.text(of: file).contains("mounts.find(") {
      let name = file.split(separator: "/").last?.dropLast(".swift".count) ?? ""
      #expect(Self.makers.contains(String(name)), "\(file): use TargetResolver")
    }
  }

  @Test func `an operation is found with the members of its request alone`() throws {
    let text = """
      public struct One: ControlOperation {
        public var path: Control.Path?
      }
      public struct OneReply: Codable { public var path: Control.Path }
      public struct Two: ShareOperation {
        public var share: Control.ShareReference
      }
      public struct Three: ControlOperation { public var limit: Int }
      """
    let found = Self.operations(in: text)
    #expect(found.map(\.name) == ["One", "Two", "Three"])
    #expect(found.map(\.isNamed) == [true, true, false])
    #expect(found.map(\.isTargeted) == [false, true, false])
  }

  private struct Operation {
    var name: String
    var isTargeted: Bool
    var members: String

    var namesShare: Bool { members.contains("Control.ShareReference") }
    /// True if a person names something by a path or an id.
    var isNamed: Bool {
      namesShare || members.contains(/public var \w+: \[?Control\.Path[\]?]*\n/)
    }
  }

  private static func operations(in text: String) -> [Operation] {
    text.matches(of: /public struct (\w+): (Control|Share|Targeted)Operation \{/).map { match in
      var depth = 1
      var end = match.range.upperBound
      while depth > 0, end < text.endIndex {
        depth += text[end] == "{" ? 1 : text[end] == "}" ? -1 : 0
        end = text.index(after: end)
      }
      return Operation(
        name: String(match.1), isTargeted: match.2 != "Control",
        members: text[match.range.upperBound..<end] + "\n")
    }
  }
}
