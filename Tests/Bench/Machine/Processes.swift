import BenchFigures
import BenchSystem
import CairnThreads
import Glibc
import Synchronization

/// All processes that descend from this program. Daemons leave their parents, so this program
/// adopts them: their processor time stays known, and Ctrl-C ends them.
final class Processes: Sendable {
  static let shared = Processes()

  /// The processes that somebody here waits for. Nobody else may.
  private let awaited = Mutex<Set<pid_t>>([])
  /// The folders to remove if a signal ends this program.
  private let folders = Mutex<[String]>([])

  private init() {}

  /// Prepares this program: it adopts, and a signal ends it together with all that it started. Must
  /// be called before there are other threads.
  func begin() throws {
    guard bench_adopt_orphans() == 0 else {
      throw Child.Trouble(description: "can't adopt daemons")
    }
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGCHLD] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let blocked = signals
    guard PosixThread.run("bench-signals", { [self] in serve(blocked) }) else {
      throw Child.Trouble(description: "no thread is left")
    }
  }

  private func serve(_ signals: sigset_t) {
    var signals = signals
    while true {
      var about = siginfo_t()
      switch sigwaitinfo(&signals, &about) {
      case SIGCHLD: reap(about._sifields._sigchld.si_pid)
      case let signal where signal > 0: end(by: signal)
      default: break
      }
    }
  }

  /// Starts a process by the body, which returns its number, so that only its owner waits for it.
  func start(_ body: () throws -> pid_t) rethrows -> pid_t {
    try awaited.withLock { awaited in
      let process = try body()
      if process > 0 { awaited.insert(process) }
      return process
    }
  }

  /// Marks a process as waited for.
  func ended(_ process: pid_t) { _ = awaited.withLock { $0.remove(process) } }

  /// Remembers a folder that is removed if a signal ends this program.
  func keep(_ folder: String) { folders.withLock { $0.append(folder) } }

  /// Forgets a folder, which its owner has removed.
  func forget(_ folder: String) { folders.withLock { $0.removeAll { $0 == folder } } }

  private func reap(_ process: pid_t) {
    awaited.withLock { awaited in
      guard process > 0, !awaited.contains(process) else { return }
      var status: Int32 = 0
      waitpid(process, &status, WNOHANG)
    }
  }

  /// Returns all processes of the machine that are visible.
  static func table() -> [Int: ProcessRow] {
    var table: [Int: ProcessRow] = [:]
    for process in names(in: "/proc").compactMap({ Int($0) }) {
      table[process] = ProcessRow(text(of: "/proc/\(process)/stat"))
    }
    return table
  }

  /// Returns the processor times of the machine and of this program's descendants.
  func moment() throws -> MachineMoment {
    let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
    var table = Self.table()
    let root = Int(getpid())
    // An adopted process that has ended counts as a child once it was waited for.
    for (process, row) in table where row.parent == root && row.isZombie { reap(pid_t(process)) }
    table = Self.table()
    guard let busy = ProcText.busyTicks(text(of: "/proc/stat")) else {
      throw Child.Trouble(description: "/proc/stat has no line about all processors")
    }
    let below = ProcessRow.descendants(of: root, in: table).compactMap { table[$0] }
    var own = below.reduce(0) { $0 + ($1.ticks + $1.endedTicks) / ticks }
    if let row = table[root] { own += (row.ticks + row.endedTicks) / ticks }
    return MachineMoment(
      time: now(), processors: sysconf(Int32(_SC_NPROCESSORS_ONLN)), busy: busy / ticks,
      own: own, kernel: table.filter(\.value.isKernel).mapValues { $0.ticks / ticks })
  }

  /// Ends this program after a signal, with all its descendants and folders.
  private func end(by signal: Int32) -> Never {
    // The lock stays taken, so that nothing new begins.
    awaited.withLock { _ in
      for _ in 0..<100 {
        let below = ProcessRow.descendants(of: Int(getpid()), in: Self.table())
        if below.isEmpty { break }
        for process in below { kill(pid_t(process), SIGKILL) }
        var status: Int32 = 0
        while waitpid(-1, &status, WNOHANG) > 0 {}
        _ = poll(nil, 0, 20)
      }
      for folder in folders.withLock({ $0 }).reversed() {
        let programs = [["umount", "-l", folder], ["rm", "-rf", "--one-file-system", folder]]
        for words in programs {
          guard let process = try? Child.spawn(words, isQuiet: true) else { continue }
          var status: Int32 = 0
          waitpid(process, &status, 0)
        }
      }
      _exit(128 + signal)
    }
  }
}
