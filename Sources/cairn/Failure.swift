import CairnControl

/// The report of a failed command.
enum Failure {
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
