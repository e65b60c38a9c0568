import ArgumentParser
import CairnControl

/// `cairn quota`: the sizes and limits of folders.
struct QuotaCommand: RequestCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "quota",
    abstract: "Show the storage that your folders use, and set a limit.",
    discussion: """
      Shows current files, earlier versions and deleted files, and what frees storage. A limit \
      counts the current files of all participants, because the owner pays. At the limit, changes \
      that need more storage wait on the device of their author; everything else continues. They \
      are sent when there is room.
      """)

  @Argument(help: ArgumentHelp("The folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument?

  @Option(
    help: ArgumentHelp(
      "The new limit, as in 500MB, 30GB or 2TB; a number alone is in bytes; none removes it.",
      valueName: "size"))
  var limit: SizeArgument?

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.Quota {
    Control.Quota(share: try share?.reference(), limit: limit?.bytes)
  }

  func write(_ reply: Control.Quota.Reply) {
    for line in Self.lines(reply) { Output.line(line) }
    if let limit, let zone = reply.zones.first {
      let name = zone.path?.printable ?? "\"\(Output.printable(zone.title))\""
      let now = limit.bytes == 0 ? "has no limit" : "has a limit of \(Self.size(limit.bytes))"
      Output.line("\(name) \(now) from now on.")
    }
  }

  /// The table of the folders, the sums, and what frees storage.
  static func lines(_ reply: Control.QuotaReply) -> [String] {
    var table = GrowingTable()
    var lines = table.lines(
      [["FOLDER", "CURRENT", "VERSIONS", "DELETED", "LIMIT", "ID"]]
        + reply.zones.map { zone in
          let versions = zone.history - min(zone.history, zone.deleted)
          return [
            zone.path?.printable ?? "\"\(Output.printable(zone.title))\"", size(zone.used),
            size(versions), size(zone.deleted), zone.limit.map(size) ?? "no limit",
            Wording.id(zone.id),
          ]
        })
    if reply.zones.isEmpty { lines = ["You own no folder here."] }
    if let all = reply.publicFiles {
      lines.append(
        "Public database: \(size(all.used)) by you, \(size(all.everybody)) in total.")
    }
    let stored = reply.stored.map { size($0) + ", with logs and padding" }
    lines.append("Stored in the container: \(stored ?? "unknown, it can't be reached").")
    return lines + advice(reply.zones)
  }

  /// The way to free what versions and deleted files use, and the time when it is free.
  private static func advice(_ zones: [Control.ZoneQuota]) -> [String] {
    var lines: [String] = []
    let expired = zones.reduce(UInt64(0)) { $0 + $1.expired }
    if expired > 0 {
      lines.append(
        "The policies no longer keep \(size(expired)). " + Wording.freed(expired, from: nil))
    }
    for zone in zones where zone.history > 0 && !zone.keepsAll {
      guard let until = zone.formerUntil else { continue }
      let name = zone.path?.printable ?? "\"\(Output.printable(zone.title))\""
      lines.append(
        "\(name) keeps its versions until \(Wording.time(until)), seven days after the change of "
          + "its policy."
          + (zone.expiring > 0 ? " " + Wording.freed(zone.expiring, from: until) : ""))
    }
    let keeping = zones.filter { $0.keepsAll && $0.history > 0 }
    if let most = keeping.max(by: { $0.history < $1.history }) {
      let bytes = keeping.reduce(UInt64(0)) { $0 + $1.history }
      let name = most.path?.typed ?? Wording.id(most.id)
      lines.append(
        "Versions and deleted files use \(size(bytes)), and are kept forever. To keep less, run "
          + "`cairn history policy \(name) --all 30d --dry-run`, which says how much that frees.")
    }
    return lines
  }

  private static func size(_ bytes: UInt64) -> String { Wording.bytes(Int64(clamping: bytes)) }
}

/// A number of bytes on the command line; `none` is 0.
struct SizeArgument: ExpressibleByArgument {
  /// The number of bytes.
  let bytes: UInt64

  init?(argument: String) {
    if argument == "none" {
      bytes = 0
      return
    }
    let units: [Character: UInt64] = [
      "k": 1_000, "m": 1_000_000, "g": 1_000_000_000, "t": 1_000_000_000_000,
    ]
    var digits = argument.lowercased()[...]
    if digits.last == "b" { digits.removeLast() }
    let factor = digits.last.flatMap { units[$0] }
    if factor != nil { digits.removeLast() }
    if digits.last == " " { digits.removeLast() }
    guard let number = UInt64(digits), number > 0 else { return nil }
    let (product, overflows) = number.multipliedReportingOverflow(by: factor ?? 1)
    guard !overflows else { return nil }
    bytes = product
  }
}
