import BenchFigures
import Glibc

/// The time and the resources of a part of a case.
struct Measured {
  var seconds: Double
  var cost = Cost()

  var milliseconds: Double { seconds * 1_000 }
  /// Processor seconds of the daemons.
  var processor: Double { cost.processor ?? 0 }
}

/// Measures what the daemons of a few people use during a part of a case.
struct Meter {
  private let world: World
  private let processes: [pid_t]
  private let before: [ProcessFigures]
  private let stored: Double
  private let tracer: Tracer?

  /// Begins to measure daemons that are running. Tracing counts their system calls, too. This makes
  /// the part several times slower.
  init(_ world: World, _ people: [World.Person], isTracing: Bool) throws {
    self.world = world
    // From here on only the kernel is asked, so that answers cost the daemons nothing.
    processes = try people.map { try $0.process() }
    // What was written to prepare the part belongs to no side's time.
    try syncFileSystem(world.path)
    stored = world.stored()
    tracer = isTracing ? try Tracer(of: processes, in: world.path) : nil
    before = processes.map { ProcessFigures(of: $0) }
  }

  /// Ends the measurement of a part that took that long.
  func end(seconds: Double) -> Measured {
    let after = processes.map { ProcessFigures(of: $0) }
    let pairs = Array(zip(after, before))
    var cost = Cost()
    cost.calls = tracer?.end().map { Double($0.total) }
    cost.processor = pairs.map { $0.processor - $1.processor }.reduce(0, +)
    cost.written = pairs.map { $0.bytesWritten - $1.bytesWritten }
    cost.toDisk = pairs.map { $0.bytesToDisk - $1.bytesToDisk }.reduce(0, +)
    cost.stored = world.stored() - stored
    return Measured(seconds: seconds, cost: cost)
  }
}

/// Counts the system calls of running processes with strace.
final class Tracer {
  private let strace: Child
  private let output: String

  /// Returns when strace counts for all threads of the processes and of their children.
  init(of processes: [pid_t], in folder: String) throws {
    output = folder + "/calls"
    let all = processes.flatMap { ProcessFigures.family(of: $0) }
    strace = try Child(
      ["strace", "-f", "-c", "-q", "-o", output] + all.flatMap { ["-p", "\($0)"] }, isQuiet: true)
    let deadline = now() + 30
    while !all.allSatisfy(Self.isTraced) {
      guard now() < deadline, Glibc.kill(strace.process, 0) == 0 else {
        strace.kill()
        throw Child.Trouble(description: "strace may not count the daemons' system calls")
      }
      _ = poll(nil, 0, 20)
    }
  }

  /// Lets the processes go.
  /// - Returns: nil if strace counted nothing.
  func end() -> CallCounts? {
    strace.stop(by: SIGINT)
    return CallCounts(text(of: output))
  }

  private static func isTraced(_ process: pid_t) -> Bool {
    names(in: "/proc/\(process)/task").allSatisfy { task in
      text(of: "/proc/\(process)/task/\(task)/status").split(separator: "\n").contains {
        $0.hasPrefix("TracerPid:") && !$0.hasSuffix("\t0")
      }
    }
  }
}

extension Bench {
  /// Measures what the daemons of a world do during the body, which ends with durable data.
  func measure(
    _ world: World, _ people: [World.Person]? = nil, _ body: () throws -> Void
  ) throws -> Measured {
    let meter = try Meter(world, people ?? [world.ana, world.bob], isTracing: isTracing)
    let began = now()
    try body()
    return meter.end(seconds: now() - began)
  }

  /// Measures what daemons did since they were started.
  func measureNew(_ people: [World.Person], since began: Double) throws -> Measured {
    let seconds = now() - began
    let figures = try people.map { ProcessFigures(of: try $0.process()) }
    var cost = Cost()
    cost.processor = figures.map(\.processor).reduce(0, +)
    cost.written = figures.map(\.bytesWritten)
    cost.toDisk = figures.map(\.bytesToDisk).reduce(0, +)
    return Measured(seconds: seconds, cost: cost)
  }
}
