import Glibc
import Logging

/// Writes log lines to standard error: the time, the level if it matters, and the sentence.
struct StandardErrorLog: LogHandler {
  let label: String
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]

  init(label: String) { self.label = label }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    var buffer = [CChar](repeating: 0, count: 32)
    strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M:%S", &parts)
    let bytes = buffer.map { UInt8(bitPattern: $0) }.prefix { $0 != 0 }
    let moment = String(decoding: bytes, as: UTF8.self)
    let mark = event.level >= .warning ? "\(event.level): " : ""
    let line = "\(moment) \(label): \(mark)\(event.message)\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }
}
