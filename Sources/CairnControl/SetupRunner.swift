import Glibc

/// Runs `cairnd setup`, `cairnd recover` or `cairnd join` once, for `cairn init`, `cairn init
/// --recover` and `cairn device join`. The request goes to its standard input, and the answer comes
/// from its standard output. No daemon is started.
public enum SetupRunner {
  /// Sends the request to the subcommand of its name and waits for the reply, like
  /// `ControlClient.call`.
  public static func run<Operation: ControlOperation>(
    _ request: Operation, onUpdate: (ControlUpdate) -> Void = { _ in }
  ) throws(ControlError) -> ControlAnswer<Operation.Reply> {
    let body: [UInt8]
    do {
      body = try ControlJSON.encode(request)
    } catch {
      throw ControlError(.invalidArguments, "The request has no form in JSON.")
    }
    let input = try ChildProcess.pipe()
    let output = try ChildProcess.pipe()
    defer { close(output.reading) }
    let child = try start(
      Operation.name, reading: input.reading, writing: output.writing, unused: input.writing)
    send(body, to: input.writing)
    let lines = ResponseLines()
    let result = Result<ControlAnswer<Operation.Reply>, ControlError> {
      () throws(ControlError) in
      try ControlAnswer.read(
        from: { () throws(ControlError) in next(from: output.reading, into: lines) },
        whatEnded: "`cairnd \(Operation.name)` ended", onUpdate: onUpdate)
    }
    _ = child.waitForExit()
    return try result.get()
  }

  /// Starts the child with its two ends, which are closed here; `unused` only if it does not start.
  private static func start(
    _ subcommand: String, reading: CInt, writing: CInt, unused: CInt
  ) throws(ControlError) -> ChildProcess {
    defer {
      close(reading)
      close(writing)
    }
    do throws(ControlError) {
      return try ChildProcess(
        try Programs.daemon(),
        .init(
          arguments: ["cairnd", subcommand],
          descriptors: [reading, writing]))
    } catch {
      close(unused)
      throw error
    }
  }

  /// Sends the request, which fits into a pipe, so this does not block. If the child has ended, its
  /// missing answer reports that.
  private static func send(_ body: [UInt8], to descriptor: CInt) {
    let before = signal(SIGPIPE, SIG_IGN)
    var rest = body[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    close(descriptor)
    signal(SIGPIPE, before)
  }

  private static func next(from descriptor: CInt, into lines: ResponseLines) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !lines.hasLine {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        lines.end()
        break
      }
      lines.append(buffer[..<count])
    }
    return lines.next()
  }
}
