import CairnZone

/// Which datagrams are awaited, known by what they begin with. A stranger's costs one look-up, and
/// no key is used for it; each that is awaited counts once. It must not know sockets or clocks: the
/// second is handed in, counted since 1970.
public struct WakeTable: Sendable {
  /// How far clocks may be apart, and how long a datagram may take, in seconds.
  public static let tolerance: Int64 = 30
  /// The most devices that are heard.
  public static let most = 1_024

  private var lines: [WakeLine] = []
  /// What is awaited: of which line.
  private var awaited: [Bytes16: Int] = [:]
  /// The same by the second that it belongs to.
  private var seconds: [Int64: [Bytes16]] = [:]
  /// What came and counts no more, with its second.
  private var used: [Bytes16: Int64] = [:]
  /// Of which seconds the tags are known.
  private var span: ClosedRange<Int64>?
  /// How often a key was used so far: it grows with the time and with what members send.
  public private(set) var keyUses = 0

  /// Nobody is awaited.
  public init() {}

  /// Awaits these from here on, and nobody else.
  public mutating func set(_ lines: [WakeLine]) {
    self.lines = Array(lines.prefix(Self.most))
    (awaited, seconds, span) = ([:], [:], nil)
  }

  /// How many datagrams are awaited by now.
  public var count: Int { awaited.count }

  /// A datagram came.
  /// - Parameters:
  ///   - datagram: Its bytes.
  ///   - second: When.
  /// - Returns: the tags of the zones where something is new; nil if it is none that is awaited.
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

  /// Makes the tags of a second, if they aren't: once in each, however many datagrams come.
  private mutating func move(to second: Int64) {
    let (first, last) = (second - Self.tolerance, second + Self.tolerance)
    guard let known = span, known.contains(second) || known.contains(first) else {
      return begin(first...last)
    }
    // A clock that goes back a little finds all that it needs.
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

  /// A tag may be of a second that far ahead of the one in which it was used.
  private mutating func forgetUsed(before first: Int64) {
    guard !used.isEmpty else { return }
    used = used.filter { $0.value >= first - Self.tolerance }
  }
}
