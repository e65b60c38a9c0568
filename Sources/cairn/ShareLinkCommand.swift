import ArgumentParser
import CairnControl

/// `cairn share link`.
struct ShareLinkCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "link",
    abstract: "Print the link that lets anyone into a share.",
    discussion: """
      Link sharing must be on: `cairn share set-public`. The output is the link, one line. The \
      link stays the same until a person is removed, access is narrowed, or it expires; then it \
      stops working, and this command creates a new one. Anyone who has the link can join and read \
      everything, including the history: treat it like a key.

      With --from-now, people with the link see the current contents and later changes, but no \
      history. This is a new link if something has changed since the last one was created, and the \
      old link stops working. It stays so until the link is revoked.
      """)

  @OptionGroup var share: ShareArguments

  @Option(
    help: ArgumentHelp(
      "When the link ends: a day, a day and time as in 2026-12-24T18:00, or a span as in 7d, 12h, "
        + "30m. Another end than it has makes another link.", valueName: "when"))
  var expires: WhenArgument?

  @Flag(
    help: ArgumentHelp(
      "Show people with the link the current contents and later changes, but no "
        + "history."))
  var fromNow = false

  @Flag(help: "Copy the link to the clipboard of the desktop, too.")
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
