import APIDescription
import CairnControl
import Synchronization
import Testing

/// Compares each JSON answer of these tests with openapi.yaml, and remembers the answers.
final class AnswerBook: Sendable {
  /// The answers of all tests.
  static let shared = AnswerBook()

  private let check: Mutex<JSONCheck?>

  init() {
    do {
      check = Mutex(JSONCheck(try OpenAPI()))
    } catch {
      Issue.record("openapi.yaml can't be read: \(error)")
      check = Mutex(nil)
    }
  }

  /// The objects that have occurred so far.
  var objects: Set<String> { check.withLock { $0?.objects ?? [] } }
  /// The answers of commands so far, as `command: Object`.
  var answers: Set<String> { check.withLock { $0?.answers ?? [] } }
  /// The optional keys that have occurred so far, as `Object.key`.
  var optional: Set<String> { check.withLock { $0?.optional ?? [] } }

  /// Takes the output of a command. A mistake in it is an issue of the test that ran it.
  func take(_ outcome: Program.Outcome, of arguments: [String]) {
    // The name of a container comes before the command.
    let command = arguments.first == "--container" ? arguments.dropFirst(2) : arguments[...]
    let words = command.filter { !$0.hasPrefix("-") }
    let what = "cairn " + arguments.joined(separator: " ")
    for line in outcome.text.split(separator: "\n") {
      do {
        var value = try ControlJSON.decode(JSONValue.self, from: Array(line.utf8))
        // In a home with several containers, each answer has this member.
        if case .object(var members) = value, members["number"] == nil,
          members.removeValue(forKey: "containerName") != nil
        {
          value = .object(members)
        }
        hold { check in
          if let (part, name) = Self.part(of: value) {
            check.take(part, as: [name], from: what)
          } else {
            check.take(value, to: words, from: what)
          }
        }
      } catch {
        Issue.record("\(what) printed what is no JSON: \(line.prefix(200))")
      }
    }
    // There may be no events.
    if outcome.text.isEmpty, words.first != "events" {
      Issue.record("\(what) printed nothing: \(outcome.errors)")
    }
  }

  /// Takes the answer about one path of a stream: its state, or the reason why it is unknown.
  func takePath(_ value: JSONValue, of what: String) {
    hold { check in
      guard case .object(let members) = value, let error = members["error"] else {
        check.take(value, as: ["PathStatus"], from: what)
        return
      }
      check.take(error, as: ["ControlError"], from: what)
      if Set(members.keys) != ["path", "error"] {
        Issue.record("\(what) printed \(members.keys.sorted())")
      }
    }
  }

  /// Compares something with the description. A mistake in it is an issue of the running test.
  private func hold(_ body: (inout JSONCheck) -> Void) {
    let mistakes = check.withLock { check -> [String] in
      guard var now = check else { return [] }
      let before = now.mistakes.count
      body(&now)
      check = now
      return Array(now.mistakes.dropFirst(before))
    }
    for mistake in mistakes { Issue.record("\(mistake)") }
  }

  /// Returns an error, or a progress, which are in an object of their own.
  private static func part(of value: JSONValue) -> (JSONValue, String)? {
    guard case .object(let members) = value, members.count == 1 else { return nil }
    if let error = members["error"] { return (error, "ControlError") }
    return members["progress"].map { ($0, "Progress") }
  }
}
