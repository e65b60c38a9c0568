import CairnControl
import CairnSystem
import CairnThreads
import Glibc
import Logging

/// The program around the daemon: home, lock, log, socket, signals, and the order of their starts
/// and ends (cairnd(8)).
public enum DaemonProgram {
  /// The version of programs and library.
  public static let version = Control.version

  /// Runs the daemon until a signal or `cairn stop` ends it.
  /// - Parameters:
  ///   - readyDescriptor: A descriptor that gets a byte when the socket answers.
  ///   - handover: The descriptors of this process before it became this program.
  /// - Returns: The exit status.
  public static func run(readyDescriptor: Int32?, handover: Handover? = nil) -> Int32 {
    _ = cairn_malloc_tune()
    let readiness = readyDescriptor.map { Readiness(descriptor: $0) }
    // A daemon in the background must not keep its starting folder busy.
    if readyDescriptor != nil { chdir("/") }
    signal(SIGPIPE, SIG_IGN)
    Descriptors.raiseLimit()
    let signals = EndSignals.block()
    LoggingSystem.bootstrap { StandardErrorLog(label: $0) }
    let log = Logger(label: "cairnd")
    do {
      try setLogLevels()
      let home = try Home()
      guard home.hasContainer else { throw home.noAccount }
      try home.makeFolders(withKeys: false)
      try home.makeRuntimeFolder()
      let lock = try lock(home, handover)
      let ends = EndRequests()
      guard PosixThread.run("cairn-signals", { EndSignals.wait(signals) { ends.end() } })
      else { throw Failures.noThreads }
      let daemons = HomeRuntime(home: home, ends: ends, log: log)
      // Lock and socket are the home's until the process ends, or becomes another program.
      let (successor, why) = try withExtendedLifetime(lock) {
        let successor = try daemons.run(readiness, takingOver: handover?.socket)
        let why = successor.map {
          Handover(lock: lock.descriptor, socket: $0.socket).become($0.path)
        }
        return (successor, why)
      }
      guard let successor, let why else { return 0 }
      // The service manager, or the next command, starts another one.
      throw ControlError(
        .internalError, "This daemon ended to become \(successor.path), and can't: \(why)",
        remedy: "See that Cairn is installed completely.")
    } catch {
      let failure = Failures.control(error)
      StandardErrorLog.fail("cairnd: \(failure)")
      return failure.exitStatus
    }
  }

  /// Sets the log levels that the environment variable CAIRN_LOG names.
  private static func setLogLevels() throws {
    guard let text = getenv("CAIRN_LOG").map({ String(cString: $0) }) else { return }
    do { try LogLevels.shared.set(text) } catch {
      throw ControlError(
        .invalidArguments, "CAIRN_LOG is “\(text)”. \(error.message)", remedy: error.remedy)
    }
  }

  /// Locks the home. A killed daemon holds its lock until the kernel has removed it: a daemon that
  /// doesn't answer any more is waited for.
  private static func lock(_ home: Home, _ handover: Handover?) throws -> HomeLock {
    if let handover, let lock = HomeLock(home, takingOver: handover.lock) { return lock }
    do { return try HomeLock(home) } catch {
      guard error.code == .alreadyRunning, !isAnswering(home) else { throw error }
      let free = Waiter<Void>()
      let isWaiting = PosixThread.run("cairn-home-lock") {
        HomeLock.waitUntilFree(home)
        free.complete()
      }
      guard isWaiting, free.wait(until: Monotonic.now + 5_000_000_000) != nil else {
        throw error
      }
      return try HomeLock(home)
    }
  }

  private static func isAnswering(_ home: Home) -> Bool {
    do {
      _ = try ControlClient(home: home).call(Control.Ping())
      return true
    } catch {
      return false
    }
  }

  /// Performs `cairn init`.
  public static func setUp() -> Int32 {
    answer(Control.Setup.self) { request, home in
      let others = HomeContainers(home)
      let place = try others.place(for: request.containerName)
      return try DaemonSetup(request: request, home: place, others: others).run()
    }
  }

  /// Performs `cairn device join`.
  public static func join() -> Int32 {
    answer(Control.Join.self) { request, home in
      let others = HomeContainers(home)
      let place = try others.place(for: request.containerName)
      return try DaemonJoin(request: request, home: place, others: others).run()
    }
  }

  /// Performs `cairn init --recover`.
  public static func recover() -> Int32 {
    answer(Control.Recover.self) { request, home in
      let others = HomeContainers(home)
      let place = try others.place(for: request.containerName)
      return try DaemonRecovery(request: request, home: place, others: others).run()
    }
  }

  /// Performs `cairn drop put`.
  public static func put() -> Int32 {
    answer(Control.Put.self) { request, home in
      try DaemonPut(request: request, home: home).run {
        SetupChannel.write(Control.Line<Control.PutReply>.update(.progress($0)))
      }
    }
  }

  private static func answer<Operation: ControlOperation>(
    _ operation: Operation.Type, _ body: (Operation, Home) throws -> Operation.Reply
  ) -> Int32 {
    do {
      let request = try SetupChannel.readRequest(operation)
      let reply = try body(request, Home())
      SetupChannel.write(.reply(reply))
      return 0
    } catch {
      let failure = Failures.control(error)
      SetupChannel.write(Control.Line<Operation.Reply>.error(failure))
      return failure.exitStatus
    }
  }
}

/// The signals that end the daemon. A thread waits for them in the kernel: a signal source of
/// libdispatch, which the signal libraries use, wakes an idle process once a second.
enum EndSignals {
  /// Blocks the signals in this thread and every thread that starts from here on.
  static func block() -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    return signals
  }

  /// Calls `body` when one of them comes.
  static func wait(_ signals: sigset_t, _ body: () -> Void) {
    var signals = signals
    var number: Int32 = 0
    while sigwait(&signals, &number) == 0 { body() }
  }
}

/// Tells systemd the state of the service (sd_notify(3)); without systemd nothing happens.
enum SystemdNotice {
  static func send(_ text: String) {
    guard let name = getenv("NOTIFY_SOCKET"), strlen(name) < 107, strlen(name) > 1 else { return }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | 0o2000000, 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let length = strlen(name)
    withUnsafeMutableBytes(of: &address.sun_path) { path in
      path.copyMemory(from: UnsafeRawBufferPointer(start: name, count: length))
      // An abstract socket is written with @ and begins with a NUL.
      if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + length)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = text.withCString { sendto(descriptor, $0, strlen($0), 0, address, size) }
      }
    }
  }
}
