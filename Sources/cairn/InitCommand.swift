import ArgumentParser
import CairnControl

/// `cairn init`: creates a person's home, and the container if needed, by `cairnd setup`.
struct InitCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Create your account in a container.",
    discussion: """
      Creates the container if it is missing, tests its storage, creates your identity and the \
      keys of this device, and publishes your profile. Asks nothing. Run it once for each \
      person; a second time it fails with alreadyExists. --verbose prints each step and test. \
      With --as NAME it adds another container to this home.

      A container behind a web server is read-only. As with --anonymous, the home then gets no \
      account, and needs no name.

      The keys never leave this machine: make a recovery sheet with `cairn device recovery`. With \
      --recover, the command reads the words of such a sheet from the terminal or from standard \
      input, and makes this machine a device of the same person. See cairn-init(1).
      """)

  @Option(
    help: ArgumentHelp(
      "The container: a directory that all participants can reach, a bucket, as in "
        + "s3:https://HOST/BUCKET/PREFIX, or the address of a web server that shows it.",
      valueName: "dir"))
  var container: ContainerArgument

  @OptionGroup var bucket: BucketOptions

  @Option(help: "The name that others see.")
  var name: String?

  @Option(help: "The short name that others invite you by. It is unique in the container.")
  var handle: String?

  @Option(
    help: ArgumentHelp(
      "The name of this device; the host's name if left out.",
      valueName: "name"))
  var deviceName: String?

  @Flag(
    help: "Create no account: only read the public database, and write nothing.")
  var anonymous = false

  @Flag(help: "Bring an account back with the words of a recovery sheet.")
  var recover = false

  @Option(
    help: ArgumentHelp(
      "With --recover: the folder in which your folders appear; ~/Cairn if left out.",
      valueName: "dir"))
  var at: PathArgument?

  @Option(
    help: ArgumentHelp(
      "The longest pause between checks of a container that can't notify; default 60, with "
        + "--anonymous 1800.",
      valueName: "seconds"))
  var poll: Int?

  @OptionGroup var added: AddedContainerOptions

  @Flag(help: "Print what would be done, and change nothing.")
  var dryRun = false

  @OptionGroup var output: OutputOptions

  /// A Boolean value that indicates whether the home gets no account.
  private var onlyReads: Bool {
    anonymous || container.isReadOnly && name == nil && handle == nil
  }

  func validate() throws {
    if recover {
      guard name == nil, handle == nil, !anonymous, poll == nil, !dryRun else {
        throw ValidationError("--recover goes with --container, --device-name and --at only.")
      }
      return
    }
    guard at == nil else { throw ValidationError("--at goes with --recover.") }
    guard onlyReads == (name == nil), onlyReads == (handle == nil) else {
      throw ValidationError(
        anonymous
          ? "--anonymous excludes --name and --handle."
          : "Give --name and --handle, or --recover, or --anonymous.")
    }
    if let poll, !(1...86_400).contains(poll) {
      throw ValidationError("--poll needs a number from 1 to 86400.")
    }
  }

  func run() throws {
    guard !recover else { return try recoverPerson() }
    let request = Control.Setup(
      container: try container.location(), name: name ?? "", handle: handle ?? "",
      deviceName: deviceName, dryRun: dryRun, anonymous: onlyReads, pollSeconds: poll,
      containerName: added.containerName, bucket: try bucket.bucket())
    var progress = ProgressLine(isAllowed: !output.json)
    defer { progress.clear() }
    let answer = try SetupRunner.run(request) { line in
      if case .progress(let amount) = line.update { progress.show(amount) }
    }
    progress.clear()
    if added.containerName != nil, !dryRun { try DaemonLauncher.restart(try Home()) }
    guard !output.json else {
      Output.line(answer.json)
      return
    }
    let reply = answer.reply
    if reply.dryRun { Output.line("This would be done; nothing was changed:") }
    if reply.dryRun || output.verbose {
      for step in reply.steps { Output.line("  " + Output.printable(step)) }
      Output.table(
        reply.probes.map { probe in
          [
            "  " + Output.printable(probe.name), probe.works ? "yes" : "no",
            Output.printable(probe.note),
          ]
        })
    }
    for warning in reply.warnings {
      Output.error("warning: \(Output.sentence(warning.message))")
      Output.error("  \(Output.sentence(warning.remedy))")
    }
    guard !reply.dryRun else { return }
    Output.line(Self.storage(reply))
    if onlyReads {
      Output.line("This home is anonymous: it reads the public database, and writes nothing.")
      return
    }
    let who = Wording.person(nil, reply.account.handle, reply.account.name)
    switch reply.keys {
    case .found:
      Output.line("You are \(who) again, by the keys that were in \(reply.home.printable).")
      Output.line("`cairn status` shows your folders.")
    case .published:
      Output.line("You are \(who), by the keys that were in \(reply.home.printable).")
      Output.line(
        "Nothing of yours was in this container before. If you expected your folders, move "
          + "\(reply.home.printable)/cairn.conf away, and give the right --container.")
    default: Output.line("You are \(who). Your keys are in \(reply.home.printable).")
    }
    if let containerName = added.containerName {
      Output.line(
        "The container is called \(containerName) here. Commands about it: "
          + "`cairn --container \(containerName) …`.")
    }
  }

  /// The result of the tests of the storage, in one line.
  static func storage(_ reply: Control.SetupReply) -> String {
    let isTold = reply.probes.contains { $0.name == "notify" && $0.works }
    // A home that only reads tests nothing else.
    let isTested = reply.probes.contains { $0.name != "notify" }
    let isDurable = !reply.probes.contains { $0.name == "fsync" && !$0.works }
    let quality = isDurable ? "reliable" : "not durable"
    let words = [
      Output.printable(reply.container.fileSystem), isTested ? quality : nil,
      isTold ? "notifies at once" : "checked regularly",
    ]
    return "storage: ok (\(words.compactMap(\.self).joined(separator: ", ")))"
  }
}
