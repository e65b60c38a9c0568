import CairnControl

/// How a command says that it failed.
enum Failure {
  /// For people: what happened, then what to do, on standard error. In JSON: on standard output,
  /// where the answer would have been.
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
