import CairnControl
import Glibc
import Testing

/// A failure of a command that is allowed to fail.
struct CommandFailure: Error, CustomStringConvertible {
  let command: String
  let outcome: Program.Outcome

  /// A Boolean value that indicates whether the command ended with a code of its own and a message
  /// for people.
  var isSentence: Bool {
    Control.ErrorCode.allCases.contains { $0.exitStatus == outcome.status }
      && outcome.errors.contains(" ")
  }

  var description: String { "cairn \(command): \(outcome.status) \(outcome.errors)" }
}

extension Person {
  /// Runs `cairn`, and throws its failure as a value.
  @discardableResult
  func attempt(_ arguments: [String]) throws -> Program.Outcome {
    let outcome = try run(arguments)
    guard outcome.status == 0 else {
      throw CommandFailure(command: arguments.joined(separator: " "), outcome: outcome)
    }
    return outcome
  }

  /// Asks the daemon, which is started if none runs.
  func ask<Operation: ControlOperation>(_ operation: Operation) throws -> Operation.Reply {
    let client = ControlClient(home: try Home(environment: ["CAIRN_HOME": home.path]))
    do throws(ControlError) {
      return try client.call(operation).reply
    } catch {
      // The start waits until a daemon that is ending has gone.
      guard error.code == .notRunning || error.code == .interrupted else { throw error }
      try attempt(["start"])
      guard error.code == .notRunning else { throw error }
      return try client.call(operation).reply
    }
  }

  /// The process id of the daemon, if there is one.
  func daemon() throws -> pid_t? {
    try HomeLock.holder(of: Home(environment: ["CAIRN_HOME": home.path]))
  }

  /// Returns a violation if the daemon has ended since without a reason in its log.
  func silentEnd(since before: pid_t?) throws -> String? {
    let log = try home.text("log/cairnd.log")
    if let line = log.split(separator: "\n").last(where: { $0.contains("Fatal error") }) {
      return "the daemon crashed: \(line)"
    }
    guard try daemon() != before, !log.contains("\ncairnd: ") else { return nil }
    return "the daemon ended without a word"
  }

  /// Returns the problems that `cairn status` shows, or nil. Rescued files are no problem if
  /// something may have had to be rescued.
  func disorder(isRescuing: Bool = false) throws -> String? {
    let reply = try ask(Control.Status())
    let troubled: Set<Control.Phase> = [.detached, .offline, .damaged]
    var found = reply.mounts.flatMap { mount in
      mount.problems.map { "problem: \($0.message)" }
        + (troubled.contains(mount.phase) ? ["it is \(mount.phase.rawValue)"] : [])
    }
    if !isRescuing { found += reply.rescued.map { "rescued: \($0.path)" } }
    return found.isEmpty ? nil : "\(handle): " + found.joined(separator: "; ")
  }
}

extension TwoPeople {
  // MARK: Interruptible commands

  func accept() throws {
    try bob.attempt(["share", "accept", link(), "--at", bob.folder.path, "--wait"])
  }

  /// Returns the text of the link to Ana's share.
  func link() throws -> String {
    try shown().link
  }

  private func shown() throws -> Control.Share {
    try ana.ask(Control.ShareShow(share: .path(Control.Path(ana.folder.path)))).share
  }

  func revoke() throws {
    guard try shown().participants.contains(where: { $0.handle == "bob" }) else { return }
    try ana.attempt(["share", "remove", ana.folder.path, "bob"])
  }

  func give(isWritable: Bool) throws {
    let permission = isWritable ? "read-write" : "read-only"
    try ana.attempt(["share", "set-permission", ana.folder.path, "bob", permission])
  }

  /// Repeats the body until it succeeds. One fault makes one command fail, and a daemon that went
  /// away makes another one fail. More failures are an error.
  func insist(_ body: () throws -> Void) throws {
    for _ in 0..<4 {
      do {
        return try body()
      } catch is CommandFailure, is ControlError, is CrashAct.NotYet {
        continue
      }
    }
    try body()
  }

  /// Settles like `settle`, with failures as values.
  func settleUnderFaults() throws {
    for person in [ana, bob, ana, bob] { _ = try person.ask(Control.Wait(timeoutSeconds: 60)) }
  }

  // MARK: Conditions

  /// Returns the differences from Ana's state, or nil.
  func difference(
    from made: [Name: Folder.Node], after act: CrashAct, _ point: Int, _ faults: Faults
  ) throws -> String? {
    let anas = try ana.folder.tree()
    if let text = Self.difference(anas, made) { return "ana's folder: \(text)" }
    if act.isBobIn {
      let isWritable = act.isWritable(point)
      let expected = isWritable ? made : made.mapValues(\.withoutWriteBits)
      if let text = Self.difference(try bob.folder.tree(), expected) {
        return "bob's folder: \(text)"
      }
    } else if bob.folder.exists("") {
      return "bob still has the folder"
    }
    for person in act.isBobIn ? [ana, bob] : [ana] {
      // Files that couldn't be removed from the staging folder stay there until the next start.
      let files = try person.folder.files(below: ".cairn").filter {
        !($0.starts(with: ".cairn/staging/") && faults.isAbout($0))
      }
      guard files == [".cairn/zone"] else { return "\(person.handle) has \(files)" }
    }
    for person in [ana, bob] {
      if let text = try person.disorder() { return text }
    }
    // It may fail once itself, and is repeated then.
    if point.isMultiple(of: 10) { try ana.attempt(["verify"]) }
    return nil
  }

  private static func difference(
    _ found: [Name: Folder.Node], _ expected: [Name: Folder.Node]
  ) -> String? {
    let names = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
    guard let name = names.min(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) else {
      return nil
    }
    return "\(names.count) differ: \(name) is \(short(found[name])), not \(short(expected[name]))"
  }

  /// Keeps the files of a world with a violation in the folder `CRASH_KEEP`.
  func keep(as name: String) throws {
    guard let folder = getenv("CRASH_KEEP") else { return }
    let target = String(cString: folder) + "/" + name
    _ = try Program.run(
      "/bin/cp", ["-a", root.path, target], environment: ["PATH=/usr/bin:/bin"], scratch: root)
  }
}
