import BenchFigures
import Glibc

/// The kernel's figures of a process and of its children (proc(5)).
struct ProcessFigures {
  /// Processor seconds.
  var processor = 0.0
  /// Resident bytes now.
  var resident = 0.0
  /// The highest number of resident bytes.
  var peak = 0.0
  /// Bytes that were read by read(2) and similar calls.
  var bytesRead = 0.0
  /// Bytes that were written by write(2) and similar calls.
  var bytesWritten = 0.0
  /// Bytes that the kernel was made to send to a disk.
  var bytesToDisk = 0.0
  /// The number of times that a thread slept and was woken.
  var wakeups = 0.0

  /// Creates the figures of a process and its children.
  init(of process: pid_t) {
    for process in Self.family(of: process) { add(process) }
  }

  /// Returns the figures of the calling thread, for its own reads and writes only.
  static func ofThread() -> ProcessFigures {
    var figures = ProcessFigures()
    figures.addTransfer("/proc/thread-self")
    return figures
  }

  private init() {}

  /// Returns the processor seconds of a process, to a microsecond. `stat` counts hundredths.
  static func processor(of process: pid_t) -> Double {
    var (clock, time) = (clockid_t(), timespec())
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
      return 0
    }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Returns a process and its children.
  static func family(of process: pid_t) -> [pid_t] { [process] + children(of: process) }

  private mutating func addTransfer(_ folder: String) {
    bytesRead += Self.number("rchar:", in: folder + "/io")
    bytesWritten += Self.number("wchar:", in: folder + "/io")
    bytesToDisk += Self.number("write_bytes:", in: folder + "/io")
  }

  private mutating func add(_ process: pid_t) {
    let folder = "/proc/\(process)"
    processor += Self.processor(of: process)
    resident += Self.number("VmRSS:", in: folder + "/status") * 1_024
    peak += Self.number("VmHWM:", in: folder + "/status") * 1_024
    addTransfer(folder)
    for task in names(in: folder + "/task") {
      wakeups += Self.number("voluntary_ctxt_switches:", in: "\(folder)/task/\(task)/status")
    }
  }

  private static func children(of process: pid_t) -> [pid_t] {
    names(in: "/proc").compactMap { pid_t($0) }.filter { candidate in
      ProcessRow(text(of: "/proc/\(candidate)/stat"))?.parent == Int(process)
    }
  }

  private static func number(_ key: String, in path: String) -> Double {
    for line in text(of: path).split(separator: "\n") where line.hasPrefix(key) {
      return Double(line.dropFirst(key.count).split(whereSeparator: \.isWhitespace)[0]) ?? 0
    }
    return 0
  }
}

/// Returns the text of a small file. It is empty if the file can't be read.
func text(of path: String) -> String { String(decoding: bytes(of: path) ?? [], as: UTF8.self) }

/// Returns the bytes of a file, or nil if it can't be read.
func bytes(of path: String) -> [UInt8]? {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return nil }
  defer { close(file) }
  var all: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(file, &buffer, buffer.count)
    guard count > 0 else { return count == 0 ? all : nil }
    all += buffer[..<count]
  }
}

/// Returns the names in a folder, without "." and "..".
func names(in path: String) -> [String] {
  guard let folder = opendir(path) else { return [] }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names
}
