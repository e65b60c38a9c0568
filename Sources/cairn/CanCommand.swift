import ArgumentParser
import CairnControl

/// `cairn can`: the rights on a path, before an attempt.
struct CanCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "can",
    abstract: "Say what you may do to a file or folder, and why.",
    discussion: """
      `cairn can PATH` prints the answers for read, update, delete and share. With one of these \
      words before the path, the exit status is the answer: 0 for yes, 10 (permissionFailure) for \
      no. `cairn can modify --scope SCOPE` says whether you may write to a database. The command \
      works without the container, too. See cairn-status(1).
      """)

  @Argument(
    help: ArgumentHelp(
      "read, update, delete or share, and a path; a path alone; or modify.",
      valueName: "verb-and-path"))
  var words: [PathArgument]

  @Option(help: "With modify: private, shared or public; private if left out.")
  var scope: ScopeArgument?

  @OptionGroup var output: OutputOptions

  private var verb: Control.Verb? {
    words.count == 2 ? Control.Verb(rawValue: String(decoding: words[0].given, as: UTF8.self)) : nil
  }

  private var isModify: Bool { words.count == 1 && words[0].given == Array("modify".utf8) }

  func validate() throws {
    guard words.count <= 2, words.count == 1 || verb != nil else {
      throw ValidationError("Give read, update, delete or share, and one path.")
    }
    if scope != nil && !isModify { throw ValidationError("--scope is only for modify.") }
  }

  func run() throws {
    if isModify { return try modify() }
    guard let path = words.last else { return }
    let answer = try Session(output).answer(Control.Can(path: path.absolute()))
    let permits = answer.reply.permits.filter { verb == nil || $0.verb == verb }
    if output.json {
      Output.line(answer.json)
    } else {
      Output.table(
        permits.map { [$0.verb.rawValue, $0.allowed ? "yes" : "no", Output.sentence($0.reason)] })
    }
    try end(verb == nil || permits.allSatisfy(\.allowed))
  }

  private func modify() throws {
    let answer = try Session(output).answer(Control.CanModify(scope: scope?.scope ?? .private))
    if output.json {
      Output.line(answer.json)
    } else {
      Output.line(
        "\(answer.reply.allowed ? "yes" : "no")  \(Output.sentence(answer.reply.reason))")
    }
    try end(answer.reply.allowed)
  }

  /// The answer "no" is not a failure of the command, but scripts need a status.
  private func end(_ isAllowed: Bool) throws {
    if !isAllowed { throw ExitCode(Control.ErrorCode.permissionFailure.exitStatus) }
  }
}
