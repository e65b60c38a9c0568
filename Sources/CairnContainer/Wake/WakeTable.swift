import CairnZone

/// The expected datagrams, by their first bytes. A stranger's datagram costs one lookup, and no key
/// is used for it. Each expected one counts once. It must not know sockets or clocks: the second
/// since 1970 is an argument.
public struct WakeTable: Sendable {
  /// The maximum difference of clocks plus the transit time, in seconds.
  public static let tolerance: Int64 = 30
  /// The maximum number of sending devices.
  public static let most = 1_024

  private var lines: [WakeLine] = []
  /// The expected datagrams, with their channel.
  private var awaited: [Bytes16: Int] = [:]
  /// The same, by second.
  private var seconds: [Int64: [Bytes16]] = [:]
  /// Received datagrams, which count no more, with their second.
  private var used: [Bytes16: Int64] = [:]
  /// The seconds whose first bytes are known.
  private var span: ClosedRange<Int64>?
  /// The number of uses of keys so far. It grows with the time and with members' messages.
  public private(set) var keyUses = 0

  /// Creates a table without expected datagrams.
  public init() {}

  /// Sets the channels of expected datagrams.
  public mutating func set(_ lines: [WakeLine]) {
    self.lines = Array(lines.prefix(Self.most))
    (awaited, seconds, span) = ([:], [:], nil)
  }

  /// The number of currently expected datagrams.
  public var count: Int { awaited.count }

  /// Handles a datagram.
  /// - Parameters:
  ///   - datagram: Its bytes.
  ///   - second: The current time.
  /// - Returns: the topics of the changed zones; nil if it was not expected.
  public mutating func take(_ datagram: some Collection<UInt8>, second: Int64) -> [UInt32]? {
    guard datagram.count == WakeLine.count, let tag = Bytes16(datagram.prefix(16)) else {
      return nil
    }
    move(to: second)
    guard let line = awaited.removeValue(forKey: tag) else { return nil }
    used[tag] = second
    keyUses += 1
    return lines[line].open(Array(datagram))
  }

  /// Computes the first bytes of a second: once in each, however many datagrams come.
  private mutating func move(to second: Int64) {
    let (first, last) = (second - Self.tolerance, second + Self.tolerance)
    guard let known = span, known.contains(second) || known.contains(first) else {
      return begin(first...last)
    }
    // A clock that goes back a little still finds all it needs.
    guard known.upperBound < last else { return }
    for old in known.lowerBound..<first { drop(old) }
    for new in (known.upperBound + 1)...last { make(new) }
    span = first...last
    forgetUsed(before: first)
  }

  private mutating func begin(_ wanted: ClosedRange<Int64>) {
    (awaited, seconds) = ([:], [:])
    for second in wanted { make(second) }
    span = wanted
    forgetUsed(before: wanted.lowerBound)
  }

  private mutating func make(_ second: Int64) {
    var tags: [Bytes16] = []
    tags.reserveCapacity(lines.count)
    for (index, line) in lines.enumerated() {
      let tag = line.tag(at: second)
      keyUses += 1
      tags.append(tag)
      if used[tag] == nil { awaited[tag] = index }
    }
    seconds[second] = tags
  }

  private mutating func drop(_ second: Int64) {
    for tag in seconds.removeValue(forKey: second) ?? [] { awaited[tag] = nil }
  }

  /// A datagram may be of a second that far ahead of its use.
  private mutating func forgetUsed(before first: Int64) {
    guard !used.isEmpty else { return }
    used = used.filter { $0.value >= first - Self.tolerance }
  }
}
