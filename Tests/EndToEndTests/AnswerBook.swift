import CairnControl
import JSONPage
import Synchronization
import Testing

/// Holds each answer in JSON that any of these tests gets against cairn-json(7), and remembers what
/// came.
final class AnswerBook: Sendable {
  /// Of all tests.
  static let shared = AnswerBook()

  private let page: JSONPage?
  private let check: Mutex<JSONCheck?>

  init() {
    do {
      let page = try JSONPage()
      self.page = page
      check = Mutex(JSONCheck(page))
    } catch {
      Issue.record("cairn-json(7) can't be read: \(error)")
      page = nil
      check = Mutex(nil)
    }
  }

  /// The objects that came so far.
  var objects: Set<String> { check.withLock { $0?.objects ?? [] } }
  /// The optional keys that came so far, as `Object.key`.
  var optional: Set<String> { check.withLock { $0?.optional ?? [] } }

  /// Takes what a command printed; a mistake in it is an issue of the test that ran it.
  func take(_ outcome: Program.Outcome, of arguments: [String]) {
    guard let page else { return }
    let words = arguments.filter { !$0.hasPrefix("-") }
    let what = "cairn " + arguments.joined(separator: " ")
    for line in outcome.text.split(separator: "\n") {
      do {
        let value = try ControlJSON.decode(JSONValue.self, from: Array(line.utf8))
        let mistakes = check.withLock { check in
          let before = check?.mistakes.count ?? 0
          check?.take(Self.inside(value), as: Self.names(value, words, page), from: what)
          return check?.mistakes.dropFirst(before).map { $0 } ?? []
        }
        for mistake in mistakes { Issue.record("\(mistake)") }
      } catch {
        Issue.record("\(what) printed what is no JSON: \(line.prefix(200))")
      }
    }
    // Of events there may be none.
    if outcome.text.isEmpty, words.first != "events" {
      Issue.record("\(what) printed nothing: \(outcome.errors)")
    }
  }

  /// What is checked of a line: an error and how far work has come stand in an object of their own.
  private static func inside(_ value: JSONValue) -> JSONValue {
    guard case .object(let members) = value, members.count == 1 else { return value }
    return members["error"] ?? members["progress"] ?? value
  }

  private static func names(_ value: JSONValue, _ words: [String], _ page: JSONPage) -> [String] {
    guard case .object(let members) = value, members.count == 1 else {
      return page.answers(to: words)
    }
    if members["error"] != nil { return ["ControlError"] }
    return members["progress"] != nil ? ["Progress"] : page.answers(to: words)
  }
}
