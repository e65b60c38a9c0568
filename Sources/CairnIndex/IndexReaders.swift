import Glibc
import Synchronization

/// The connections that read an index file in parallel with the writer, opened as they are needed.
/// A thread that waits here waits for the lock of one connection.
final class IndexReaders: Sendable {
  private struct State {
    var connections: [SQLiteConnection] = []
    /// The threads that use each connection now.
    var users: [[pthread_t]] = []
  }

  private let path: String
  private let state = Mutex(State())
  private static let limit = 4

  init(path: String) { self.path = path }

  /// Runs one consistent read, on an unused connection if there is one.
  func look<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    let thread = pthread_self()
    let (number, connection) = try state.withLock { try take(thread, &$0) }
    defer {
      state.withLock { state in
        state.users[number].lastIndex(of: thread).map { _ = state.users[number].remove(at: $0) }
      }
    }
    return try connection.look(body)
  }

  /// Returns the least busy connection, and its number. A thread that reads inside of a read gets
  /// another connection, because it would otherwise wait for itself.
  private func take(_ thread: pthread_t, _ state: inout State) throws -> (Int, SQLiteConnection) {
    let least = state.users.indices.min { state.users[$0].count < state.users[$1].count }
    if let least,
      state.users[least].isEmpty
        || state.users.count >= Self.limit && !state.users.joined().contains(thread)
    {
      state.users[least].append(thread)
      return (least, state.connections[least])
    }
    let connection = try IndexFile.open(path, isReadOnly: true)
    state.connections.append(connection)
    state.users.append([thread])
    return (state.connections.count - 1, connection)
  }

  /// Adds the work of all connections.
  func count(_ work: inout IndexWork) {
    for connection in state.withLock({ $0.connections }) {
      connection.exclusively { work.add($0) }
    }
  }

  /// Forgets the row numbers of all connections.
  func forgetRowNumbers() {
    for connection in state.withLock({ $0.connections }) {
      connection.exclusively { $0.forgetRowNumbers() }
    }
  }

  /// Drops the pages of the file from memory.
  func releaseMemory() throws {
    for connection in state.withLock({ $0.connections }) {
      try connection.exclusively { try $0.execute(IndexFile.forgetPages) }
    }
  }
}
