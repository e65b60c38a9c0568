/// The load that other programs put on the machine during a run.
public struct Load: Sendable, Equatable, Codable {
  /// The part of the machine's processors, 0 to 1, that other programs used during the run.
  public var foreign: Double
  /// The part of the time, 0 to 1, in which other programs waited for a disk, in the second of rest
  /// before the run. nil if the kernel doesn't count it.
  public var pressure: Double?

  /// The largest part of each on a machine that counts as idle.
  public static let limit = 0.05

  /// Creates a load.
  public init(foreign: Double, pressure: Double?) {
    self.foreign = foreign
    self.pressure = pressure
  }

  /// Creates the load between two moments.
  public init(from start: MachineMoment, to end: MachineMoment, pressure: Double?) {
    let passed = (end.time - start.time) * Double(max(end.processors, 1))
    // A kernel thread works for everybody: it writes back what this program wrote. So its time
    // belongs to nobody. A thread that began meanwhile counts from its beginning.
    let kernel = end.kernel.reduce(0) { sum, thread in
      sum + max(0, thread.value - (start.kernel[thread.key] ?? 0))
    }
    let foreign = (end.busy - start.busy) - (end.own - start.own) - kernel
    self.init(foreign: passed > 0 ? max(0, foreign / passed) : 0, pressure: pressure)
  }

  /// A phrase that says why nothing can be judged; nil on an idle machine.
  public var trouble: String? {
    if foreign > Self.limit { return "\(Self.percent(foreign)) foreign load" }
    if let pressure, pressure > Self.limit {
      return "others waited for a disk for \(Self.percent(pressure)) of the time"
    }
    return nil
  }

  /// Returns the larger one of each part.
  func worse(_ other: Load) -> Load {
    let pressures = [pressure, other.pressure].compactMap { $0 }
    return Load(foreign: max(foreign, other.foreign), pressure: pressures.max())
  }

  private static func percent(_ part: Double) -> String { "\(Int((part * 100).rounded())) %" }
}

/// The processor times of a machine at one moment, in seconds.
public struct MachineMoment: Sendable {
  /// The monotonic clock.
  public var time: Double
  /// The number of processors.
  public var processors: Int
  /// The time that all processors together were busy with processes, or that the host withheld.
  public var busy: Double
  /// The time of this program and of its descendants.
  public var own: Double
  /// The time of each thread of the kernel, by its number.
  public var kernel: [Int: Double]

  /// Creates a moment.
  public init(time: Double, processors: Int, busy: Double, own: Double, kernel: [Int: Double]) {
    self.time = time
    self.processors = processors
    self.busy = busy
    self.own = own
    self.kernel = kernel
  }
}

/// The kernel's text files about processes (proc(5)).
public enum ProcText {
  /// Returns the ticks in which the machine's processors were busy with processes, from the text of
  /// `/proc/stat`. Interrupts belong to no process, and often end this program's own requests.
  /// Stolen ticks are those that the host gave to other machines.
  public static func busyTicks(_ stat: String) -> Double? {
    guard let line = stat.split(separator: "\n").first(where: { $0.hasPrefix("cpu ") }) else {
      return nil
    }
    let ticks = line.split(separator: " ").dropFirst().compactMap { Double($0) }
    guard ticks.count >= 4 else { return nil }
    // user, nice, system, idle, iowait, irq, softirq, steal
    return ticks[0] + ticks[1] + ticks[2] + (ticks.count > 7 ? ticks[7] : 0)
  }

  /// Returns the microseconds in which some process waited, from the text of a file in
  /// `/proc/pressure`.
  public static func waited(_ pressure: String) -> Double? {
    guard let line = pressure.split(separator: "\n").first(where: { $0.hasPrefix("some ") }),
      let total = line.split(separator: " ").first(where: { $0.hasPrefix("total=") })
    else { return nil }
    return Double(total.dropFirst("total=".count))
  }
}

/// One process, from the text of `/proc/PID/stat`.
public struct ProcessRow: Sendable {
  /// The number of its parent.
  public var parent: Int
  /// A Boolean value that indicates whether it has ended, and its parent doesn't know yet.
  public var isZombie: Bool
  /// A Boolean value that indicates whether it is a thread of the kernel.
  public var isKernel: Bool
  /// The ticks that it used itself.
  public var ticks: Double
  /// The ticks of its descendants that ended and were waited for.
  public var endedTicks: Double

  /// Reads the text; nil if it isn't that of a process.
  public init?(_ text: String) {
    // The program's name may contain anything.
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: end)...].split(whereSeparator: \.isWhitespace)
    guard fields.count > 14, let parent = Int(fields[1]), let flags = UInt64(fields[6]),
      let user = Double(fields[11]), let system = Double(fields[12]),
      let endedUser = Double(fields[13]), let endedSystem = Double(fields[14])
    else { return nil }
    self.parent = parent
    isZombie = fields[0] == "Z"
    isKernel = flags & 0x0020_0000 != 0
    ticks = user + system
    endedTicks = endedUser + endedSystem
  }

  /// Returns the processes of a table that descend from one, without that one.
  public static func descendants(of root: Int, in table: [Int: ProcessRow]) -> [Int] {
    let children = Dictionary(grouping: table.keys) { table[$0]?.parent ?? 0 }
    var found: [Int] = []
    var next = [root]
    while let process = next.popLast() {
      let more = (children[process] ?? []).filter { $0 != process && $0 != root }
      found += more
      next += more
    }
    return found
  }
}
