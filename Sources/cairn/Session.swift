import CairnControl

/// One command's conversation with the daemon of this home.
struct Session {
  /// Whose daemon it is.
  let home: Home
  /// How answers are written.
  let output: OutputOptions

  /// For the home of this environment. Throws where there is none.
  init(_ output: OutputOptions) throws(ControlError) {
    home = try Home()
    self.output = output
  }

  /// Starts the daemon if none answers, asks, shows progress, and returns the answer. In JSON the
  /// answer is printed already, and the result is nil.
  func ask<Operation: ControlOperation>(
    _ operation: Operation
  ) throws(ControlError) -> Operation.Reply? {
    let answer = try answer(operation)
    guard output.json else { return answer.reply }
    Output.line(answer.json)
    return nil
  }

  /// As `ask`, but prints nothing itself; events go to `onEvent`.
  func answer<Operation: ControlOperation>(
    _ operation: Operation, onEvent: (Control.Event, [UInt8]) -> Void = { _, _ in }
  ) throws(ControlError) -> ControlAnswer<Operation.Reply> {
    try DaemonLauncher.ensureRunning(home)
    var progress = ProgressLine(isAllowed: !output.json)
    defer { progress.clear() }
    return try ControlClient(home: home).call(operation) { line in
      switch line.update {
      case .progress(let amount): progress.show(amount)
      case .event(let event): onEvent(event, line.json)
      }
    }
  }
}
