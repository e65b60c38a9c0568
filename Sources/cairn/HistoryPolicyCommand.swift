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
        "it is \(versions == 1 ? "the file's last one" : "one of the file's last \(versions)")")
    }
    var lines =
      policy.forever
      ? ["All versions are kept."]
      : rules.isEmpty
        ? ["Earlier versions and deleted files are not kept."]
        : ["A version is kept if " + rules.joined(separator: ", or ") + "."]
    if let until = reply.formerUntil {
      lines.append("Nothing is deleted before \(Wording.time(until)).")
    }
    if let frees = reply.frees {
      lines.append(
        frees == 0
          ? "This would free nothing now. Nothing was changed."
          : "This would free \(Wording.bytes(Int64(clamping: frees))): the versions are kept for "
            + "seven more days, and the storage is free a week later. Nothing was changed.")
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
