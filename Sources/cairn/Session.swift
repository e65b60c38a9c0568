import CairnControl
import Glibc

/// A command's conversation with the daemon of this home.
struct Session {
  /// The home of the daemon.
  let home: Home
  /// The form of the output.
  let output: OutputOptions
  /// The client of the daemon.
  private let client: ControlClient
  /// A Boolean value that indicates whether the progress line is hidden.
  private let hidesProgress: Bool

  /// Creates a session for the home of this environment. Throws if there is none.
  init(_ output: OutputOptions, hidesProgress: Bool = false) throws(ControlError) {
    home = try Home()
    client =
      output.json
      ? ControlClient(home: home)
      : ControlClient(home: home) { OtherVersion.tell($0) }
    self.output = output
    self.hidesProgress = hidesProgress || output.json
  }

  /// Starts the daemon if none answers, sends the operation, shows progress, and returns the
  /// answer. With `--json` it prints the answer and returns nil.
  func ask<Operation: ControlOperation>(
    _ operation: Operation
  ) throws(ControlError) -> Operation.Reply? {
    let answer = try answer(operation)
    guard output.json else { return answer.reply }
    Output.line(answer.json)
    return nil
  }

  /// Like `ask`, but prints nothing. Lines before the answer are passed to `onUpdate`, too.
  func answer<Operation: ControlOperation>(
    _ operation: Operation, onUpdate: (ControlUpdate) -> Void = { _ in }
  ) throws(ControlError) -> ControlAnswer<Operation.Reply> {
    var progress = ProgressLine(isAllowed: !hidesProgress)
    defer { progress.clear() }
    return try converse(operation) { line in
      if case .progress(let amount) = line.update { progress.show(amount) }
      // Requests for lists use `portions` instead.
      onUpdate(line)
    }
  }
}

extension Session {
  /// Like `ask`, for a reply with a complete list. JSON is printed while it arrives.
  func ask<Operation: ControlOperation>(
    _ operation: Operation
  ) throws(ControlError) -> Operation.Reply? where Operation.Reply: ControlListReply {
    guard output.json else { return try whole(operation) }
    _ = try print(operation)
    return nil
  }

  /// Returns the reply with its complete list, and prints nothing.
  func whole<Operation: ControlOperation>(
    _ operation: Operation
  ) throws(ControlError) -> Operation.Reply where Operation.Reply: ControlListReply {
    var items: [Operation.Reply.Item] = []
    var reply = try portions(operation) { items += $0 }
    reply.items = items
    return reply
  }

  /// Sends the operation, and passes on the list in batches. With `--json` it prints the list while
  /// it arrives.
  /// - Returns: the reply without its list; nil if it was printed.
  @discardableResult
  func list<Operation: ControlOperation>(
    _ operation: Operation, each: ([Operation.Reply.Item]) -> Void
  ) throws(ControlError) -> Operation.Reply? where Operation.Reply: ControlListReply {
    guard output.json else { return try portions(operation, each) }
    _ = try print(operation)
    return nil
  }

  /// Prints the answer as one line of JSON, while it arrives.
  /// - Returns: whether the list was empty.
  /// - Throws: errors before the first output. After that the line gets a member `error`, and the
  ///   program ends.
  func print<Operation: ControlOperation>(
    _ operation: Operation
  ) throws(ControlError) -> Bool where Operation.Reply: ControlListReply {
    var json = ListJSON(name: Operation.Reply.listName)
    var isEmpty = true
    do throws(ControlError) {
      let answer = try updates(operation) { line throws(ControlError) in
        isEmpty = false
        Output.raw(json.piece(line.json))
      }
      Output.line(json.end(answer.json))
    } catch {
      guard json.hasBegun else { throw error }
      Output.line(json.end(error))
      exit(error.exitStatus)
    }
    return isEmpty
  }

  /// Sends the operation, and passes on the list in batches.
  /// - Returns: the reply without its list.
  private func portions<Operation: ControlOperation>(
    _ operation: Operation, _ each: ([Operation.Reply.Item]) -> Void
  ) throws(ControlError) -> Operation.Reply where Operation.Reply: ControlListReply {
    try updates(operation) { line throws(ControlError) in
      each(try line.items(Operation.Reply.Item.self))
    }.reply
  }

  private func updates<Operation: ControlOperation>(
    _ operation: Operation, _ onItems: (ControlUpdate) throws(ControlError) -> Void
  ) throws(ControlError) -> ControlAnswer<Operation.Reply> {
    var progress = ProgressLine(isAllowed: !hidesProgress)
    defer { progress.clear() }
    return try converse(operation) { line throws(ControlError) in
      switch line.update {
      case .progress(let amount): progress.show(amount)
      case .event, .status, .problem: break
      case .items:
        progress.clear()
        try onItems(line)
      }
    }
  }

  /// Sends the operation, after starting the daemon if none answers.
  private func converse<Operation: ControlOperation>(
    _ operation: Operation, _ onUpdate: (ControlUpdate) throws(ControlError) -> Void
  ) throws(ControlError) -> ControlAnswer<Operation.Reply> {
    if Operation.mayBeRepeated {
      do throws(ControlError) {
        return try call(operation, onUpdate)
      } catch {
        guard error.code == .notRunning || error.code == .interrupted else { throw error }
      }
    }
    // A running daemon is looked for first, because the operation must not be sent twice.
    try DaemonLauncher.ensureRunning(home)
    return try call(operation, onUpdate)
  }

  private func call<Operation: ControlOperation>(
    _ operation: Operation, _ onUpdate: (ControlUpdate) throws(ControlError) -> Void
  ) throws(ControlError) -> ControlAnswer<Operation.Reply> {
    // A container that is away keeps every folder waiting, and is named once.
    var told: Set<String> = []
    return try client.call(operation) { line throws(ControlError) in
      if case .problem(let problem) = line.update, told.insert(problem.message).inserted {
        Failure.report(waitingFor: problem)
      }
      try onUpdate(line)
    }
  }
}
