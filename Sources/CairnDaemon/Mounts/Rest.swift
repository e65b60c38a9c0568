import Glibc

/// The time at which a mount returns memory to the system: after a pause that follows much work, or
/// growth of the process. Work that comes in pieces looks finished between any two of them, so the
/// end of one piece is no rest.
struct Rest {
  /// The bytes that the process had in memory after it last returned some.
  private var left = 0
  /// The number of records sent or received until memory was last returned; nil before the first
  /// time.
  private var released: Int?
  /// The number of records when the pause began.
  private var quiet = 0
  /// The end of the pause, in nanoseconds of the clock; nil if nothing waits for it.
  private(set) var begins: Int64?

  /// The length of the pause, in nanoseconds.
  static let pause: Int64 = 1_000_000_000
  /// The number of records that is much: for a file from time to time, the pages that the next one
  /// needs may stay.
  static let much = 64
  /// The growth that is much: requests, and changes of the share, move no record.
  static let growth = 4 << 20

  /// Checks the time whenever nothing is left to do.
  /// - Parameters:
  ///   - done: The number of records sent or received since the start.
  ///   - resident: The bytes that the process has in memory.
  ///   - now: The clock's time, in nanoseconds.
  /// - Returns: True if memory is to be returned now; then `gaveBack` must be called.
  mutating func isDue(done: Int, resident: Int, now: Int64) -> Bool {
    let hasGrown = resident - left >= Self.growth
    guard released.map({ hasGrown || done - $0 >= Self.much }) ?? true else {
      begins = nil
      return false
    }
    guard let end = begins, quiet == done else {
      quiet = done
      begins = now + Self.pause
      return false
    }
    guard now >= end else { return false }
    released = done
    begins = nil
    return true
  }

  /// Notes that there is work; the pause begins after it.
  mutating func wait() { begins = nil }

  /// Notes the bytes that the process has in memory after it returned some.
  mutating func gaveBack(leaving resident: Int) { left = resident }

  /// The bytes that this process has in memory; 0 if the kernel doesn't tell.
  static var resident: Int {
    let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 128)
    let count = read(file, &buffer, buffer.count)
    let fields = buffer.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
    guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self)) else {
      return 0
    }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}
