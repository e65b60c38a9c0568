/// The system calls of a process, from the summary of `strace -c`.
public struct CallCounts: Sendable, Equatable {
  /// The number of all calls.
  public var total: Int
  /// The number of calls of each name.
  public var byName: [String: Int]

  /// Reads the summary; nil if it has no table.
  public init?(_ summary: String) {
    var byName: [String: Int] = [:]
    for line in summary.split(separator: "\n") {
      // % time, seconds, usecs/call, calls, errors (may be empty), syscall
      let fields = line.split(separator: " ")
      guard fields.count >= 5, Double(fields[0]) != nil, Double(fields[1]) != nil,
        let count = Int(fields[3]), let name = fields.last, name != "total"
      else { continue }
      byName[String(name), default: 0] += count
    }
    guard !byName.isEmpty else { return nil }
    self.byName = byName
    total = byName.values.reduce(0, +)
  }
}
