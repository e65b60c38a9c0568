import CairnControl
import CairnStore
import CairnThreads
import CairnZone
import Logging
import Synchronization

/// Pauses the traffic of a container at a person's command, and resumes it at a command or a time.
/// It has no knowledge of the traffic.
final class Pausing: Sendable {
  private enum Message: Sendable {
    case look
    case stop
  }

  private let traffic: Traffic
  private let file: PauseFile
  private let log: Logger
  /// A function that is called at the start and the end of a pause, with the zone, or nil for all.
  private let onChange: @Sendable (_ zone: ZoneID?, _ isPaused: Bool) -> Void
  private let mailbox = Mailbox<Message>(limit: 1, overflow: .look)
  /// Locked while pauses change; true if there is a thread that waits for an end.
  private let changing = Mutex(false)

  init(
    _ one: OpenContainer, log: Logger,
    onChange: @escaping @Sendable (_ zone: ZoneID?, _ isPaused: Bool) -> Void
  ) {
    traffic = one.traffic
    file = PauseFile(one.home)
    self.log = log
    self.onChange = onChange
  }

  /// Waits for the ends of pauses that an earlier run left.
  func start() { changing.withLock { awaitEnds(&$0) } }

  /// Ends the thread, some time after this returns.
  func stop() { mailbox.post(.stop) }

  /// Pauses a zone, or all. An earlier pause keeps its start, and gets the new end.
  /// - Parameters:
  ///   - zone: Nil for all.
  ///   - end: The end in nanoseconds since 1970; nil for none.
  /// - Throws: `ControlError` if it cannot be saved; then nothing is paused.
  /// - Returns: The pause.
  func pause(_ zone: ZoneID?, until end: Int64?) throws -> Traffic.Pause {
    let pause = try changing.withLock { isWaiting in
      var pauses = traffic.pauses
      let known = zone.map { pauses.parts[$0.description] } ?? pauses.all
      let pause = Traffic.Pause(since: known?.since ?? Control.Time.now().nanoseconds, until: end)
      if let zone { pauses.parts[zone.description] = pause } else { pauses.all = pause }
      try file.save(pauses)
      traffic.set(pauses)
      awaitEnds(&isWaiting)
      return pause
    }
    onChange(zone, true)
    return pause
  }

  /// Ends the pause of a zone, or every pause.
  /// - Parameter zone: Nil for all.
  /// - Throws: `ControlError` if it cannot be saved.
  /// - Returns: True if there was a pause.
  func resume(_ zone: ZoneID?) throws -> Bool {
    let wasPaused = try changing.withLock { _ in
      var pauses = traffic.pauses
      let before = pauses
      if let zone {
        pauses.parts[zone.description] = nil
      } else {
        pauses = Traffic.Pauses()
      }
      try file.save(pauses)
      traffic.set(pauses)
      return pauses != before
    }
    if wasPaused { onChange(zone, false) }
    return wasPaused
  }

  // MARK: Automatic ends

  private func awaitEnds(_ isWaiting: inout Bool) {
    mailbox.hint([.look])
    guard !isWaiting, traffic.pauses.end != nil else { return }
    isWaiting = PosixThread.run("cairn-pause") { [self] in run() }
    if !isWaiting { log.warning("a pause won't end by itself: no thread is left") }
  }

  private func run() {
    var known = traffic.pauses
    while true {
      // The wall clock may be set during the sleep; then this comes early, and sleeps again.
      let wait = known.end.map { $0 - Control.Time.now().nanoseconds }
      let messages = mailbox.take(until: wait.map { Monotonic.now + max(0, $0) })
      if messages.contains(where: { if case .stop = $0 { true } else { false } }) { return }
      let (before, now) = changing.withLock { _ in
        let before = known
        known = traffic.pauses
        return (before, known)
      }
      tell(before, now)
    }
  }

  /// Reports pauses that ended by time between two checks; those that a person ended were reported.
  private func tell(_ before: Traffic.Pauses, _ now: Traffic.Pauses) {
    let time = Control.Time.now().nanoseconds
    func isOver(_ pause: Traffic.Pause?) -> Bool { pause?.until.map { $0 <= time } ?? false }
    do {
      if isOver(before.all), now.all == nil { onChange(nil, false) }
      for (name, pause) in before.parts where isOver(pause) && now.parts[name] == nil {
        if let zone = ZoneID(hexadecimal: name) { onChange(zone, false) }
      }
      if now != before { try changing.withLock { _ in try file.save(traffic.pauses) } }
    } catch {
      // The pause has ended; its entry in the file has no effect.
      log.warning("\(error)")
    }
  }
}
