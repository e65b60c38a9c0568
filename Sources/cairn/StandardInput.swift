import CairnControl
import Glibc

/// Texts that a command reads from standard input, where no list of processes shows them.
enum StandardInput {
  private static let limit = 65_536

  /// Reads all of standard input.
  /// - Parameters:
  ///   - what: The expected thing.
  ///   - remedy: The sentence that says where it comes from.
  /// - Returns: The text.
  /// - Throws: `invalidArguments` with the remedy if there is nothing.
  static func text(_ what: String, remedy: String) throws(ControlError) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count < limit {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    guard let text = String(validating: bytes, as: UTF8.self), !text.isEmpty else {
      throw ControlError(
        .invalidArguments, "There is no \(what) in standard input.", remedy: remedy)
    }
    return text
  }

  /// Returns the words of a recovery sheet, or the text of its QR code. On a terminal it asks for
  /// them, and shows nothing of them.
  static func recoveryWords() throws(ControlError) -> String {
    let remedy = "Give the 24 words of a recovery sheet, or the text of its QR code."
    guard isatty(STDIN_FILENO) == 1 else {
      return try text("recovery sheet", remedy: remedy)
    }
    Output.error("Type the 24 words, in one line or several. They aren't shown.")
    let lines = withoutEcho { wholeSheet() }
    guard !lines.isEmpty else {
      throw ControlError(.operationCancelled, "Nothing was changed.", remedy: remedy)
    }
    return lines
  }

  /// Reads lines until they have all words, and says how many are missing.
  private static func wholeSheet() -> String {
    var text = ""
    while let line = readLine(strippingNewline: false), text.utf8.count < limit {
      text += line
      let words = text.lowercased().split { !("a"..."z").contains($0) }.count
      if text.lowercased().contains("cairn:recovery/") || words >= 24 { break }
      Output.error("\(words) of 24 words. Continue, or press Ctrl-C.")
    }
    return text
  }

  /// Runs `body` while the terminal shows nothing that is typed.
  private static func withoutEcho(_ body: () -> String) -> String {
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { return body() }
    var hidden = before
    hidden.c_lflag &= ~tcflag_t(ECHO)
    // An end or a pause must not leave a terminal that shows nothing.
    let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    let handlers = endings.map { number in
      signal(number) { number in
        var now = termios()
        if tcgetattr(STDIN_FILENO, &now) == 0 {
          now.c_lflag |= tcflag_t(ECHO)
          tcsetattr(STDIN_FILENO, TCSANOW, &now)
        }
        _exit(128 + number)
      }
    }
    let pause = signal(SIGTSTP, SIG_IGN)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    defer {
      tcsetattr(STDIN_FILENO, TCSANOW, &before)
      for (number, handler) in zip(endings, handlers) { signal(number, handler) }
      signal(SIGTSTP, pause)
    }
    return body()
  }
}
