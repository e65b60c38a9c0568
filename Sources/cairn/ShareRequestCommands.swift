import ArgumentParser
import CairnControl

/// `cairn share set-requests`.
struct ShareSetRequestsCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-requests",
    abstract: "Turn requests for access to a share on or off.",
    discussion: """
      If it is on, anyone who has the share's locator can ask with `cairn share request`. It is \
      off at first; then nobody can find out by asking whether the share exists.
      """)

  /// The values for requests.
  enum Switch: String, CaseIterable, ExpressibleByArgument {
    case on
    case off
  }

  @OptionGroup var share: ShareArguments

  @Argument(help: "on or off.")
  var requests: Switch

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ShareSetRequests {
    Control.ShareSetRequests(
      share: try share.reference(), allowed: requests == .on)
  }

  func write(_ reply: Control.ShareSetRequests.Reply) {
    let verb = reply.share.takesRequests ? "takes" : "doesn't take"
    Output.line("\"\(Output.printable(reply.share.title))\" \(verb) requests for access.")
    if reply.share.takesRequests { Output.line(reply.share.link) }
  }
}

/// `cairn share request`.
struct ShareRequestCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "request",
    abstract: "Ask for access to a share.",
    discussion: """
      The owner sees who you are and what you say. If they agree, the invitation is in `cairn \
      share invitations`. Several links are asked for one by one.
      """)

  @Argument(help: "Links to the shares.")
  var links: [String]

  @Option(help: ArgumentHelp("What to say to the owner.", valueName: "text"))
  var message = ""

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.ShareRequest(links: links, message: message)
    let answer = try Session(output).answer(request)
    if output.json { Output.line(answer.json) }
    var failed = 0
    for outcome in answer.reply.outcomes {
      if outcome.error != nil { failed += 1 }
      guard !output.json else { continue }
      let text = outcome.error.map { $0.message + " [" + $0.code.rawValue + "]" } ?? "asked"
      Output.line("\(outcome.link): \(Output.sentence(text))")
    }
    guard failed == 0 else {
      throw ExitCode(Control.ErrorCode.partialFailure.exitStatus)
    }
  }
}

/// `cairn share requests`.
struct ShareRequestsCommand: RequestCommand, EveryContainerCommand {
  static let configuration = CommandConfiguration(
    commandName: "requests",
    abstract: "List who asks for access to your shares.",
    discussion: "Shows the request's id, the share, who asks, when, and what they say.")

  @Argument(help: ArgumentHelp("Only this share.", valueName: "dir-or-share"))
  var share: ShareArgument?

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ShareRequests {
    Control.ShareRequests(share: try share?.reference())
  }

  func write(_ reply: Control.ShareRequests.Reply) {
    guard !reply.requests.isEmpty else { return Output.line("No request waits for you.") }
    Output.table(
      reply.requests.map { request in
        [
          Wording.id(request.id), Output.printable(request.title),
          Wording.identified(request.from),
          Wording.time(request.time), Output.printable(request.text),
        ]
      })
  }
}

/// `cairn share approve`.
struct ShareApproveCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve", abstract: "Invite a person who asked for access.")

  @OptionGroup var answer: RequestAnswer

  @Option(
    help: "read-write, the default, or read-only.", completion: Control.Permission.grantedWords,
    transform: Control.Permission.granted)
  var permission: Control.Permission?

  @Flag(help: "As for `cairn share invite`.")
  var unverified = false

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ShareApprove {
    Control.ShareApprove(
      share: try answer.share.reference(), person: answer.person,
      permission: permission, unverified: unverified)
  }

  func write(_ reply: Control.ShareApprove.Reply) {
    if let warning = reply.warning { Output.error("cairn: " + Output.sentence(warning)) }
    for person in reply.invited {
      Output.line(Wording.invited(person, to: reply.share.title))
    }
  }
}

/// `cairn share deny`.
struct ShareDenyCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny", abstract: "Reject a person's request for access.",
    discussion: "They aren't told, and may ask again; `cairn share block` ends that.")

  @OptionGroup var answer: RequestAnswer
  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ShareDeny {
    Control.ShareDeny(share: try answer.share.reference(), person: answer.person)
  }

  func write(_ reply: Control.ShareDeny.Reply) {
    Output.line("The request of \(Output.printable(answer.person)) was dropped.")
  }
}

/// `cairn share block`.
struct ShareBlockCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "block", abstract: "Block a person in a share.",
    discussion: """
      A participant is removed, as by `cairn share remove`. Nobody can invite them, and they can't \
      use a link or ask for access, until `cairn share unblock`.
      """)

  @OptionGroup var answer: RequestAnswer
  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ShareBlock {
    Control.ShareBlock(share: try answer.share.reference(), person: answer.person)
  }

  func write(_ reply: Control.ShareBlock.Reply) {
    Output.line(
      "\(Output.printable(answer.person)) is blocked in "
        + "\"\(Output.printable(reply.share.title))\".")
  }
}

/// `cairn share unblock`.
struct ShareUnblockCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "unblock", abstract: "Unblock a person in a share.",
    discussion: """
      The person may ask for access and be invited again. They aren't in the share by that.
      """)

  @OptionGroup var answer: RequestAnswer
  @OptionGroup var output: OutputOptions

  func request() throws -> Control.ShareUnblock {
    Control.ShareUnblock(share: try answer.share.reference(), person: answer.person)
  }

  func write(_ reply: Control.ShareUnblock.Reply) {
    Output.line(
      "\(Output.printable(answer.person)) may be invited to "
        + "\"\(Output.printable(reply.share.title))\" again.")
  }
}

/// The share, and the person that requested access.
struct RequestAnswer: ParsableArguments {
  @OptionGroup var share: ShareArguments

  @Argument(
    help: ArgumentHelp(
      "Their handle, the beginning of their id, or the id of the request.", valueName: "person"),
    completion: Suggestions.strangers.completion)
  var person: String
}
