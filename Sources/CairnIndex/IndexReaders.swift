import GRDB
import Glibc
import Synchronization

/// The connections that read an index file beside whoever writes to it, opened as they are needed.
/// Where two threads ask at the same moment, GRDB's own pool hands work to libdispatch, whose
/// monitor wakes the process once a second from then on. Who waits here waits in a connection's own
/// queue.
final class IndexReaders: Sendable {
  private struct State {
    var queues: [DatabaseQueue] = []
    /// The threads that each of them has now.
    var users: [[pthread_t]] = []
  }

  private let path: String
  private let settings: Configuration
  private let state = Mutex(State())
  private static let limit = 4

  init(path: String, settings: Configuration) {
    self.path = path
    var settings = settings
    settings.readonly = true
    self.settings = settings
  }

  /// One consistent look, on a connection that nobody uses if there is one.
  func look<Result>(_ body: (IndexConnection) throws -> Result) throws -> Result {
    let thread = pthread_self()
    let (number, queue) = try state.withLock { try take(thread, &$0) }
    defer {
      state.withLock { state in
        state.users[number].lastIndex(of: thread).map { _ = state.users[number].remove(at: $0) }
      }
    }
    return try queue.look(body)
  }

  /// The least busy connection, and its number. A thread that looks inside of a look gets another
  /// one, or it would wait for itself.
  private func take(_ thread: pthread_t, _ state: inout State) throws -> (Int, DatabaseQueue) {
    let least = state.users.indices.min { state.users[$0].count < state.users[$1].count }
    if let least,
      state.users[least].isEmpty
        || state.users.count >= Self.limit && !state.users.joined().contains(thread)
    {
      state.users[least].append(thread)
      return (least, state.queues[least])
    }
    let queue = try DatabaseQueue(path: path, configuration: settings)
    state.queues.append(queue)
    state.users.append([thread])
    return (state.queues.count - 1, queue)
  }

  /// Forgets the pages of the file that are in memory.
  func releaseMemory() throws {
    for queue in state.withLock({ $0.queues }) {
      try queue.unsafeRead { try $0.execute(sql: IndexFile.forgetPages) }
    }
  }
}
