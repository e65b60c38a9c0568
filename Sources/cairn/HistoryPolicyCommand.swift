import ArgumentParser
import CairnControl

/// `cairn history policy`: the history policy of a folder.
struct HistoryPolicyCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Show or change what is kept of a folder's past.",
    discussion: """
      Without options, shows what is kept of versions that were replaced or deleted. Only the \
      owner changes it. A version is kept if any of the options says so; options that are left out \
      keep nothing. At first everything is kept for ever. What was kept before a change is kept \
      for seven days more. See cairn-gc(1).
      """)

  @Argument(help: ArgumentHelp("The folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  @Option(
    help: ArgumentHelp(
      "Keep every version for that long after it was replaced: as in 12h, 30d, 8w, 1y.",
      valueName: "span"))
  var all: KeptSpanArgument?

  @Option(help: ArgumentHelp("Keep the last version of each day for that long.", valueName: "span"))
  var daily: KeptSpanArgument?

  @Option(
    help: ArgumentHelp("Keep that many past versions of each file.", valueName: "count"))
  var versions: UInt32?

  @Flag(help: "Keep everything for ever.")
  var forever = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if forever, all != nil || daily != nil || versions != nil {
      throw ValidationError("--forever keeps everything, so it goes with no other option.")
    }
  }

  func run() throws {
    let kept = Control.KeptHistory(
      forever: forever, all: all?.seconds, daily: daily?.seconds, versions: versions)
    let request = Control.HistoryPolicy(
      share: try share.reference(), policy: kept == Control.KeptHistory() ? nil : kept)
    guard let reply = try Session(output).ask(request) else { return }
    for line in Self.sentences(reply) { Output.line(line) }
  }

  /// The policy, for people.
  static func sentences(_ reply: Control.HistoryPolicyReply) -> [String] {
    let policy = reply.policy
    var lines: [String] = []
    if policy.forever { lines.append("Every version is kept for ever.") }
    if let all = policy.all {
      lines.append("Every version is kept for \(KeptSpanArgument.text(all)).")
    }
    if let daily = policy.daily {
      lines.append("The last version of each day is kept for \(KeptSpanArgument.text(daily)).")
    }
    if let versions = policy.versions {
      let count = Wording.count(versions, "past version", "past versions")
      lines.append("\(count) of each file \(versions == 1 ? "is" : "are") kept.")
    }
    if lines.isEmpty { lines.append("Only the present is kept.") }
    if let until = reply.formerUntil {
      lines.append("Until \(Wording.time(until)), what was kept before is kept as well.")
    }
    return lines
  }
}

/// A time span on the command line: hours, days, weeks or years of 365 days.
struct KeptSpanArgument: ExpressibleByArgument {
  private static let units: [(letter: Character, name: String, seconds: UInt64)] = [
    ("h", "hour", 3_600), ("d", "day", 86_400), ("w", "week", 7 * 86_400),
    ("y", "year", 31_536_000),
  ]

  /// The span in seconds.
  let seconds: UInt64

  /// Reads `12h`, `30d`, `8w` or `1y`; nil for anything else, and for more than a thousand years.
  init?(argument: String) {
    guard let unit = Self.units.first(where: { $0.letter == argument.last }),
      let count = UInt64(argument.dropLast()), count > 0, argument.first?.isNumber ?? false
    else { return nil }
    let (product, overflows) = count.multipliedReportingOverflow(by: unit.seconds)
    guard !overflows, product <= 1_000 * 31_536_000 else { return nil }
    seconds = product
  }

  /// A span in words, in the largest unit that divides it.
  static func text(_ seconds: UInt64) -> String {
    let unit = units.reversed().first { seconds > 0 && seconds.isMultiple(of: $0.seconds) }
    // The author of the policy may have used any number.
    guard let unit else { return Wording.count(Int64(clamping: seconds), "second", "seconds") }
    return Wording.count(seconds / unit.seconds, unit.name, unit.name + "s")
  }
}
