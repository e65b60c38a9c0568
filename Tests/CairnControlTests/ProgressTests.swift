import CairnControl
import CairnDaemon
import Foundation
import Testing

/// The line of progress on a terminal.
@Suite struct ProgressTests {
  @Test(arguments: [20, 40, 200]) func `the line of progress fits into the terminal`(
    columns: Int
  ) throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    defer { close(terminal) }
    // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2), which Swift doesn't import.
    var (lock, number): (Int32, UInt32) = (0, 0)
    try #require(ioctl(terminal, 0x4004_5431, &lock) == 0)
    try #require(ioctl(terminal, 0x8004_5430, &number) == 0)
    let inside = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    try #require(ioctl(inside, UInt(TIOCSWINSZ), &size) == 0)

    var routes = ControlRoutes()
    routes.on(Control.Wait.self) { _, stream in
      var shown = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
      while poll(&shown, 1, 10) == 0 {
        stream.progress(
          Control.Progress(
            done: 7, total: 1_234, unit: "names",
            what: "sending /" + String(repeating: "x", count: 100) + "/end", bytes: 1_000_000,
            allBytes: 5_000_000, bytesPerSecond: 300_000, secondsLeft: 14))
      }
      return Control.WaitReply(mounts: [])
    }
    let environment = ["CAIRN_HOME": program.folder.appending(path: "home").path]
    let server = try ControlServer(home: Home(environment: environment), responder: routes)
    try server.start()
    defer { server.stop() }
    let process = Process()
    process.executableURL = program.folder.appending(path: "cairn")
    process.arguments = ["wait"]
    process.environment = environment
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle(fileDescriptor: inside, closeOnDealloc: true)
    try process.run()
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(terminal, &bytes, bytes.count)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let line = try #require(text.split(separator: "\u{1B}[K").last { $0.contains("names") })
    let shown = line.prefix { $0 != "\r" }
    #expect(shown.count < columns, "\(shown)")
    let all = "7 of 1,234 names, 1.0 MB of 5.0 MB, 14 s left, 300.0 kB/s"
    #expect(shown.hasSuffix(columns == 200 ? all : "7 of 1,234 names"))
    #expect(shown.contains("/end") == (columns > 20))
    #expect(shown.contains("sending") == (columns == 200))
  }
}
