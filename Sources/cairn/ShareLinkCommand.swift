import ArgumentParser
import CairnControl

/// `cairn share link`.
struct ShareLinkCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "link",
    abstract: "Print the link that lets anyone into a share.",
    discussion: """
      The share must allow it: `cairn share set-public`. The output is the link, one line. It is \
      the same link every time, until somebody is removed, access is narrowed, or it expires; then \
      the old one lets nobody in, and this makes a new one. Whoever has the link can join and read \
      everything, also what was there before: send it as you would send a key.

      With --from-now the link shows what is in the folder from now on, and nothing of its past. \
      That is another link if something has changed since the last one was made; the one before \
      lets nobody in then. It stays so until the link is taken back.
      """)

  @Argument(help: ArgumentHelp("The shared folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  @Option(
    help: ArgumentHelp(
      "When the link ends: a day, a day and time as in 2026-12-24T18:00, or a span as in 7d, 12h, "
        + "30m. Another end than it has makes another link.", valueName: "when"))
  var expires: WhenArgument?

  @Flag(help: "Show who comes by it what is in the folder from now on, and nothing of its past.")
  var fromNow = false

  @Flag(help: "Put the link into the clipboard of the desktop too.")
  var copy = false

  @OptionGroup var delivery: LinkDelivery
  @OptionGroup var output: OutputOptions

  func run() throws {
    let clipboard = copy ? try Clipboard() : nil
    let request = Control.ShareLink(
      share: try share.reference(), expires: expires?.time, fromNow: fromNow ? true : nil)
    let session = try Session(output)
    let answer = try session.answer(request)
    try delivery.store(answer.reply.link)
    try clipboard?.put(answer.reply.link)
    guard !output.json else { return Output.line(answer.json) }
    try delivery.show(answer.reply.link)
  }
}
