import CairnControl
import Foundation
import JSONPage
import Testing

/// cairn-json(7) describes every answer as the types of answers do. The end-to-end tests compare
/// real answers with the page.
@Suite struct JSONPageTests {
  private let page: JSONPage

  init() throws { page = try JSONPage() }

  @Test func `each command's answer is on the page, and no other answer is`() {
    #expect(page.strangers.isEmpty)
    let commands = Set(Commands.all.map { $0.joined(separator: " ") })
    for command in commands { #expect(page.answers[command] != nil, "\(command)") }
    let others: Set<String> = ["can modify", "history forget"]
    #expect(Set(page.answers.keys).subtracting(commands).subtracting(others).isEmpty)
  }

  @Test func `an answer has the names of its commands`() {
    var commands: [String: Set<String>] = [:]
    for (command, objects) in page.answers {
      for object in objects { commands[object, default: []].insert(command) }
    }
    for (object, commands) in commands {
      let named = page.tellers[object] ?? []
      // Very many commands change a share, so the page names two of them.
      #expect(
        object == "ShareReply" ? named.isSubset(of: commands) : named == commands,
        "\(object): \(named.sorted()) for \(commands.sorted())")
    }
  }

  @Test func `each object is part of an answer, and each type is explained`() {
    var reached = Set(page.answers.values.joined())
    reached.formUnion(["ControlError", "Progress"])
    var rest = Array(reached)
    while let type = rest.popLast() {
      for member in (page.objects[type] ?? [:]).values where reached.insert(member.type).inserted {
        rest.append(member.type)
      }
    }
    #expect(reached.subtracting(JSONPage.plain) == Set(page.objects.keys).union(page.words.keys))
  }

  @Test func `an optional key has its condition on the page`() {
    for (type, members) in page.objects {
      for (key, member) in members {
        let saysWhen = member.text.contains("Missing ") || member.text.contains("Only ")
        #expect(saysWhen == member.isOptional, "\(type).\(key):\(member.text)")
      }
    }
  }

  @Test func `each object has the keys of its type, and each word is one of its type's`() throws {
    let types = try AnswerTypes()
    for (type, members) in page.objects {
      let said = members.mapValues {
        AnswerTypes.Member(type: $0.type, isList: $0.isList, isOptional: $0.isOptional)
      }
      #expect(types.objects[type] == said, "\(type)")
    }
    for (type, words) in page.words { #expect(types.words[type] == words, "\(type)") }
  }

  @Test func `an answer that the page doesn't describe is found`() throws {
    func mistakes(_ json: String, _ names: [String]) throws -> [String] {
      var check = JSONCheck(page)
      check.take(
        try ControlJSON.decode(JSONValue.self, from: Array(json.utf8)), as: names, from: "it")
      return check.mistakes
    }
    #expect(try mistakes(#"{"pid":1,"version":"2"}"#, ["PingReply"]).isEmpty)
    #expect(try mistakes(#"{"pid":1,"version":"2"}"#, ["StopReply", "PingReply"]).isEmpty)
    #expect(try !mistakes(#"{"pid":1}"#, ["PingReply"]).isEmpty)
    #expect(try !mistakes(#"{"pid":1,"version":2}"#, ["PingReply"]).isEmpty)
    #expect(try !mistakes(#"{"pid":"1","version":"2"}"#, ["PingReply"]).isEmpty)
    #expect(try !mistakes(#"{"pid":1,"version":"2","more":1}"#, ["PingReply"]).isEmpty)
    #expect(try !mistakes(#"{"pid":1,"version":"2"}"#, []).isEmpty)
    #expect(try mistakes(#"{"pid":null}"#, ["StopReply"]).count == 1)
    #expect(try mistakes("{}", ["StopReply"]).isEmpty)
    let reason = #"{"verb":"read","allowed":true,"reason":"x"}"#
    #expect(try mistakes(#"{"path":"/a","permits":[\#(reason)]}"#, ["CanReply"]).isEmpty)
    #expect(try !mistakes(#"{"path":"/a","permits":\#(reason)}"#, ["CanReply"]).isEmpty)
    let other = reason.replacing("read", with: "fly")
    #expect(try mistakes(#"{"path":"/a","permits":[\#(other)]}"#, ["CanReply"]).count == 1)
    let name = #"{"base64":"/w==","text":"\\xFF"}"#
    #expect(try mistakes(#"{"path":\#(name),"permits":[]}"#, ["CanReply"]).isEmpty)
  }
}

/// The types of answers, as they are in the sources.
struct AnswerTypes {
  struct Member: Equatable {
    var type: String
    var isList: Bool
    var isOptional: Bool
  }

  private(set) var objects: [String: [String: Member]] = [:]
  private(set) var words: [String: Set<String>] = [:]

  init() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    let control = sources.appending(path: "CairnControl").path
    let files = FileManager.default.enumerator(atPath: control)?.compactMap { $0 as? String } ?? []
    for file in files where file.hasSuffix(".swift") { try read(control + "/" + file) }
    for file in ["FileComparison", "VersionCommands"] {
      try read(sources.appending(path: "cairn/\(file).swift").path)
    }
    words["ErrorCode"] = Set(Control.ErrorCode.allCases.map(\.rawValue))
  }

  /// Reads a file by the form that all these files have: a member is two columns to the right of
  /// its type.
  private mutating func read(_ file: String) throws {
    var open: (name: String, indent: Int, isWords: Bool)?
    for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") {
      let indent = line.prefix { $0 == " " }.count
      if let match = line.firstMatch(of: /(?:struct|enum) (\w+)(?:: (.*))? \{$/) {
        let conforms = match.output.2 ?? ""
        open = (String(match.output.1), indent, conforms.hasPrefix("String"))
      } else if let type = open, line.trimmingPrefix(while: { $0 == " " }) == "}",
        indent == type.indent
      {
        open = nil
      } else if let type = open, indent == type.indent + 2 {
        take(line, type.name, isWords: type.isWords)
      }
    }
  }

  private mutating func take(_ line: Substring, _ type: String, isWords: Bool) {
    if isWords {
      guard let match = line.firstMatch(of: /^ *case `?(\w+)`?(?: = "(.*)")?$/) else { return }
      words[type, default: []].insert(String(match.output.2 ?? match.output.1))
    } else if let match = line.firstMatch(
      of: /^ *(?:public var|public let|let) (\w+): (\[)?(?:Control\.)?(\w+)\]?(\?)?$/)
    {
      objects[type, default: [:]][String(match.output.1)] = Member(
        type: Self.plain[String(match.output.3)] ?? String(match.output.3),
        isList: match.output.2 != nil, isOptional: match.output.4 != nil)
    }
  }

  private static let plain = [
    "String": "string", "Int": "integer", "Int32": "integer", "Int64": "integer",
    "UInt16": "integer", "UInt32": "integer", "UInt64": "integer", "Double": "number",
    "Bool": "boolean", "Path": "path", "Time": "time",
  ]
}
