import Glibc

/// The effect of Ctrl-C on a command that only waits: the daemon continues, and the person is told
/// so.
enum Interruption {
  private static let status: Int32 = 130

  /// Makes an interruption report that the work continues, and end this program.
  static func saysThatWorkGoesOn() {
    // A signal handler may call only few functions, and has only constants.
    let before = signal(SIGINT) { _ in
      let text: StaticString =
        "\nWork continues in the background; `cairn status` shows it.\n"
      _ = write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
      _exit(Interruption.status)
    }
    // A caller that started this in the background ignores interruptions.
    if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
      signal(SIGINT, SIG_IGN)
    }
    // The waiting thread is this one, so other threads block the signal.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }
}
