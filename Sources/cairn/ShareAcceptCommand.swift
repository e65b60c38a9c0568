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
      contains the link. The owner's daemon need not run. The files arrive in the background; with \
      --wait the command returns when all are there. Without --at the folder has the share's title \
      in ~/Cairn, with a number if that name is taken.

      --only and --without choose the part of the share that this device gets; `cairn select` \
      changes that later.

      --dry-run prints the inviter, the share, its size and its folder, and accepts nothing. --ask \
      prints the same and asks; a click on a link does that.

      If this home has no account yet, the command first creates one, as `cairn init` does, in the \
      container of the link: give --name and --handle, and --container if the container has \
      another path on this machine. On a terminal it asks for missing names.
      """)

  @Argument(
    help: ArgumentHelp(
      "A link, an invitation's id, - or a file. Without it, what waits is listed.",
      valueName: "invitation"))
  var pieces: [InvitationPiece] = []

  @Option(
    help: ArgumentHelp(
      "The new folder: missing or empty. Without it, one with the share's title in ~/Cairn.",
      valueName: "dir"))
  var at: PathArgument?

  @Flag(help: "Return when all files are there.")
  var wait = false

  @Flag(help: "Print the inviter, the share and its folder, and accept nothing.")
  var dryRun = false

  @Flag(help: "Print the same, and ask; wait for Enter at the end.")
  var ask = false

  @Flag(help: "Accept it although the inviter has changed, or others claim their handle.")
  var unverified = false

  @OptionGroup var selection: InitialSelectionOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Whether to get what others add beside these paths later: yes or no.", valueName: "answer"))
  var newEntries: Answer?

  @Flag(help: "Apply the modes and user.* attributes that the share carries.")
  var fullMetadata = false

  @OptionGroup var newcomer: NewcomerOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard !ask || !dryRun && !output.json else {
      throw ValidationError("--ask excludes --dry-run and --json.")
    }
    guard newEntries == nil || selection.selection() != nil else {
      throw ValidationError("--new-entries goes with --only and --without.")
    }
    guard pieces.count <= 1 || pieces[0].beginsLink else {
      throw ValidationError(
        "Give one invitation at a time. The place of its folder goes behind --at.")
    }
  }

  func run() throws {
    guard let invitation = InvitationArgument(pieces) else { return try listWaiting() }
    guard ask else { return try accept(invitation) }
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
      throw ControlError(
        .invalidArguments, "--ask needs a terminal, and there is none.",
        remedy: "See what comes with --dry-run, and accept it without --ask.")
    }
    var failure: ControlError?
    do { try askFirst(invitation) } catch let error as ControlError {
      Failure.report(error, isJSON: false)
      failure = error
    }
    // The window of a click ends with the command.
    Output.raw(Array("Press Enter to end. ".utf8))
    _ = readLine()
    if let failure { throw ExitCode(failure.exitStatus) }
  }

  private func listWaiting() throws {
    guard let reply = try Session(output).ask(Control.ShareInvitations()) else { return }
    guard let first = reply.invitations.first else {
      return Output.line(
        "No invitation waits for you. With a link, run `cairn share accept LINK`.")
    }
    ShareInvitationsCommand.write(reply)
    Output.line("To accept one, run `cairn share accept \(Wording.id(first.id))`.")
  }

  private func accept(_ invitation: InvitationArgument) throws {
    let text = try invitation.text()
    let place = try at?.absolute()
    if dryRun {
      let request = Control.ShareOffer(invitation: text, at: place)
      if let offer = try Session(output).ask(request) { Self.write(offer) }
      return
    }
    try newcomer.setUpIfNeeded(for: text, at: place, isQuiet: output.json)
    try accept(text, at: place, isMeant: unverified)
  }

  private func accept(_ text: String, at place: Control.Path?, isMeant: Bool) throws {
    if wait { Interruption.saysThatWorkGoesOn() }
    let request = Control.ShareAccept(
      invitation: text, at: place, wait: wait, unverified: isMeant,
      select: selection.selection(addsNew: newEntries.map { $0 == .yes }),
      fullMetadata: fullMetadata ? true : nil)
    guard let reply = try Session(output).ask(request) else { return }
    // Nobody else knows whether the owner has more to send.
    let person = reply.share.owner
    let owner = Wording.person(person.user, person.handle, person.name)
    let state = reply.complete ? "complete as far as \(owner) has sent" : "its files arrive now"
    let whose = reply.from.map { " from " + Wording.identified($0, goesOn: true) } ?? ""
    Output.line(
      "\"\(Output.printable(reply.share.title))\"\(whose) is at \(reply.mount.path.printable): "
        + "\(state).")
    for note in reply.mount.watching.fileSystem ?? [] { Output.line(Output.printable(note)) }
  }

  /// Shows the invitation preview, and continues only if the person agrees. Warnings about the
  /// inviter need a complete answer.
  private func askFirst(_ invitation: InvitationArgument) throws {
    let text = try invitation.text()
    let place = try at?.absolute()
    if try !Home().hasContainer {
      Output.line("This link leads to a shared folder, and there is no account here yet.")
      guard Self.agrees("Create an account, and show the share?", "y") else { return }
    }
    try newcomer.setUpIfNeeded(for: text, at: place, isQuiet: false)
    let asked = try Session(output).ask(Control.ShareOffer(invitation: text, at: place))
    guard let offer = asked else { return }
    Self.write(offer)
    guard !offer.isAccepted else { return }
    let isAgreed =
      offer.warning == nil
      ? Self.agrees("Accept it?", "y") : Self.agrees("Accept it all the same? Write yes:", "yes")
    guard isAgreed else { return Output.line("Nothing was accepted.") }
    try accept(text, at: place, isMeant: unverified || offer.warning != nil)
  }

  private static func agrees(_ question: String, _ word: String) -> Bool {
    Output.raw(Array((question + (word == "y" ? " [y/N] " : " ")).utf8))
    guard let line = readLine()?.lowercased() else { return false }
    return word == "y" ? line.hasPrefix("y") : line == word
  }

  /// Writes the inviter, the share, its size and the place.
  private static func write(_ offer: Control.OfferReply) {
    Output.table([
      ["title", Output.printable(offer.title)],
      ["from", Wording.identified(offer.from)],
      ["owner", Wording.identified(offer.owner)],
      ["permission", Wording.permission(offer.permission)],
      [
        "content",
        Wording.count(offer.amount.files, "file", "files") + ", "
          + Wording.count(offer.amount.directories, "directory", "directories") + ", "
          + Wording.bytes(offer.amount.bytes),
      ],
      ["folder", offer.at.printable],
    ])
    if offer.isAccepted { Output.line("It is accepted already.") }
    if let warning = offer.warning { Output.line("warning: " + Output.sentence(warning)) }
  }
}

/// The options for a newcomer with a link and no account.
struct NewcomerOptions: ParsableArguments {
  @Option(help: "Without an account: the name that others see.")
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
  var container: ContainerArgument?

  @OptionGroup var bucket: BucketOptions

  /// Creates the missing account of the home in the link's container, unless the folder would be
  /// refused afterwards.
  func setUpIfNeeded(for link: String, at place: Control.Path?, isQuiet: Bool) throws {
    guard try !Home().hasContainer else { return }
    try place.map { try checkRoom(at: $0) }
    let mayAsk = !isQuiet && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    // Behind a web server nobody can get an account: a link holder only reads.
    let onlyReads = container?.isReadOnly == true && name == nil && handle == nil
    if !onlyReads, name == nil || handle == nil { try check(link) }
    let request = Control.Setup(
      container: try container?.location(),
      name: onlyReads ? "" : try answer(name, "The name that others see", mayAsk),
      handle: onlyReads
        ? "" : try answer(handle, "A short name that they invite you by, as in ana", mayAsk),
      deviceName: deviceName, link: link, anonymous: onlyReads, bucket: try bucket.bucket())
    let reply = try SetupRunner.run(request).reply
    guard !isQuiet else { return }
    guard !onlyReads else {
      return Output.line(
        "This home is anonymous: it reads what the link leads to, and writes nothing.")
    }
    let who = Wording.person(nil, reply.account.handle, reply.account.name)
    Output.line("You are \(who). Your keys are in \(reply.home.printable).")
  }

  /// Refuses an invalid link, and one whose container isn't here, before it asks for names.
  private func check(_ link: String) throws {
    let trial = Control.Setup(
      container: try container?.location(), name: "Newcomer", handle: "newcomer", link: link,
      dryRun: true, bucket: try bucket.bucket())
    _ = try SetupRunner.run(trial)
  }

  private func checkRoom(at place: Control.Path) throws(ControlError) {
    guard let isEmpty = place.isEmptyDirectory else {
      guard errno == ENOTDIR else { return }
      throw ControlError(
        .invalidArguments, "\(place) is not a folder.", remedy: "Name another place.", path: place)
    }
    guard isEmpty else {
      throw ControlError(
        .invalidArguments, "\(place) isn't empty.",
        remedy: "Name another place, or empty the folder.", path: place)
    }
  }

  private func answer(_ given: String?, _ question: String, _ mayAsk: Bool) throws -> String {
    if let given { return given }
    guard mayAsk else {
      throw ControlError(
        .invalidArguments, "There is no account in this home yet.",
        remedy: "Run `cairn share accept LINK --name NAME --handle HANDLE`.")
    }
    Output.raw(Array("\(question): ".utf8))
    guard let line = readLine(), !line.isEmpty else {
      throw ControlError(
        .operationCancelled, "Nothing was created: no answer was given.",
        remedy: "Run the command again, or give --name and --handle.")
    }
    return line
  }
}
