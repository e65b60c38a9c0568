@_spi(Served) import CairnCloud
import CairnControl
import CairnThreads
import FoundationEssentials
import Glibc

/// The notes about commits of programs, in a file beside the index. Each note is appended before
/// its commit begins. So after a crash, a repeated request finds its own commit.
///
/// The file isn't synced: after a power cut, a program knows nothing of an unanswered request
/// either.
final class ProgramAttempts: CommitAttempts {
  private struct Line: Codable, Sendable {
    var operation: String
    var attempt: CommitAttempt
  }

  private struct State: Sendable {
    var attempts: [String: CommitAttempt] = [:]
    /// The operation of the last note for each position, as `zone position`.
    var holders: [String: String] = [:]
    /// The operations, the oldest first.
    var order: [String] = []
    var file: CInt = -1
    /// The zones with a running function.
    var busy: Set<String> = []
  }

  /// The number of remembered operations. Programs repeat a request within seconds.
  private static let limit = 10_000
  private let path: String
  private let state = Monitor(State())

  /// Reads the notes of earlier processes.
  init(_ home: Home) throws {
    path = home.index + "/programs.log"
    // A line is incomplete if the process ended while it was written. Its commit hadn't begun.
    let bytes = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
    let lines = bytes.split(separator: UInt8(ascii: "\n")).suffix(Self.limit).compactMap {
      try? JSONDecoder().decode(Line.self, from: Data($0))
    }
    let unfinished = path + ".new"
    let file = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failure(path) }
    try state.change { state in
      Result<Void, any Error> {
        state.file = file
        for line in lines { try Self.add(line, to: &state, path) }
      }
    }.get()
    guard rename(unfinished, path) == 0 else { throw Self.failure(path) }
  }

  deinit { state.change { _ = close($0.file) } }

  func last(of operation: String) -> CommitAttempt? { state.change { $0.attempts[operation] } }

  func note(_ attempt: CommitAttempt, of operation: String) throws {
    try state.change { state in
      Result<Void, any Error> {
        try Self.add(Line(operation: operation, attempt: attempt), to: &state, path)
      }
    }.get()
  }

  func alone<Result>(in zone: String, _ body: () throws -> Result) rethrows -> Result {
    _ = state.wait(until: nil) { $0.busy.insert(zone).inserted ? true : nil }
    defer { state.change { _ = $0.busy.remove(zone) } }
    return try body()
  }

  private static func add(_ line: Line, to state: inout State, _ path: String) throws {
    let bytes = try [UInt8](JSONEncoder().encode(line)) + [UInt8(ascii: "\n")]
    guard write(state.file, bytes, bytes.count) == bytes.count else { throw failure(path) }
    let place = "\(line.attempt.zone) \(line.attempt.position)"
    if let holder = state.holders.updateValue(line.operation, forKey: place),
      holder != line.operation
    {
      state.attempts[holder] = nil
    }
    if state.attempts.updateValue(line.attempt, forKey: line.operation) == nil {
      state.order.append(line.operation)
    }
    guard state.order.count > 2 * limit else { return }
    for operation in state.order.prefix(limit) {
      guard let attempt = state.attempts.removeValue(forKey: operation) else { continue }
      let place = "\(attempt.zone) \(attempt.position)"
      if state.holders[place] == operation { state.holders[place] = nil }
    }
    state.order.removeFirst(limit)
  }

  private static func failure(_ path: String) -> ControlError {
    ControlError(
      .internalError, "\(path) can't be written: \(String(cString: strerror(errno))).",
      remedy: "Make room on its disk, and check the owner of the folder.")
  }
}
