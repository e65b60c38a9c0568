import Foundation
import Testing

@testable import Simulator

/// A script that once broke a rule, in a file below `Scripts`.
///
/// They are files, and no literals, so that `cairn-simulate --script` plays the same text as the
/// test, and a changed word needs no build.
struct KeptScript: CustomTestStringConvertible, Sendable {
  var path: String
  var text: String

  var testDescription: String { (path as NSString).lastPathComponent }

  private static var folder: String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().path + "/Scripts"
  }

  static let all: [KeptScript] = {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String }
    return (names ?? []).filter { $0.hasSuffix(".script") }.sorted().compactMap { name in
      let path = folder + "/" + name
      return (try? String(contentsOfFile: path, encoding: .utf8)).map {
        KeptScript(path: path, text: $0)
      }
    }
  }()
}

@Suite(.serialized) struct KeptScriptTests {
  @Test(arguments: KeptScript.all)
  func `what once broke a rule keeps it, and each fault hits what it names`(
    _ kept: KeptScript
  ) throws {
    let (status, text) = try simulate(["--script", kept.path])
    #expect(status == 0, "\(kept.path): \(text)")
  }

  @Test(arguments: KeptScript.all)
  func `a script is written as it is read, and says what once went wrong`(
    _ kept: KeptScript
  ) throws {
    let script = try ScriptParser.parse(kept.text)
    #expect(!script.once.isEmpty && !script.rule.isEmpty)
    let lines = kept.text.split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.filter { !$0.hasPrefix("#") }.joined(separator: "\n")
    #expect(script.text == text)
  }

  @Test func `all of them are here`() {
    #expect(KeptScript.all.count >= 82)
  }
}
