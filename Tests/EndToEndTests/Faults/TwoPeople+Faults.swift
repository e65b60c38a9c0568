import CairnControl
import Glibc
import Testing

/// A command that failed, when it may.
struct CommandFailure: Error, CustomStringConvertible {
  let command: String
  let outcome: Program.Outcome

  /// A Boolean value that indicates whether it ended with a code of its own and a message for
  /// people.
  var isSentence: Bool {
    Control.ErrorCode.allCases.contains { $0.exitStatus == outcome.status }
      && outcome.errors.contains(" ")
  }

  var description: String { "cairn \(command): \(outcome.status) \(outcome.errors)" }
}

extension Person {
  /// Runs `cairn`, and throws what went wrong as a value.
  @discardableResult
  func attempt(_ arguments: [String]) throws -> Program.Outcome {
    let outcome = try run(arguments)
    guard outcome.status == 0 else {
      throw CommandFailure(command: arguments.joined(separator: " "), outcome: outcome)
    }
    return outcome
  }

  /// Asks the daemon, which is started if there is none.
  func ask<Operation: ControlOperation>(_ operation: Operation) throws -> Operation.Reply {
    let client = ControlClient(home: try Home(environment: ["CAIRN_HOME": home.path]))
    do throws(ControlError) {
      return try client.call(operation).reply
    } catch {
      // Starting one waits until a daemon that is being taken apart has gone.
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

  /// Returns the problems that `cairn status` shows; nil if there are none. Rescued files are no
  /// problem if something may have had to be rescued.
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
  // MARK: Commands that may be interrupted

  func accept() throws {
    try bob.attempt(["share", "accept", link(), "--at", bob.folder.path, "--wait"])
  }

  /// The text of the link to Ana's share.
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

  /// Does it until it goes well. One fault makes one command fail, and a daemon that went away
  /// another; a few more, and something is wrong.
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

  /// As `settle`, with failures that are values.
  func settleUnderFaults() throws {
    for person in [ana, bob, ana, bob] { _ = try person.ask(Control.Wait(timeoutSeconds: 60)) }
  }

  // MARK: What must be so

  /// Returns the differences from Ana's state; nil if there are none.
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
      // What couldn't be taken off the staging folder stays there until the next start.
      let files = try person.folder.files(below: ".cairn").filter {
        !($0.starts(with: ".cairn/staging/") && faults.isAbout($0))
      }
      guard files == [".cairn/zone"] else { return "\(person.handle) has \(files)" }
    }
    for person in [ana, bob] {
      if let text = try person.disorder() { return text }
    }
    // It may fail once itself: then it is said again.
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

  /// Keeps what there is of a world that isn't as it must be, where `CRASH_KEEP` says.
  func keep(as name: String) throws {
    guard let folder = getenv("CRASH_KEEP") else { return }
    let target = String(cString: folder) + "/" + name
    _ = try Program.run(
      "/bin/cp", ["-a", root.path, target], environment: ["PATH=/usr/bin:/bin"], scratch: root)
  }
}
