import CSQLite

/// A check before each commit of a connection, for simulations: a simulated crash loses the
/// transactions that a real crash would lose.
final class CommitGate {
  private let check: @Sendable () throws -> Void
  private var refusal: (any Error)?

  init(_ check: @escaping @Sendable () throws -> Void) { self.check = check }

  /// Makes SQLite ask this gate. The connection must keep the gate as long as the handle is open.
  func install(on handle: OpaquePointer) {
    let address = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_commit_hook(
      handle,
      { context in
        guard let context else { return 0 }
        return Unmanaged<CommitGate>.fromOpaque(context).takeUnretainedValue().refuses() ? 1 : 0
      }, address)
  }

  /// Runs the check. SQLite turns the commit into a rollback if the result is true.
  private func refuses() -> Bool {
    do { try check() } catch {
      refusal = error
      return true
    }
    return false
  }

  /// Returns the error of the latest refused commit, once.
  func takeRefusal() -> (any Error)? {
    defer { refusal = nil }
    return refusal
  }
}
