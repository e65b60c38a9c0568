import ArgumentParser
import CairnControl

/// `cairn device`: the devices of this person.
struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "Use Cairn on several machines of yours.",
    discussion: """
      Run `device link` on a machine that you use already, and `device join` on the new one, with \
      the printed code. The new machine then has the same account, folders and shares. See \
      cairn-device(1).
      """,
    subcommands: [
      DeviceLinkCommand.self, DeviceJoinCommand.self, DeviceListCommand.self,
      DeviceRenameCommand.self, DeviceRevokeCommand.self, DeviceRecoveryCommand.self,
    ])
}

/// `cairn device link`.
struct DeviceLinkCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "link",
    abstract: "Print a code by which another machine can join.",
    discussion: """
      The code is valid for ten minutes and for one machine. Anyone who has it can become \
      you: carry it over yourself. The daemon here lets the machine in; keep it running.
      """)

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let reply = try Session(output).ask(Control.DeviceLink()) else { return }
    Output.line("Until \(Wording.time(reply.expires)), run this on the new machine:")
    Output.line("  cairn device join CODE")
    Output.line(reply.code)
  }
}

/// `cairn device join`.
struct DeviceJoinCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "join",
    abstract: "Add this machine to your account.",
    discussion: """
      Takes the code that `device link` printed on another machine of yours, whose daemon must be \
      running. This home must have no account yet: don't run `cairn init` before. Your folders and \
      shares then appear in the folder that --at names, later ones too. --only and --without \
      select some of them by name, or by path: Team/Films.
      """)

  @Argument(help: ArgumentHelp("The code, or - for one on standard input.", valueName: "code"))
  var code: CodeArgument

  @Option(
    help: ArgumentHelp(
      "The name of this device; the host's name if left out.", valueName: "name"))
  var deviceName: String?

  @Option(
    help: ArgumentHelp(
      "The folder in which your folders appear; ~/Cairn if left out.", valueName: "dir"))
  var at: PathArgument?

  @Option(
    help: ArgumentHelp(
      "The path of the container on this machine, if it differs.",
      valueName: "dir"))
  var container: ContainerArgument?

  @OptionGroup var added: AddedContainerOptions

  @OptionGroup var selection: InitialSelectionOptions

  @OptionGroup var bucket: BucketOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.Join(
      code: try code.text(), deviceName: deviceName, at: try at?.absolute(),
      container: try container?.location(), select: selection.selection(),
      containerName: added.containerName, bucket: try bucket.bucket())
    let answer = try SetupRunner.run(request)
    if added.containerName != nil { try DaemonLauncher.restart(try Home()) }
    try DaemonLauncher.ensureRunning(try Home())
    guard !output.json else {
      Output.line(answer.json)
      return
    }
    let account = answer.reply.account
    let who = Wording.person(account.user, account.handle, account.name)
    Output.line(
      "You are \(who), and this is your device \(Output.printable(account.deviceName)). Your "
        + "folders appear in \(answer.reply.folder.printable).")
  }
}

/// `cairn device list`.
struct DeviceListCommand: AskingCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List your devices.",
    discussion: """
      Shows id, name, and whether the device is in use or revoked. A recovery sheet is a device.
      """)

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let reply = try Session(output).ask(Control.DeviceList()) else { return }
    Output.table(
      reply.devices.map { device in
        [
          Wording.id(device.device), Output.printable(device.name),
          (device.isActive
            ? "active" : "revoked" + (device.revoked.map { " on " + Wording.time($0) } ?? ""))
            + (device.isThis ? ", this one" : "")
            + (device.isRecovery ? ", recovery sheet" : ""),
        ]
      }, heading: ["ID", "NAME", "STATE"])
  }
}

/// `cairn device rename`.
struct DeviceRenameCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Give a device of yours another name.",
    discussion: "All people of the container can see the names of your devices.")

  @Argument(
    help: "The device: its name, its id, or the beginning of its id.",
    completion: Suggestions.devices.completion)
  var device: String

  @Argument(help: "The new name.")
  var name: String

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.DeviceRename {
    Control.DeviceRename(device: device, to: name)
  }

  func write(_ reply: Control.DeviceRename.Reply) {
    let (id, name) = (Wording.id(reply.device.device), Output.printable(reply.device.name))
    Output.line("\(id) is called \(name) now.")
  }
}

/// `cairn device revoke`.
struct DeviceRevokeCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "Revoke another device of yours permanently.",
    discussion: """
      For a machine that is lost, or that you don't use any more. From now on it can write \
      nothing, and can read nothing new. Its files stay readable for anyone who can unlock it. It \
      can come back only as a new device.
      """)

  @Argument(
    help: "The device: its name, its id, or the beginning of its id.",
    completion: Suggestions.devices.completion)
  var device: String

  @OptionGroup var question: QuestionOptions

  @OptionGroup var output: OutputOptions

  func run() throws {
    let session = try Session(output)
    if !question.yes, QuestionOptions.isInteractive(output), try !isRevoked(session) {
      try question.ask(
        "The device \(Output.printable(device)) loses all rights permanently; it can come back "
          + "only as a new one.", output)
    }
    let request = Control.DeviceRevoke(device: device)
    let answer = try session.answer(request)
    if output.json { Output.line(answer.json) } else { Self.write(answer.reply) }
    guard answer.reply.pending == 0 else {
      throw ExitCode(Control.ErrorCode.partialFailure.exitStatus)
    }
  }

  /// Returns whether only revoked devices have that name or id: then there is nothing to lose.
  private func isRevoked(_ session: Session) throws -> Bool {
    let named = try session.answer(Control.DeviceList()).reply.devices.filter {
      $0.name.lowercased() == device.lowercased() || $0.device.hasPrefix(device.lowercased())
    }
    return !named.isEmpty && !named.contains(where: \.isActive)
  }

  private static func write(_ reply: Control.DeviceRevokeReply) {
    let name = "\(Output.printable(reply.device.name)) (\(Wording.id(reply.device.device)))"
    let left = reply.pending == 0 ? "" : "; \(reply.pending) more get them later"
    if reply.before {
      let time = reply.device.revoked.map { " on " + Wording.time($0) } ?? ""
      Output.line("\(name) was revoked already\(time).")
    } else {
      Output.line(
        "\(name) is revoked. " + Wording.count(reply.zones, "folder has", "folders have")
          + " new keys" + left + ".")
      for line in limits(reply) { Output.line(line) }
    }
    if reply.links > 0 {
      Output.line(
        Wording.count(reply.links, "link was", "links were")
          + " revoked, because the device may know them. Create new ones where you need them.")
    }
    for device in reply.devices {
      let id = Wording.id(device.device)
      Output.line(
        "It let in \(Output.printable(device.name)) (\(id)), which is still a device of yours. "
          + "Unless it is in your hands: `cairn device revoke \(id)`")
    }
    for guest in reply.guests { Output.line(line(guest)) }
    guard reply.pending > 0 else { return }
    for zone in reply.missed {
      let title = zone.title.isEmpty ? "" : " \"\(Output.printable(zone.title))\""
      Output.line(
        "It still reads and writes in the zone \(Wording.id(zone.zone))\(title): "
          + Output.printable(zone.reason) + ".")
    }
    Output.line(
      "The daemon continues as soon as it can. Run the same command again to complete it, and to "
        + "see the people that the device let in there.")
  }

  /// The sentences about what a revocation can't do.
  private static func limits(_ reply: Control.DeviceRevokeReply) -> [String] {
    guard !reply.device.isRecovery else { return [] }
    var lines = [
      "The files that are on it already stay readable for anyone who can unlock it. Change the "
        + "passwords that were stored there."
    ]
    if reply.hasBucketKey {
      lines.append(
        "It also has an access key of the bucket: delete that key at the provider, and give your "
          + "other devices a new one. cairn.conf(5) says where.")
    }
    return lines
  }

  /// Returns the facts and next action about a person that the device brought in.
  private static func line(_ guest: Control.Guest) -> String {
    let who = Wording.identified(guest.person, goesOn: true)
    let what = "\"\(Output.printable(guest.title))\""
    let act =
      "`cairn share remove \(Wording.id(guest.zone)) \(Wording.id(guest.person.user))`"
    if guest.acceptance == .removed {
      return "It had invited \(who) to \(what); the invitation was revoked."
    }
    if guest.isAdministrator {
      return "It made \(who) an administrator of \(what). Unless you meant that: \(act)"
    }
    return guest.acceptance == .accepted
      ? "It alone let \(who) into \(what), and they accepted. Unless you meant that: \(act)"
      : "It invited \(who) to \(what). Only the owner can revoke that: ask them."
  }
}
