import ArgumentParser
import CairnControl
import Glibc

/// `cairn repair`: puts back lost objects of the container.
struct RepairCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "repair",
    abstract: "Restore what the container has lost, from the data of this device.",
    discussion: """
      Shows a plan first, and carries it out if you agree: with --yes, or by an answer on a \
      terminal. Restores missing entries of a log. If other entries are in their positions, \
      continues with the container's history, and adds the changes that only this device has, \
      under a new epoch. Restores chunks from the files in your folders. Nothing that a person \
      wrote is deleted, unless you give --unread. See cairn-repair(1).
      """)

  @Argument(
    help: ArgumentHelp(
      "Only the zone of this folder, or of this id; without it everything.",
      valueName: "dir-or-zone"))
  var zone: ShareArgument?

  @Flag(
    help: """
      Also take away what holds the next place of a log and may be an entry of a newer Cairn, or \
      of somebody whom the container doesn't show now.
      """)
  var unread = false

  @Flag(help: "Do it without asking.")
  var yes = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    let session = try Session(output)
    let share = try zone?.reference()
    var answer = try session.answer(Control.Repair(share: share, dryRun: true, unread: unread))
    let isPossible = answer.reply.steps.contains { $0.possible }
    if isPossible, yes || agrees(to: answer.reply) {
      answer = try session.answer(Control.Repair(share: share, dryRun: false, unread: unread))
    }
    if output.json { Output.line(answer.json) } else { write(answer.reply) }
    let isComplete = answer.reply.steps.allSatisfy { $0.possible && answer.reply.done }
    guard isComplete else { throw ExitCode(Control.ErrorCode.partialFailure.exitStatus) }
  }

  /// Asks on a terminal; otherwise returns false.
  private func agrees(to plan: Control.RepairReply) -> Bool {
    guard !output.json, isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return false }
    write(plan)
    Output.write(Array("Do it? [y/N] ".utf8), to: STDOUT_FILENO)
    return readLine()?.lowercased().hasPrefix("y") ?? false
  }

  private func write(_ reply: Control.RepairReply) {
    if reply.steps.isEmpty { return Output.line("Nothing is to be repaired.") }
    for step in reply.steps {
      let place = step.path?.printable ?? Output.printable(step.title)
      Output.line("\(place): \(step.state.rawValue)")
      let tense = !step.possible ? "can't be done here" : reply.done ? "done" : "would be done"
      Output.line("  \(tense): \(Output.sentence(step.what))")
      for path in step.paths { Output.line("  affects \(path.printable)") }
      if !step.remedy.isEmpty { Output.line("  " + Output.sentence(step.remedy)) }
    }
    if !reply.done, reply.steps.contains(where: \.possible) {
      Output.line("Nothing was changed. Repeat with --yes to do it.")
    }
  }
}
