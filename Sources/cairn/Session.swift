import CairnControl
import Glibc

/// One command's conversation with the daemon of this home.
struct Session {
  /// Whose daemon it is.
  let home: Home
  /// How answers are written.
  let output: OutputOptions
  /// Asks its daemon.
  private let client: ControlClient
  /// Whether no line shows how far long work is.
  private let hidesProgress: Bool

  /// For the home of this environment. Throws where there is none.
  init(_ output: OutputOptions, hidesProgress: Bool = false) throws(ControlError) {
    home = try Home()
    client =
      output.json
      ? ControlClient(home: home)
      : ControlClient(home: home) { OtherVersion.tell($0) }
    self.output = output
    self.hidesProgress = hidesProgress || output.json
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

  /// As `ask`, but prints nothing itself; what comes before the answer goes to `onUpdate`, too.
  func answer<Operation: ControlOperation>(
    _ operation: Operation, onUpdate: (ControlUpdate) -> Void = { _ in }
  ) throws(ControlError) -> ControlAnswer<Operation.Reply> {
    var progress = ProgressLine(isAllowed: !hidesProgress)
    defer { progress.clear() }
    return try converse(operation) { line in
      if case .progress(let amount) = line.update { progress.show(amount) }
      // Whoever asks for a list does so by `portions`.
      onUpdate(line)
    }
  }
}

extension Session {
  /// As `ask`, for a reply with a list, and with all of it. In JSON it is printed as it comes.
  func ask<Operation: ControlOperation>(
    _ operation: Operation
  ) throws(ControlError) -> Operation.Reply? where Operation.Reply: ControlListReply {
    guard output.json else { return try whole(operation) }
    _ = try print(operation)
    return nil
  }

  /// The reply with all of its list; prints nothing.
  func whole<Operation: ControlOperation>(
    _ operation: Operation
  ) throws(ControlError) -> Operation.Reply where Operation.Reply: ControlListReply {
    var items: [Operation.Reply.Item] = []
    var reply = try portions(operation) { items += $0 }
    reply.items = items
    return reply
  }

  /// Asks, and hands over the list in portions; in JSON it is printed instead, as it comes.
  /// - Returns: the reply without its list; nil if it is printed already.
  @discardableResult
  func list<Operation: ControlOperation>(
    _ operation: Operation, each: ([Operation.Reply.Item]) -> Void
  ) throws(ControlError) -> Operation.Reply? where Operation.Reply: ControlListReply {
    guard output.json else { return try portions(operation, each) }
    _ = try print(operation)
    return nil
  }

  /// Prints the answer as one line of JSON, while it comes.
  /// - Returns: whether the list was empty.
  /// - Throws: what went wrong before there was anything to print. Later the line gets a member
  ///   `error`, and the program ends.
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

  /// Asks, and hands over the list in portions.
  /// - Returns: the reply without it.
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
      case .event, .status: break
      case .items:
        progress.clear()
        try onItems(line)
      }
    }
  }

  /// Asks the daemon, and starts one before where none answers.
  private func converse<Operation: ControlOperation>(
    _ operation: Operation, _ onUpdate: (ControlUpdate) throws(ControlError) -> Void
  ) throws(ControlError) -> ControlAnswer<Operation.Reply> {
    if Operation.mayBeRepeated {
      do throws(ControlError) {
        return try client.call(operation, onUpdate: onUpdate)
      } catch {
        guard error.code == .notRunning || error.code == .interrupted else { throw error }
      }
    }
    // Whether one answers is found out first: what is done must not be asked for twice.
    try DaemonLauncher.ensureRunning(home)
    return try client.call(operation, onUpdate: onUpdate)
  }
}
