import CairnContainer
import CairnStore
import CairnThreads
import NIOCore
import Synchronization

/// Receives wake-ups, and has the named logs read. It has no access to sockets, or to the senders.
final class WakeUpListener: Sendable {
  private struct State {
    var table = WakeTable()
    var heard = 0
  }

  private let store: AskingStore
  /// The clock, in seconds since 1970.
  private let clock: @Sendable () -> Int64
  private let state = Mutex(State())

  init(_ store: AskingStore, clock: @escaping @Sendable () -> Int64) {
    self.store = store
    self.clock = clock
  }

  /// The number of wake-ups that were meant for this device.
  var heard: Int { state.withLock(\.heard) }

  /// Accepts wake-ups on these lines only, from here on.
  func set(_ lines: [WakeLine]) { state.withLock { $0.table.set(lines) } }

  /// Receives a datagram from any sender.
  func hear(_ datagram: some Collection<UInt8>) {
    let second = clock()
    let tags = state.withLock { state in
      let tags = state.table.take(datagram, second: second)
      if tags != nil { state.heard += 1 }
      return tags
    }
    if let tags { store.woken(Set(tags)) }
  }
}
