import CairnContainer
import CairnControl
import CairnStore
import CairnThreads
import Logging
import NIOCore
import Synchronization

/// Wakes others directly when this device has written, and is woken by them: it owns the sockets,
/// and the thread that has the addresses of others. The written data is unknown here.
final class Wakes: Sendable {
  /// A message to the thread.
  enum Message: Sendable {
    /// An object was stored in the log of a zone with that tag of its bell.
    case wrote(folder: String, tag: UInt32)
    /// There may be new contacts, or they may have other devices.
    case people
    /// The container was read: it is time to check for other addresses of this machine.
    case asked
    case stop(Waiter<Void>)
  }

  private let container: Container
  private let store: AskingStore
  private let settings: WakeSettings
  private let log: Logger
  private let ears: WakeUpListener
  private let port: WakePort
  private let figures = Mutex(Control.Wakes())
  private let mailbox = Mailbox<Message>(limit: 10_000, overflow: .people)
  private let isRunning = Mutex(false)
  /// The date, in nanoseconds since 1970.
  private let date: @Sendable () -> Int64

  init(
    _ container: Container, _ store: AskingStore, _ settings: WakeSettings, log: Logger,
    date: @escaping @Sendable () -> Int64 = { Control.Time.now().nanoseconds }
  ) {
    self.container = container
    self.store = store
    self.settings = settings
    self.log = log
    self.date = date
    let ears = WakeUpListener(store) { date() / 1_000_000_000 }
    self.ears = ears
    port = WakePort { ears.hear($0) }
  }

  /// The state for answers.
  var told: Control.Wakes {
    var told = figures.withLock { $0 }
    told.heard = ears.heard
    return told
  }

  /// Listens, and starts the thread.
  /// - Throws: `ControlError` if it cannot listen there, or the system has no more threads.
  func start() throws(ControlError) {
    let failure: ControlError?
    do throws(ControlError) {
      try port.listen(on: settings.listen)
      failure = nil
    } catch {
      // A device that cannot listen sends all the same.
      failure = error
    }
    let isStarted = PosixThread.run("cairn-wakes") { [self] in run() }
    isRunning.withLock { $0 = isStarted }
    guard isStarted else { throw Failures.noThreads }
    let listens = !settings.listen.isEmpty
    store.observe(
      AskingStore.Observer(
        wrote: { [mailbox] in mailbox.hint([.wrote(folder: $0, tag: $1)]) },
        asked: { [mailbox] in if listens { mailbox.hint([.asked]) } }))
    if let failure { throw failure }
  }

  /// Notes that there may be new contacts, or other devices of theirs.
  func hint() { mailbox.hint([.people]) }

  /// Announces that this device doesn't listen any more, and ends; it is done when this returns.
  func end() {
    let gone = Waiter<Void>()
    if isRunning.withLock({ $0 }), mailbox.post(.stop(gone)) { gone.wait() }
    port.close()
  }

  private func run() {
    var work = WakeWork(container, store, listens: !settings.listen.isEmpty, sends: settings.sends)
    var due: Int64? = Monotonic.now
    var isFailing = false
    while true {
      let messages = mailbox.take(until: due)
      do {
        let now = Monotonic.now
        try work.take(messages, now: now)
        // Before the container is read: its answer may take long.
        send(&work)
        try work.ask(messages, addresses: port.addresses, now: now)
        isFailing = false
      } catch {
        if !isFailing {
          log.warning("nobody is woken, or told where this device listens, for now: \(error)")
        }
        isFailing = true
      }
      if let lines = work.newLines() { ears.set(lines) }
      send(&work)
      for case .stop(let gone) in messages {
        work.takeDown()
        return gone.complete()
      }
      let (listening, known) = (work.listening, work.known)
      figures.withLock { figures in
        figures.addresses = listening.compactMap { address in
          SocketAddress(address).flatMap { WakeSettings.text($0) }
        }
        figures.devices = known
      }
      let rest = 1_000_000_000 - date() % 1_000_000_000
      due = work.isWaiting ? Monotonic.now + rest : nil
    }
  }

  private func send(_ work: inout WakeWork) {
    let second = date() / 1_000_000_000
    for (line, addresses, tags) in work.send(second: second) {
      let datagram = line.seal(tags, at: second)
      for address in addresses { port.send(datagram, to: address) }
      figures.withLock { $0.sent += addresses.count }
    }
  }
}
