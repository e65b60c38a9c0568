import CairnThreads
import Glibc
import Logging
import Synchronization

/// Replaces a daemon whose program was replaced by the new one, once nobody needs it. The daemon's
/// work and its end are unknown here.
final class Upgrade: Sendable {
  /// The time between two checks whether the daemon is idle, in milliseconds, while a new program
  /// waits.
  private static let patience: Int32 = 1_000

  private let file: ProgramFile?
  private let log: Logger
  private let waiting = Mutex<String?>(nil)
  private let stir: ProgramWatch?

  init(log: Logger) {
    file = ProgramFile()
    self.log = log
    stir = file.map { ProgramWatch($0.folder) }
  }

  /// The version of the program that the daemon is about to become; nil if its own is unchanged.
  var version: String? { waiting.withLock { $0 } }

  /// The path of that program.
  var path: String? { file?.path }

  /// Watches from here on.
  /// - Parameter handOver: Called, on a thread of its own, when there is another program. It
  ///   returns whether the daemon ends for it; if not, it is called again later.
  func start(_ handOver: @escaping @Sendable () -> Bool) {
    guard let file, let stir else { return }
    // Without a thread the daemon keeps its program until somebody ends it.
    _ = PosixThread.run("cairn-upgrade") { [self] in run(file, stir, handOver) }
  }

  /// Ends the thread, some time after this returns.
  func stop() { stir?.stop() }

  private func run(_ file: ProgramFile, _ stir: ProgramWatch, _ handOver: () -> Bool) {
    var succession = LiveUpgrade(file.own)
    var why = ProgramWatch.Why.time
    while why != .ended {
      let now = Monotonic.now
      switch succession.look(file.standing, hasStirred: why == .stirred, at: now) {
      case .wait(let end):
        if end == nil { tell(nil) }
        // One millisecond more, so that the time is over then.
        why = stir.wait(end.map { Int32(clamping: max(0, $0 - now) / 1_000_000 + 1) })
      case .ask:
        let version = file.standingVersion()
        succession.answered(runs: version != nil, at: Monotonic.now)
        tell(version)
        why = .time
      case .handOver:
        if handOver() { return }
        why = stir.wait(Self.patience)
      }
    }
  }

  private func tell(_ version: String?) {
    waiting.withLock { $0 = version }
    guard let version else { return }
    log.info("version \(version) stands at \(file?.path ?? ""): this daemon becomes it when idle")
  }
}
