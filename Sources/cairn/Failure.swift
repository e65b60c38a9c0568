import CairnControl
import Glibc

/// The report of a failed command.
enum Failure {
  /// Reports a problem that keeps a command waiting: one sentence on standard error.
  static func report(waitingFor problem: Control.Problem) {
    if isatty(STDERR_FILENO) == 1 { Output.write(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO) }
    Output.error("cairn: " + sentence(waitingFor: problem))
  }

  /// The sentence about a problem that keeps a command waiting.
  static func sentence(waitingFor problem: Control.Problem) -> String {
    func part(_ text: String) -> String {
      let text = Output.sentence(text)
      let body = text.hasSuffix(".") ? text.dropLast() : text[...]
      guard let first = body.first, body.dropFirst().first?.isLowercase == true else {
        return String(body)
      }
      return first.lowercased() + body.dropFirst()
    }
    let place = problem.path.map { $0.printable + ": " } ?? ""
    let remedy = problem.remedy.isEmpty ? "" : "; " + part(problem.remedy)
    return "still waiting: " + place + part(problem.message) + remedy + "."
  }

  /// Reports an error. For people: the event, then the next action, on standard error. In JSON: on
  /// standard output, in place of the answer.
  static func report(_ error: ControlError, isJSON: Bool) {
    guard isJSON else {
      Output.error("cairn: " + Output.sentence(error.message) + " [" + error.code.rawValue + "]")
      if !error.remedy.isEmpty { Output.error("  " + Output.sentence(error.remedy)) }
      return
    }
    let line = Control.Line<Control.PingReply>.error(error)
    do {
      Output.line(try ControlJSON.encode(line))
    } catch {
      preconditionFailure("An error is made of strings, and those have a form in JSON: \(error)")
    }
  }
}
