import CairnCloud
import CairnStore
import CairnThreads
import NIOCore
import Synchronization

/// Takes the wake-ups that come, and has what they name looked at. It must not know sockets, nor
/// who the others are.
final class WakeEars: Sendable {
  private struct State {
    var table = WakeTable()
    var heard = 0
  }

  private let store: AskingStore
  /// In seconds since 1970.
  private let clock: @Sendable () -> Int64
  private let state = Mutex(State())

  init(_ store: AskingStore, clock: @escaping @Sendable () -> Int64) {
    self.store = store
    self.clock = clock
  }

  /// How many wake-ups came that were meant for this device.
  var heard: Int { state.withLock(\.heard) }

  /// Hears these from here on, and nobody else.
  func set(_ lines: [WakeLine]) { state.withLock { $0.table.set(lines) } }

  /// A datagram came, of whomever.
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
