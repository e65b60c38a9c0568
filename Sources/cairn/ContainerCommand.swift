import ArgumentParser
import CairnControl
import Glibc

/// `cairn container`: the containers of a home, and the care for a whole container.
struct ContainerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "container",
    abstract: "List the containers of this home, and copy or move one.",
    discussion: """
      A home can have several containers: see cairn-container-list(1). The other commands are for \
      the owner of the storage, and for backups: see cairn-container-copy(1), \
      cairn-container-move(1) and cairn-container-policy(1).
      """,
    subcommands: [
      ContainerListCommand.self, ContainerRenameCommand.self, ContainerRemoveCommand.self,
      ContainerCopyCommand.self, ContainerMoveCommand.self, ContainerPolicyCommand.self,
    ])
}

/// `cairn container copy`.
struct ContainerCopyCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy the whole container to another place, or bring such a copy up to date.",
    discussion: """
      Copies the objects of all people as they are, including those that you can't open. The \
      command copies what is missing in the target, and overwrites and deletes nothing there. You \
      can interrupt it at any time, and others can work meanwhile: run it again to continue.
      """)

  @Flag(help: "Also compare the bytes of objects that exist in both places.")
  var check = false

  @OptionGroup var copying: CopyingOptions

  var output: OutputOptions { copying.output }

  func run() throws {
    try copying.tell(
      Control.ContainerCopy(
        target: try copying.target.location(), bucket: try copying.bucket.bucket(),
        isChecked: check),
      Self.sentences)
  }

  /// The result for people.
  static func sentences(_ reply: Control.ContainerCopyReply) -> [String] {
    var lines = text(reply.problems, of: reply.problemCount)
    for folder in reply.unsettled {
      lines.append(
        "note: others wrote to \(Output.printable(folder)) all the time; run it again, lest the "
          + "copy has a gap there.")
    }
    lines.append(
      "Copied \(text(reply.copied)) to \(reply.target.printable)"
        + (reply.isNew ? ", a new copy." : "; \(text(reply.there)) were there."))
    if reply.compared.objects > 0 { lines.append("Compared \(text(reply.compared)): the same.") }
    if reply.kept.objects > 0 {
      lines.append("The copy has \(text(reply.kept)) that the container hasn't any more.")
    }
    return lines
  }

  /// The problems with single objects.
  static func text(_ problems: [Control.CopyProblem], of count: Int) -> [String] {
    let lines = problems.map { problem in
      (problem.differs ? "differs: " : "can't be read: ") + Output.printable(problem.object)
        + "\n  "
        + Output.sentence(problem.message)
    }
    return count > problems.count ? lines + ["… and \(count - problems.count) more."] : lines
  }

  static func text(_ count: Control.ObjectCount) -> String {
    Wording.count(count.objects, "object", "objects") + " with " + Wording.bytes(count.bytes)
  }
}

/// `cairn container policy`.
struct ContainerPolicyCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Print the minimum rights that a person needs in the container's bucket.",
    discussion: """
      Prints a policy for the bucket, which the owner of the bucket can set. The policy goes to \
      standard output, and notes about it to standard error. For a container in a directory, \
      describes the rights in words.
      """)

  /// The engines with a policy language.
  enum Engine: String, ExpressibleByArgument, CaseIterable {
    case aws, ceph
  }

  @Argument(
    help: ArgumentHelp("The person's handle or id; yours if left out.", valueName: "person"),
    completion: Suggestions.people.completion)
  var person: String?

  @Option(
    help: ArgumentHelp(
      "Whom the engine knows them as, as in arn:aws:iam::ACCOUNT:user/NAME; without it, the policy "
        + "is one to be attached to a user.", valueName: "arn"))
  var principal: String?

  @Option(help: "The kind of server: aws or ceph.")
  var engine = Engine.aws

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ContainerPolicy {
    Control.ContainerPolicy(
      person: person, principal: principal, engine: engine.rawValue)
  }

  func write(_ reply: Control.ContainerPolicy.Reply) {
    let notes = reply.notes.map { Output.printable($0) }
    guard let document = reply.document else {
      for note in notes { Output.line(note) }
      return
    }
    Output.line(document)
    for note in notes { Output.write(Array("note: \(note)\n".utf8), to: STDERR_FILENO) }
  }
}
