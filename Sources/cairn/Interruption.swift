import Glibc

/// What Ctrl-C does to a command that only waits: the daemon goes on, and its person is told so.
enum Interruption {
  private static let status: Int32 = 130

  /// From here on an interruption says that the work goes on, and ends this program.
  static func saysThatWorkGoesOn() {
    // A signal's handler may call little, and has nothing but constants.
    let before = signal(SIGINT) { _ in
      let text: StaticString =
        "\nIt goes on in the background; `cairn status` shows it.\n"
      _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
      _exit(Interruption.status)
    }
    // Who started this in the background wants it not to be interrupted.
    if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
      signal(SIGINT, SIG_IGN)
    }
    // Whoever waits does so on this thread, and others hold the signal back.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}
