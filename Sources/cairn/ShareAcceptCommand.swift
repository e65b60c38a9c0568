import ArgumentParser
import CairnControl
import Glibc

/// `cairn share accept`.
struct ShareAcceptCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Accept an invitation.",
    discussion: """
      Takes the link, the id of an invitation, - for a link on standard input, or a file that \
      holds the link. The owner's daemon need not run. The folder's files come in the background; \
      with --wait this returns when all are there.

      If there is no account in this home yet, it makes one first, as `cairn init` does, in the \
      container that the link names: give --name and --handle, and --container if the container \
      is elsewhere on this machine. On a terminal it asks for what is missing.
      """)

  @Argument(help: "A link, an invitation's id, - or a file.")
  var invitation: InvitationArgument

  @Option(
    help: ArgumentHelp(
      "The folder to make: absent or empty. Without it, one with the "
        + "share's title in your home folder.", valueName: "dir"))
  var at: PathArgument?

  @Flag(help: "Return when the tree is complete.")
  var wait = false

  @OptionGroup var newcomer: NewcomerOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let text = try invitation.text()
    let place = try at?.absolute()
    try newcomer.setUpIfNeeded(for: text, at: place, isQuiet: output.json)
    let request = Control.ShareAccept(invitation: text, at: place, wait: wait)
    guard let reply = try Session(output).ask(request) else { return }
    let state = reply.complete ? "complete" : "its files are coming"
    Output.line(
      "\"\(Output.printable(reply.share.title))\" is at \(reply.mount.path.printable): \(state).")
  }
}

/// Who somebody is to become who has a link and no account yet.
struct NewcomerOptions: ParsableArguments {
  @Option(help: "Without an account: the name that others shall see.")
  var name: String?

  @Option(help: "Without an account: the name that others invite you by.")
  var handle: String?

  @Option(
    help: ArgumentHelp(
      "Without an account: the name of this device; the host's name if left out.",
      valueName: "name"))
  var deviceName: String?

  @Option(
    help: ArgumentHelp(
      "Without an account: where the link's container is on this machine, if not where the link "
        + "says.", valueName: "dir"))
  var container: PathArgument?

  /// Makes the account that the home doesn't have, in the link's container; not for a folder that
  /// would be refused afterwards.
  func setUpIfNeeded(for link: String, at place: Control.Path?, isQuiet: Bool) throws {
    guard try !Home().isSetUp else { return }
    try place.map { try checkRoom(at: $0) }
    let mayAsk = !isQuiet && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    let request = Control.Setup(
      container: try container?.absolute(),
      name: try answer(name, "The name that others shall see", mayAsk),
      handle: try answer(handle, "A short name that they invite you by, as in ana", mayAsk),
      deviceName: deviceName, link: link)
    let reply = try SetupRunner.run(request).reply
    guard !isQuiet else { return }
    let who = Wording.person(nil, reply.account.handle, reply.account.name)
    Output.line("You are \(who). Your keys are in \(reply.home.printable).")
  }

  private func checkRoom(at place: Control.Path) throws(ControlError) {
    let listing = (place.bytes + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap { opendir($0) } }
    }
    guard let listing else {
      guard errno == ENOTDIR else { return }
      throw ControlError(
        .invalidArguments, "\(place) is not a folder.", remedy: "Name another place.", path: place)
    }
    defer { closedir(listing) }
    // Two of the names are the folder's own and that of the one above it.
    var count = 0
    while count < 3, readdir(listing) != nil { count += 1 }
    guard count < 3 else {
      throw ControlError(
        .invalidArguments, "\(place) isn't empty.",
        remedy: "Name another place, or empty the folder.", path: place)
    }
  }

  private func answer(_ given: String?, _ question: String, _ mayAsk: Bool) throws -> String {
    if let given { return given }
    guard mayAsk else {
      throw ValidationError(
        "There is no account in this home yet: say who you are with --name NAME and "
          + "--handle HANDLE.")
    }
    Output.raw(Array("\(question): ".utf8))
    guard let line = readLine(), !line.isEmpty else {
      throw ValidationError("Nothing was made: no answer was given.")
    }
    return line
  }
}
