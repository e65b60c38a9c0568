import CairnControl
import CairnDiagnostics
import Glibc
import Logging

/// Writes log lines to standard error: the time, the label, the level, the message and the
/// metadata. If standard error is the systemd journal, which has its own times, each line begins
/// with its level instead.
struct StandardErrorLog: LogHandler {
  let label: String
  var metadata: Logger.Metadata = [:]
  private let isJournal: Bool
  private let levels: LogLevels
  private let recent: RecentLog
  private let scope: Int

  init(
    label: String, isJournal: Bool = Self.leadsToJournal, levels: LogLevels = .shared,
    recent: RecentLog = .shared
  ) {
    self.label = label
    self.isJournal = isJournal
    self.levels = levels
    self.recent = recent
    scope = LogLevels.scopes.firstIndex(of: label) ?? 0
  }

  /// The level of the part that the label names; `cairn log-level` changes it.
  var logLevel: Logger.Level {
    get { levels[scope: scope] }
    set {}
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    recent.add(Self.moment, label, event)
    Self.write(line(event.level, "\(event.message)" + text(event.metadata ?? [:])))
  }

  /// The metadata as ` key=value` pairs. Names are left out unless the level is debug or trace.
  func text(_ metadata: Logger.Metadata) -> String {
    let hasNames = logLevel <= .debug
    return metadata.filter { hasNames || !Diagnostics.Name.isName($0.value) }
      .sorted { $0.key < $1.key }.map { key, value in
        let text = Control.Path.sentence("\(value)")
        return " \(key)=" + (text.contains(" ") ? "\"\(text)\"" : text)
      }
      .joined()
  }

  /// Writes a message without a logger: the reason that the program ends.
  static func fail(_ text: String) {
    write(leadsToJournal ? journal(.error, text) : text + "\n")
  }

  /// Returns a line as it is written.
  func line(_ level: Logger.Level, _ message: String) -> String {
    if isJournal { return Self.journal(level, message) }
    let mark = level >= .warning || level <= .debug ? "\(level): " : ""
    return "\(Self.moment) \(label): \(mark)\(message)\n"
  }

  /// Returns each line with the number of its level, of syslog(3), so that journald(8) separates
  /// them.
  private static func journal(_ level: Logger.Level, _ message: String) -> String {
    let number =
      switch level {
      case .trace, .debug: 7
      case .info: 6
      case .notice: 5
      case .warning: 4
      case .error: 3
      case .critical: 2
      }
    return message.split(separator: "\n").map { "<\(number)>\($0)\n" }.joined()
  }

  private static var moment: String {
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    var buffer = [CChar](repeating: 0, count: 32)
    strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M:%S", &parts)
    let bytes = buffer.map { UInt8(bitPattern: $0) }.prefix { $0 != 0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func write(_ line: String) {
    _ = line.withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
  }

  /// A Boolean value that indicates whether standard error is the file of JOURNAL_STREAM, by device
  /// and inode: a child that writes elsewhere has the variable, too (systemd.exec(5)).
  static var leadsToJournal: Bool {
    var status = stat()
    guard let named = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else {
      return false
    }
    return String(cString: named) == "\(status.st_dev):\(status.st_ino)"
  }
}
