import ArgumentParser
import CairnControl

/// `cairn quota`: the sizes and limits of folders.
struct QuotaCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "quota",
    abstract: "Show what your folders take, and limit one.",
    discussion: """
      A limit counts the bytes of all files that are in the folder, whoever put them there: the \
      owner pays. At the limit, what would make it grow waits at whoever wrote it, everything else \
      goes on, and it is sent by itself when there is room.
      """)

  @Argument(help: ArgumentHelp("The folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument?

  @Option(
    help: ArgumentHelp(
      "The new limit: bytes, or a number with k, M, G or T; none takes it away.",
      valueName: "size"))
  var limit: SizeArgument?

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.Quota(share: try share?.reference(), limit: limit?.bytes)
    guard let reply = try Session(output).ask(request) else { return }
    Output.table(
      reply.zones.map { zone in
        [
          Wording.id(zone.id), Output.printable(zone.title),
          Wording.bytes(Int64(clamping: zone.used)),
          zone.limit.map { "of " + Wording.bytes(Int64(clamping: $0)) } ?? "no limit",
          Wording.bytes(Int64(clamping: zone.history)) + " of history",
          zone.path?.printable ?? "",
        ]
      })
    if let all = reply.publicFiles {
      let own = Wording.bytes(Int64(clamping: all.used))
      let total = Wording.bytes(Int64(clamping: all.everybody))
      Output.line("In the public database: \(own) by you, \(total) by everybody.")
    }
    let stored = reply.stored.map { Wording.bytes(Int64(clamping: $0)) }
    Output.line("In the container: \(stored ?? "not known, since it can't be reached").")
  }
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
      "k": 1_000, "M": 1_000_000, "G": 1_000_000_000, "T": 1_000_000_000_000,
    ]
    let factor = argument.last.flatMap { units[$0] }
    let digits = factor == nil ? argument[...] : argument.dropLast()
    guard let number = UInt64(digits), number > 0 else { return nil }
    let (product, overflows) = number.multipliedReportingOverflow(by: factor ?? 1)
    guard !overflows else { return nil }
    bytes = product
  }
}
