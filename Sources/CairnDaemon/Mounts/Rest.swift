import Glibc

/// When a mount gives memory back to the system: once nothing was to be done for a while, after
/// much was, or after the process has grown. What comes in pieces looks finished between any two of
/// them, so the end of one piece is no rest.
struct Rest {
  /// The bytes that the process had in memory after it last gave some back.
  private var left = 0
  /// The records that were sent or arrived until memory was last given back; nil before that first
  /// happened, after the start.
  private var released: Int?
  /// What had been done when the quiet began.
  private var quiet = 0
  /// When the quiet has lasted long enough, in nanoseconds of the clock's; nil if nothing waits for
  /// that.
  private(set) var begins: Int64?

  /// How long nothing may happen before, in nanoseconds.
  static let pause: Int64 = 1_000_000_000
  /// How many records are much: a file now and then costs nobody the pages that the next one needs.
  static let much = 64
  /// How many bytes more are much: questions, and changes of the share, move no record.
  static let growth = 4 << 20

  /// Asked whenever nothing is left to do.
  /// - Parameters:
  ///   - done: How many records were sent or arrived since the start.
  ///   - resident: How many bytes the process has in memory.
  ///   - now: The clock's time, in nanoseconds.
  /// - Returns: whether memory is to be given back now; then `gaveBack` is told what is left.
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

  /// Something is left to do; the quiet begins when that is done.
  mutating func wait() { begins = nil }

  /// Tells how many bytes the process has in memory after it gave some back.
  mutating func gaveBack(leaving resident: Int) { left = resident }

  /// How many bytes this process has in memory; 0 where the kernel doesn't tell.
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
