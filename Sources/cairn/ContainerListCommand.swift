import ArgumentParser
import CairnControl

/// `cairn container list`.
struct ContainerListCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the containers of this home.",
    discussion: """
      Shows the name of each container, your handle in it, the number of mirrored folders, and the \
      location. `cairn init --as NAME` adds a container.
      """)

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let reply = try Session(output).ask(Control.ContainerList()) else { return }
    Self.write(reply.containers)
  }

  static func write(_ containers: [Control.HomeContainer]) {
    Output.table(
      containers.map { container in
        [
          Output.printable(container.name), container.handle.map { Output.printable($0) } ?? "-",
          Wording.count(container.folders, "folder", "folders"), container.path.printable,
        ]
      })
    for container in containers {
      guard let problem = container.problem else { continue }
      Output.line(
        "\(Output.printable(container.name)) isn't open: \(Output.sentence(problem.message))")
      if !problem.remedy.isEmpty { Output.line("  " + Output.sentence(problem.remedy)) }
    }
  }
}

/// `cairn container rename`.
struct ContainerRenameCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Change the name of a container in this home.",
    discussion: """
      The name is only for you and for this home. Nobody else sees it. The daemon starts again.
      """)

  @Argument(
    help: ArgumentHelp("The container's name or id.", valueName: "container"),
    completion: Suggestions.containers.completion)
  var container: String

  @Argument(help: ArgumentHelp("The new name.", valueName: "name"))
  var name: String

  @OptionGroup var output: OutputOptions

  func run() throws {
    let session = try Session(output)
    let reply = try session.ask(Control.ContainerRename(container: container, to: name))
    try DaemonLauncher.restart(session.home)
    if reply != nil { Output.line("The container is called \(Output.printable(name)) now.") }
  }
}

/// `cairn container remove`.
struct ContainerRemoveCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a container from this home, and delete nothing.",
    discussion: """
      The folders of the container keep their files, and no longer sync. The container itself and \
      your account in it stay as they are. The keys stay in this home: `cairn init` with the same \
      --container, --name, --handle and --as brings the container back with its folders. The \
      daemon starts again.
      """)

  @Argument(
    help: ArgumentHelp("The container's name or id.", valueName: "container"),
    completion: Suggestions.containers.completion)
  var container: String

  @OptionGroup var output: OutputOptions

  func run() throws {
    let session = try Session(output)
    let reply = try session.ask(Control.ContainerRemove(container: container))
    try DaemonLauncher.restart(session.home)
    guard let reply else { return }
    Output.line(
      "\(Output.printable(reply.name)) is removed from this home. Its folders keep their files. "
        + "Its keys stay beside \(reply.configuration.printable).")
  }
}
