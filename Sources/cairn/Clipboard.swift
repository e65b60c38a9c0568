import CairnControl
import Glibc

/// The clipboard of the desktop, through the program that holds its content.
struct Clipboard {
  private let program: String
  private let arguments: [String]

  /// Selects the first installed program for this desktop.
  /// - Throws: `notRunning` if none is installed.
  init() throws(ControlError) {
    let isWayland = Self.isSet("WAYLAND_DISPLAY")
    let isX = Self.isSet("DISPLAY")
    guard isWayland || isX else {
      throw ControlError(
        .notRunning, "There is no desktop here, and so no clipboard.",
        remedy: "Leave --copy out: the link is printed.")
    }
    let all: [(isThere: Bool, [String])] = [
      (isWayland, ["wl-copy"]), (isX, ["xclip", "-selection", "clipboard"]),
      (isX, ["xsel", "--clipboard", "--input"]),
    ]
    for (isThere, words) in all where isThere {
      guard let path = Self.path(of: words[0]) else { continue }
      (program, arguments) = (path, words)
      return
    }
    throw ControlError(
      .notRunning, "No program is installed that reaches the clipboard.",
      remedy: "Install \(isWayland ? "wl-clipboard" : "xclip or xsel"), or leave --copy out.")
  }

  /// Puts a text into the clipboard. The program reads it from standard input, because everybody
  /// can read arguments.
  func put(_ text: String) throws(ControlError) {
    let pipe = try ChildProcess.pipe()
    // The program stays in the background while the text is there, and must not hold our output.
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { close(null) }
    let child: ChildProcess
    do throws(ControlError) {
      child = try ChildProcess(
        program, .init(arguments: arguments, descriptors: [pipe.reading, null, null]))
    } catch {
      close(pipe.reading)
      close(pipe.writing)
      throw error
    }
    close(pipe.reading)
    signal(SIGPIPE, SIG_IGN)
    Output.write(Array(text.utf8), to: pipe.writing)
    close(pipe.writing)
    guard child.waitForExit() == 0 else {
      throw ControlError(
        .internalError, "\(arguments[0]) couldn't put the link into the clipboard.",
        remedy: "Leave --copy out: the link is printed.")
    }
  }

  private static func isSet(_ name: String) -> Bool {
    getenv(name).map { $0.pointee != 0 } ?? false
  }

  private static func path(of name: String) -> String? {
    let folders = getenv("PATH").map { String(cString: $0) }?.split(separator: ":") ?? []
    return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}
