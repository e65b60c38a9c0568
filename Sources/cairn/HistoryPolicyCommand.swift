import ArgumentParser
import CairnControl

/// `cairn history policy`: the history policy of a folder.
struct HistoryPolicyCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Show or change which versions of a folder are kept.",
    discussion: """
      Without options, shows the policy for replaced versions and deleted files. Only the owner \
      changes it. A version is kept if any of the options keeps it. Without a policy, all versions \
      are kept. After a change, everything is kept for seven more days. See cairn-gc(1).
      """)

  @Argument(help: ArgumentHelp("The folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  @Option(
    help: ArgumentHelp(
      "Keep every version for this time after it was replaced: as in 12h, 30d, 8w, 1y.",
      valueName: "span"))
  var all: KeptSpanArgument?

  @Option(help: ArgumentHelp("Keep the last version of each day for this time.", valueName: "span"))
  var daily: KeptSpanArgument?

  @Option(
    help: ArgumentHelp("Keep this number of past versions of each file.", valueName: "count"))
  var versions: UInt32?

  @Flag(help: "Keep all versions.")
  var forever = false

  @Flag(name: .long, help: "Change nothing; print how much the policy would free.")
  var dryRun = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    if dryRun, !forever, all == nil, daily == nil, versions == nil {
      throw ValidationError("--dry-run needs the policy to try, for example --all 30d.")
    }
    if forever, all != nil || daily != nil || versions != nil {
      throw ValidationError("--forever keeps everything, so it excludes the other options.")
    }
  }

  func run() throws {
    let kept = Control.KeptHistory(
      forever: forever, all: all?.seconds, daily: daily?.seconds, versions: versions)
    let request = Control.HistoryPolicy(
      share: try share.reference(), policy: kept == Control.KeptHistory() ? nil : kept,
      dryRun: dryRun ? true : nil)
    guard let reply = try Session(output).ask(request) else { return }
    for line in Self.sentences(reply) { Output.line(line) }
    if dryRun { Output.line("Nothing was changed.") }
  }

  /// The policy, for people.
  static func sentences(_ reply: Control.HistoryPolicyReply) -> [String] {
    let policy = reply.policy
    var rules: [String] = []
    if let all = policy.all { rules.append("it is under \(KeptSpanArgument.text(all)) old") }
    if let daily = policy.daily {
      rules.append("it is the last one of a day, and under \(KeptSpanArgument.text(daily)) old")
    }
    if let versions = policy.versions {
      rules.append(
        "it is \(versions == 1 ? "the last one" : "one of the file's last \(versions)")")
    }
    var lines =
      policy.forever
      ? ["All versions are kept."]
      : rules.isEmpty
        ? ["Earlier versions and deleted files are not kept."]
        : [
          "The current file is kept, and an earlier version if " + rules.joined(separator: ", or ")
            + "."
        ]
    if let until = reply.formerUntil {
      lines.append("Nothing is deleted before \(Wording.time(until)).")
    }
    return lines + freed(reply)
  }

  /// The sentences about the storage that the policy frees.
  private static func freed(_ reply: Control.HistoryPolicyReply) -> [String] {
    guard let frees = reply.frees, let from = reply.freesFrom else { return [] }
    let later = reply.freesLater ?? 0
    var lines: [String] = []
    if frees > 0 { lines.append(Wording.freed(frees, from: from)) }
    if later > 0, let end = reply.freesLaterFrom {
      lines.append(
        "\(Wording.bytes(Int64(clamping: later)))\(frees > 0 ? " more" : "") are too old on "
          + "\(Wording.day(end)), and then freed in the same way.")
    }
    if lines.isEmpty { lines.append("It frees nothing of the present versions.") }
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
