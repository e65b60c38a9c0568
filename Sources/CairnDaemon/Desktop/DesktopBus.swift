import CairnControl
import CairnDesktop
import CairnThreads
import Glibc
import Synchronization

/// A connection to the bus of a session, which lasts while a person may choose an action of a shown
/// notice.
///
/// Unchecked: the C side's data, and its calls, are accessed under the lock of `state` only.
final class DesktopBus: @unchecked Sendable {
  /// The C side's data.
  ///
  /// Unchecked: as `DesktopBus`.
  private struct Connection: @unchecked Sendable {
    let raw: OpaquePointer
  }

  private struct State: Sendable {
    var connection: Connection?
    /// The shown notices, by their numbers there.
    var shown: [UInt32: Control.Notice] = [:]
    var isRead = false
    var isOver = false
  }

  /// The number of remembered notices; the desktop may never report that they are gone.
  private static let most = 32
  private let state = Mutex(State())
  private let whenChosen: @Sendable (Control.Notice) -> Void
  /// A pipe whose reading end becomes readable when the reader has to look again.
  private let wake: (reading: CInt, writing: CInt)

  /// A Boolean value that indicates whether this daemon was started in a session with a bus.
  static var isThere: Bool {
    if let address = getenv("DBUS_SESSION_BUS_ADDRESS"), address.pointee != 0 { return true }
    guard let folder = getenv("XDG_RUNTIME_DIR") else { return false }
    return access(String(cString: folder) + "/bus", F_OK) == 0
  }

  /// Connects; nil if that fails.
  /// - Parameter whenChosen: A function that gets the notice which a person chose.
  init?(_ whenChosen: @escaping @Sendable (Control.Notice) -> Void) {
    self.whenChosen = whenChosen
    do throws(ControlError) { wake = try ChildProcess.pipe() } catch { return nil }
    let events = cairn_desktop_events(
      context: Unmanaged.passUnretained(self).toOpaque(),
      chosen: { raw, notice in DesktopBus.of(raw)?.chosen.append(notice) },
      closed: { raw, notice in DesktopBus.of(raw)?.closed.append(notice) })
    guard let connection = cairn_desktop_open(events).map({ Connection(raw: $0) }) else {
      return nil
    }
    state.withLock { $0.connection = connection }
  }

  deinit {
    state.withLock { if let connection = $0.connection { cairn_desktop_close(connection.raw) } }
    close(wake.reading)
    close(wake.writing)
  }

  /// The choices within one call of the C side; accessed under the lock of `state`, like that.
  private var chosen: [UInt32] = []
  private var closed: [UInt32] = []

  private static func of(_ raw: UnsafeMutableRawPointer?) -> DesktopBus? {
    raw.map { Unmanaged<DesktopBus>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Shows a notice; it may take some seconds.
  /// - Returns: True if the desktop shows it.
  func show(_ notice: Control.Notice) -> Bool {
    let (isShown, isToBeRead) = state.withLock { state -> (Bool, Bool) in
      guard let connection = state.connection else { return (false, false) }
      let number = cairn_desktop_show(
        connection.raw, notice.title, notice.text, notice.action)
      guard number != 0 else { return (false, false) }
      state.shown[number] = notice
      if state.shown.count > Self.most, let first = state.shown.keys.min() {
        state.shown[first] = nil
      }
      defer { state.isRead = true }
      return (true, !state.isRead)
    }
    if isToBeRead, !PosixThread.run("cairn-desktop", { [self] in read() }) {
      state.withLock { $0.isRead = false }
    }
    // A choice may have come together with the number, and is handled already.
    if isShown { wakeReader() }
    return isShown
  }

  /// Ends the connection.
  func end() {
    state.withLock { $0.isOver = true }
    wakeReader()
  }

  private func wakeReader() {
    var byte: UInt8 = 0
    _ = write(wake.writing, &byte, 1)
  }

  /// Reads signals while there is a notice to choose from; then the connection ends, because some
  /// desktops report every notice to all.
  private func read() {
    let descriptor = state.withLock { state in
      state.connection.map { cairn_desktop_descriptor($0.raw) } ?? -1
    }
    while take() {
      var polled = [
        pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wake.reading, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&polled, 2, -1) < 0, errno != EINTR { break }
      var byte: UInt8 = 0
      if polled[1].revents != 0 { _ = Glibc.read(wake.reading, &byte, 1) }
    }
    state.withLock { state in
      if let connection = state.connection { cairn_desktop_close(connection.raw) }
      state.connection = nil
    }
  }

  /// Handles the signals, and reports choices.
  /// - Returns: True if there is still a notice to choose from.
  private func take() -> Bool {
    let (notices, isMore) = state.withLock { state -> ([Control.Notice], Bool) in
      guard let connection = state.connection, !state.isOver else { return ([], false) }
      let isGone = cairn_desktop_take(connection.raw) != 0
      defer { (chosen, closed) = ([], []) }
      let notices = chosen.compactMap { state.shown[$0] }
      for number in closed { state.shown[number] = nil }
      return (notices, !isGone && !state.shown.isEmpty)
    }
    for notice in notices { whenChosen(notice) }
    return isMore
  }
}
