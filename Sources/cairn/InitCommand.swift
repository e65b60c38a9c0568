import ArgumentParser
import CairnControl

/// `cairn init`: creates a person's home, and the container if needed, by `cairnd setup`.
struct InitCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "init",
    abstract: "Make yourself known in a container.",
    discussion: """
      Makes the container if it isn't there, tries out what its place really offers, makes \
      your identity and the keys of this device, and publishes your profile. Asks nothing. Do it \
      once for each person; a second time it refuses with alreadyExists.

      A container behind a web server can only be read: then, as with --anonymous, the home gets \
      no account, and no name is asked for.

      The keys never leave this machine: keep a copy of them. See cairn-init(1).
      """)

  @Option(
    help: ArgumentHelp(
      "The container: a directory that all who share can reach, a bucket, as in "
        + "s3:https://HOST/BUCKET/PREFIX, or the address of a web server that shows it.",
      valueName: "dir"))
  var container: ContainerArgument

  @OptionGroup var bucket: BucketOptions

  @Option(help: "The name that others see.")
  var name: String?

  @Option(help: "The name that others invite you by: short, and yours alone in this container.")
  var handle: String?

  @Option(
    help: ArgumentHelp(
      "The name of this device; the host's name if left out.",
      valueName: "name"))
  var deviceName: String?

  @Flag(
    help: "No account: only read the public database, and write nothing into the container.")
  var anonymous = false

  @Option(
    help: ArgumentHelp(
      "How long a container that can't notify isn't asked at most; 60, for --anonymous 1800.",
      valueName: "seconds"))
  var poll: Int?

  @Flag(help: "Say what would be done, and touch nothing.")
  var dryRun = false

  @OptionGroup var output: OutputOptions

  /// A Boolean value that indicates whether the home gets no account.
  private var onlyReads: Bool {
    anonymous || container.isReadOnly && name == nil && handle == nil
  }

  func validate() throws {
    guard onlyReads == (name == nil), onlyReads == (handle == nil) else {
      throw ValidationError(
        anonymous
          ? "--anonymous goes without --name and --handle."
          : "Give --name and --handle, or --anonymous.")
    }
    if let poll, poll < 1 { throw ValidationError("--poll needs a number of at least 1.") }
  }

  func run() throws {
    let request = Control.Setup(
      container: try container.location(), name: name ?? "", handle: handle ?? "",
      deviceName: deviceName, dryRun: dryRun, anonymous: onlyReads, pollSeconds: poll,
      bucket: try bucket.bucket())
    var progress = ProgressLine(isAllowed: !output.json)
    defer { progress.clear() }
    let answer = try SetupRunner.run(request) { line in
      if case .progress(let amount) = line.update { progress.show(amount) }
    }
    progress.clear()
    guard !output.json else {
      Output.line(answer.json)
      return
    }
    let reply = answer.reply
    if reply.dryRun { Output.line("This would be done; nothing was touched:") }
    for step in reply.steps { Output.line("  " + Output.printable(step)) }
    Output.table(
      reply.probes.map { probe in
        [
          "  " + Output.printable(probe.name), probe.works ? "yes" : "no",
          Output.printable(probe.note),
        ]
      })
    for warning in reply.warnings {
      Output.error("warning: \(Output.sentence(warning.message))")
      Output.error("  \(Output.sentence(warning.remedy))")
    }
    guard !reply.dryRun else { return }
    if onlyReads {
      Output.line("This home is anonymous: it reads the public database, and writes nothing.")
      return
    }
    let who = Wording.person(nil, reply.account.handle, reply.account.name)
    Output.line("You are \(who). Your keys are in \(reply.home.printable).")
  }
}
