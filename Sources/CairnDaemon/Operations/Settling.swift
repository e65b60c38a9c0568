import CairnControl
import CairnFolders
import CairnReplica
import CairnStore
import CairnThreads
import CairnZone
import Glibc
import Synchronization

/// Waiting until mounts have nothing to do.
struct Settling {
  let mounts: Mounts
  let traffic: Traffic

  /// Waits until nothing waits in either direction for these mounts; except for those without a
  /// folder, which only a person can put back, and paused ones.
  func settle(_ wanted: [Mount], until deadline: Int64?, _ stream: ResponseStream) throws {
    let gone = Waiter<Void>()
    let settled = wanted.map { _ in Waiter<Void>() }
    stream.onDisconnect {
      gone.complete(())
      for waiter in settled { waiter.complete(()) }
    }
    mounts.afterHints {
      for (mount, waiter) in zip(wanted, settled) { mount.settle(waiter) }
    }
    var (detached, paused): ([Mount], Mount?) = ([], nil)
    // By path and code: the numbers in a message may change.
    var told: [Control.Path?: Set<Control.ErrorCode>] = [:]
    for (mount, waiter) in zip(wanted, settled) {
      tell(stream, about: mount)
      while true {
        let slice = Monotonic.now + 500_000_000
        if waiter.wait(until: deadline.map { min($0, slice) } ?? slice) != nil { break }
        // In all folders: the one that is waited for first may be the last to have trouble.
        for problem in wanted.flatMap({ MountPresenter.hindrances(of: $0) })
        where told[problem.path, default: []].insert(problem.code).inserted {
          stream.problem(problem)
        }
        if mount.snapshot.withLock({ $0.phase == .detached }) {
          detached.append(mount)
          break
        }
        if traffic.pause(of: mount.zone.id.description) != nil {
          paused = paused ?? mount
          break
        }
        tell(stream, about: mount)
        if let deadline, Monotonic.now >= deadline { throw try timedOut(wanted) }
      }
    }
    if gone.wait(until: 0) != nil {
      throw ControlError(.operationCancelled, "Nobody waits any more.", remedy: "Nothing to do.")
    }
    if let paused { throw Self.paused(traffic, paused) }
    if let mount = detached.first {
      let snapshot = mount.snapshot.withLock { $0 }
      let note = PendingText.clause(snapshot.note ?? "the folder isn't there")
      throw ControlError(
        .partialFailure,
        "\(Control.Path(mount.path)): \(note). All other folders are up to date.",
        remedy: snapshot.remedy ?? "See `cairn status`.", path: Control.Path(mount.path))
    }
  }

  /// Returns the error for a wait that only a person could end.
  /// - Parameters:
  ///   - traffic: The pauses.
  ///   - mount: The folder; nil for the account.
  /// - Returns: The error.
  static func paused(_ traffic: Traffic, _ mount: Mount?) -> ControlError {
    let path = mount.map { Control.Path($0.path) }
    let pause = traffic.pause(of: mount?.zone.id.description)
    let since = pause.map { " since \(Control.Time(nanoseconds: $0.since))" } ?? ""
    let end = pause?.until.map { " until \(Control.Time(nanoseconds: $0))" } ?? ""
    return ControlError(
      .partialFailure,
      "\(path?.description ?? "All traffic with the container"): it is paused\(since)\(end); "
        + "changes here are sent later.",
      remedy: "Run `cairn resume` to continue.", path: path)
  }

  /// Waits briefly for files that were just put into a folder, so that they are in the share; the
  /// rest is sent later.
  func settleBriefly(_ wanted: [Mount], _ stream: ResponseStream) throws {
    let wanted = wanted.filter { traffic.pause(of: $0.zone.id.description) == nil }
    guard !wanted.isEmpty else { return }
    do {
      try settle(wanted, until: Monotonic.now + 5_000_000_000, stream)
    } catch let error as ControlError {
      guard error.code == .timedOut else { throw error }
    }
  }

  /// Waits briefly for commits of this device, until its folder has their result.
  /// - Parameters:
  ///   - mount: The folder.
  ///   - stream: The answer, which shows the progress.
  /// - Returns: false if the result arrives later: the folder is paused, away or busy.
  func arrives(in mount: Mount, _ stream: ResponseStream) -> Bool {
    guard traffic.pause(of: mount.zone.id.description) == nil else { return false }
    do {
      try settle([mount], until: Monotonic.now + 5_000_000_000, stream)
      return true
    } catch {
      // The commits are made, and `status` reports the trouble.
      return false
    }
  }

  private func tell(_ stream: ResponseStream, about mount: Mount) {
    stream.progress(mount.atWork().progress(Control.Path(mount.path)))
  }

  private func timedOut(_ mounts: [Mount]) throws -> ControlError {
    let waiting = mounts.flatMap { mount -> [(path: String, reason: String)] in
      let standing = mount.atWork()
      let pending = standing.phase == .offline ? [] : pending(of: mount)
      guard pending.isEmpty else {
        return pending.map { (mount.absolute($0.path).description, $0.reason) }
      }
      return [(Control.Path(mount.path).description, Self.work(standing))]
    }
    return ControlError(
      .timedOut, "Not up to date yet: \(PendingText.list(waiting)).",
      remedy: "See `cairn status`, or wait longer.")
  }

  /// Returns the reasons that a mount isn't up to date; none during a long sync cycle, or after an
  /// error: then its phase is reported.
  private func pending(of mount: Mount) -> [(path: [UInt8], reason: String)] {
    do { return try mount.ask(within: 2) { try $0.pending(limit: 10) } } catch {
      // A waiting command is told that the time is over, whatever else is wrong.
      return []
    }
  }

  /// Returns the work of a mount for a waiting command: its own list is unavailable during a long
  /// sync cycle.
  private static func work(_ standing: MountActivity) -> String {
    let (phase, work) = (standing.phase, standing.reading.work)
    let what: String
    switch phase {
    case .starting: what = "starting"
    case .scanning:
      what = "scanning the folder, \(work.looked ?? 0) names so far"
    case .sending, .receiving:
      what =
        "\(phase.rawValue), \(work.names.done) changes done"
        + (work.names.pending > 0 ? ", \(work.names.pending) to go" : "")
    case .idle, .waiting: what = "almost finished"
    default:
      guard let note = standing.snapshot.note else { return phase.rawValue }
      return PendingText.clause(note)
    }
    return what + (standing.snapshot.note.map { ", \(PendingText.clause($0))" } ?? "")
  }
}
