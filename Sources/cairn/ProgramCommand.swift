import ArgumentParser
import CairnControl

/// `cairn program`: the programs that use zones of this person.
struct ProgramCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "program", abstract: "Let programs use Cairn in your name.",
    discussion: """
      A program that is written with the library CairnCloud asks this daemon for the zones that it \
      uses, and needs no keys. It sees nothing before you allow it. See cairn-program(1).
      """,
    subcommands: [
      ProgramListCommand.self, ProgramAllowCommand.self, ProgramRevokeCommand.self,
    ])

  /// The lines about programs.
  static func lines(_ programs: [Control.Program]) -> [String] {
    var table = GrowingTable()
    return table.lines(
      [["PROGRAM", "STATE", "ZONES", "SINCE"]]
        + programs.map { program in
          [
            Output.printable(program.name), program.state.rawValue, zones(of: program),
            Wording.time(program.time),
          ]
        })
  }

  private static func zones(of program: Control.Program) -> String {
    let names = (program.asks ?? program.zones) + (program.asks == nil ? program.others : [])
    var parts = names.map { Output.printable($0) }
    if program.asksSharing ?? program.sharing { parts.append("sharing") }
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }
}

/// `cairn program list`.
struct ProgramListCommand: RequestCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the programs that use your zones, or ask to.",
    discussion: """
      A program that asks is shown with the zones that it asks for. "sharing" means that it may \
      also share its zones with people, and accept invitations.
      """)

  @OptionGroup var output: OutputOptions

  func request() -> Control.ProgramList { Control.ProgramList() }

  func write(_ reply: Control.ProgramList.Reply) {
    guard !reply.programs.isEmpty else { return Output.line("No program has asked.") }
    for line in ProgramCommand.lines(reply.programs) { Output.line(line) }
  }
}

/// `cairn program allow`.
struct ProgramAllowCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow", abstract: "Let a program use the zones that it asks for.",
    discussion: """
      The program sees only these zones, and those that it makes or accepts later. With --zone it \
      also sees the records of a zone that you name.
      """)

  @Argument(help: ArgumentHelp("The name of the program.", valueName: "name"))
  var name: String

  @Option(
    help: ArgumentHelp("Another zone that it may use, as `cairn zones` lists it.", valueName: "id"),
    completion: Suggestions.zones.completion)
  var zone: [String] = []

  @OptionGroup var output: OutputOptions

  func request() -> Control.ProgramAllow { Control.ProgramAllow(name: name, zones: zone) }

  func write(_ reply: Control.ProgramAllow.Reply) {
    for line in ProgramCommand.lines(reply.programs) { Output.line(line) }
  }
}

/// `cairn program revoke`.
struct ProgramRevokeCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Withdraw the access of a program, or refuse its request.",
    discussion: "Its records stay. `cairn program allow` lets it continue.")

  @Argument(help: ArgumentHelp("The name of the program.", valueName: "name"))
  var name: String

  @OptionGroup var output: OutputOptions

  func request() -> Control.ProgramRevoke { Control.ProgramRevoke(name: name) }

  func write(_ reply: Control.ProgramRevoke.Reply) {
    for line in ProgramCommand.lines(reply.programs) { Output.line(line) }
  }
}
