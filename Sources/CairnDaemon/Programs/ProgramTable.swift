import CairnControl
import CairnIdentity
import CairnThreads
import CairnZone
import FoundationEssentials
import Glibc

/// The programs that use zones of this person, or ask to, saved in the home. It has only digests of
/// their secrets.
final class ProgramTable: Sendable {
  /// A request of a program, by the digest of its secret.
  struct Request: Codable, Hashable, Sendable {
    var digest: String
    /// The names of private zones.
    var names: [String]
    var sharing: Bool
  }

  /// A program.
  struct Entry: Codable, Sendable {
    var name: String
    /// The request that the person has allowed.
    var allowed: Request?
    /// The request that the person has not answered yet.
    var asks: Request?
    /// The request that the person has refused or withdrawn.
    var refused: Request?
    /// The ids of further zones that it may use.
    var zones: [String] = []
    /// The time of the last request or answer, in nanoseconds since 1970.
    var time: Int64

    /// The answer of the person.
    var state: Control.ProgramState {
      asks != nil ? .asking : allowed != nil ? .allowed : .revoked
    }
  }

  private struct Listener: Sendable {
    let call: @Sendable () -> Void
  }

  private struct State: Sendable {
    var entries: [Entry] = []
    var listeners: [UInt64: Listener] = [:]
    var last: UInt64 = 0
  }

  /// The largest number of programs. A program in trouble doesn't fill the disk with requests.
  private static let limit = 100
  /// The largest number of zones that a program may name.
  private static let mostNames = 100
  private let path: String
  private let state: Monitor<State>

  init(_ home: Home) {
    path = home.programs
    // If it is unreadable, each program asks again.
    let entries = try? JSONDecoder().decode(
      [Entry].self, from: Data(contentsOf: URL(filePath: home.programs)))
    state = Monitor(State(entries: entries ?? []))
  }

  /// All programs, sorted by name.
  var all: [Entry] { state.change { $0.entries }.sorted { $0.name < $1.name } }

  /// The names of the programs that await an answer.
  var asking: [String] { all.filter { $0.asks != nil }.map(\.name) }

  // MARK: Requests

  /// Takes a request of a program.
  /// - Returns: The answer of the person so far.
  func ask(_ request: Control.ProgramAsk) throws -> Control.ProgramState {
    let names = Set(request.zones).sorted()
    guard Self.isSecret(request.token) else {
      throw ControlError(.invalidArguments, "The secret of a program has 64 hexadecimal digits.")
    }
    guard Self.isName(request.name), names.allSatisfy(Self.isName), names.count <= Self.mostNames
    else {
      throw ControlError(
        .invalidArguments,
        "The name of a program or of a zone is empty, too long, or no line of text.",
        remedy: "Use at most 64 bytes for a name, and at most \(Self.mostNames) zones.")
    }
    let wanted = Request(
      digest: Self.digest(of: request.token), names: names, sharing: request.sharing)
    return try change(request.name, isNew: true) { entry in
      if let allowed = entry.allowed, allowed.digest == wanted.digest,
        Set(allowed.names).isSuperset(of: names), allowed.sharing || !wanted.sharing
      {
        return .allowed
      }
      if entry.refused?.digest == wanted.digest { return .revoked }
      entry.asks = wanted
      return .asking
    }
  }

  /// Waits until the person has answered a request.
  /// - Returns: The answer; nil if `isGone` returned true first.
  func answer(
    to request: Control.ProgramAsk, unless isGone: @Sendable () -> Bool
  ) -> Control.ProgramState? {
    let digest = Self.digest(of: request.token)
    let answer = state.wait(until: nil) { state -> Control.ProgramState?? in
      if isGone() { return .some(nil) }
      guard let entry = state.entries.first(where: { $0.name == request.name }) else {
        return .some(.revoked)
      }
      if entry.asks?.digest == digest { return nil }
      return .some(entry.allowed?.digest == digest ? .allowed : .revoked)
    }
    return answer ?? nil
  }

  /// Wakes the callers of `answer`.
  func wake() { state.change { _ in } }

  // MARK: Answers of the person

  /// Allows the last request of a program.
  /// - Parameters:
  ///   - name: The program.
  ///   - zones: The ids of further zones.
  /// - Throws: `ControlError` if there is no such program, or the table can't be saved.
  func allow(_ name: String, zones: [String]) throws {
    try change(name) { entry in
      entry.allowed = entry.asks ?? entry.allowed ?? entry.refused
      (entry.asks, entry.refused) = (nil, nil)
      for zone in zones where !entry.zones.contains(zone) { entry.zones.append(zone) }
    }
  }

  /// Withdraws the access of a program, or refuses its request.
  func revoke(_ name: String) throws {
    try change(name) { entry in
      entry.refused = entry.asks ?? entry.allowed ?? entry.refused
      (entry.asks, entry.allowed) = (nil, nil)
    }
  }

  // MARK: Rights

  /// Returns the program with a secret.
  /// - Throws: `ControlError` with `.notAuthenticated` if the person doesn't allow it.
  func allowed(_ token: String) throws(ControlError) -> Entry {
    let digest = Self.digest(of: token)
    let entry = state.change { $0.entries.first { $0.allowed?.digest == digest } }
    guard let entry else {
      throw ControlError(
        .notAuthenticated, "The person does not allow this program.",
        remedy: "Run `cairn program list`.")
    }
    return entry
  }

  /// Returns whether a program with a secret has asked, even if it was refused.
  func knows(_ token: String) -> Bool {
    let digest = Self.digest(of: token)
    return all.contains { entry in
      [entry.asks, entry.allowed, entry.refused].contains { $0?.digest == digest }
    }
  }

  /// Adds a zone that a program made or accepted.
  func add(_ zone: String, to name: String) throws {
    guard let entry = all.first(where: { $0.name == name }), !entry.zones.contains(zone) else {
      return
    }
    try change(name) { $0.zones.append(zone) }
  }

  /// Calls a function after each change, as long as the result exists.
  func listen(_ body: @escaping @Sendable () -> Void) -> ProgramListening {
    let number = state.change { state in
      state.last += 1
      state.listeners[state.last] = Listener(call: body)
      return state.last
    }
    return ProgramListening { [state] in state.change { $0.listeners[number] = nil } }
  }

  // MARK: The file

  /// Changes a program, and saves the table. Nothing is changed if that fails.
  private func change<Result>(
    _ name: String, isNew: Bool = false, _ body: (inout Entry) throws -> Result
  ) throws -> Result {
    var listeners: [Listener] = []
    let result = state.change { state in
      Swift.Result<Result, any Error> {
        var entries = state.entries
        let index: Int
        if let known = entries.firstIndex(where: { $0.name == name }) {
          index = known
        } else {
          guard isNew else {
            throw ControlError(
              .unknownItem, "No program called \(Control.Path(name).printable) has asked.",
              remedy: "`cairn program list` lists the programs.")
          }
          guard entries.count < Self.limit else {
            throw ControlError(
              .limitExceeded, "\(Self.limit) programs have asked already.",
              remedy: "Stop the daemon, and remove programs from \(path).")
          }
          index = entries.count
          entries.append(Entry(name: name, time: 0))
        }
        let before = entries[index]
        let result = try body(&entries[index])
        guard before != entries[index] else { return result }
        entries[index].time = Control.Time.now().nanoseconds
        try save(entries)
        state.entries = entries
        listeners = Array(state.listeners.values)
        return result
      }
    }
    for listener in listeners { listener.call() }
    return try result.get()
  }

  private func save(_ entries: [Entry]) throws {
    do {
      try JSONEncoder().encode(entries).write(to: URL(filePath: path), options: .atomic)
      chmod(path, 0o600)
    } catch {
      throw ControlError(
        .internalError, "\(path), which says what programs may use, can't be written: \(error)",
        remedy: "Make room on its disk, and check the owner of the folder.")
    }
  }

  private static func digest(of token: String) -> String {
    hexadecimal(Crypto.digest("cairn program", Array(token.utf8)).bytes)
  }

  private static func isSecret(_ text: String) -> Bool {
    text.utf8.count == 64 && readHexadecimal(Array(text.utf8)) != nil
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 64
      && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}

extension ProgramTable.Entry: Equatable {}

/// The listening to changes of programs. It ends when this is gone.
final class ProgramListening: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}
