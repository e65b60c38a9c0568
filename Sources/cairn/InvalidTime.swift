import CairnControl

/// A value that is no time, for an option that takes one.
struct InvalidTime {
  /// The message for people.
  let error: ControlError

  /// The commands whose times are in the future.
  private static let planning = ["cairn share", "cairn drop"]
  /// The commands that also take the number of a version.
  private static let versioned = ["cairn show", "cairn diff", "cairn restore"]

  /// Finds such a value in the parser's message; nil for other messages.
  /// - Parameters:
  ///   - message: The message of the argument parser.
  ///   - command: The command, as in `cairn share invite`.
  init?(_ message: String, in command: String) {
    guard let found = message.firstMatch(of: /The value '(.*)' is invalid for '--[a-z-]+ <when>'/)
    else { return nil }
    let value = String(found.1)
    let isFuture = Self.planning.contains { command.hasPrefix($0 + " ") }
    let isNumber = !value.isEmpty && value.allSatisfy(\.isWholeNumber)
    let remedy: String
    switch (isNumber, isFuture) {
    case (true, true):
      remedy =
        "Write \(value)d, \(value)h or \(value)m for days, hours or minutes from now, or a "
        + "day as in 2026-12-24."
    case (true, false):
      let version =
        Self.versioned.contains(command) ? " For version \(value), use --version \(value)." : ""
      remedy =
        "Write \(value)d, \(value)h or \(value)m for days, hours or minutes ago, or "
        + "@\(value) for the state after entry \(value) of the log." + version
    case (false, true):
      remedy =
        "Write a day as in 2026-12-24, a time as in 2026-12-24T18:00, or a span from now as "
        + "in 7d or 12h."
    case (false, false):
      remedy =
        "Write a day as in 2026-11-20, a time as in \"2026-11-20 14:30\" or 14:30, a span "
        + "as in 2h or 7d, or an entry of the log as in @312."
    }
    error = ControlError(
      .invalidArguments, "\(Output.printable(value)) isn't a point in time.", remedy: remedy)
  }
}
