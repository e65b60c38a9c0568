import ArgumentParser
import CairnControl

/// `cairn share successor`.
struct ShareSuccessorCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "successor",
    abstract: "Name who may take a share over if its owner is gone, or take it over.",
    discussion: """
      The owner names one or more participants. A successor announces with --claim that they take \
      the share over, which everybody in it sees. The owner can refuse until --take-over. If \
      several people are named, more than half of them must confirm the claim. Without people and \
      options, the command shows the successors and their claims.
      """)

  @OptionGroup var share: ShareArguments

  @Argument(
    help: "A successor's handle, or the beginning of their id; or several.",
    completion: Suggestions.participants.completion)
  var people: [String] = []

  @Flag(help: "Name the present administrators.")
  var administrators = false

  @Option(
    help: ArgumentHelp(
      "With people: the waiting time of a claim, as in 30d, or none; 14d if left out.",
      valueName: "span"))
  var after: WaitArgument?

  @Flag(help: "Name nobody. All claims end.")
  var none = false

  @Flag(help: "Refuse all claims. The successors stay.")
  var refuse = false

  @Flag(help: "Claim the ownership, as a successor.")
  var claim = false

  @Option(
    name: .customLong("confirm"),
    help: ArgumentHelp("Confirm this person's claim, as another successor.", valueName: "person"),
    completion: Suggestions.participants.completion)
  var claimant: String?

  @Flag(help: "Withdraw your claim, or your confirmation.")
  var withdraw = false

  @Flag(help: "Take the share over, once the waiting time of your claim is over.")
  var takeOver = false

  @OptionGroup var question: QuestionOptions

  @OptionGroup var output: OutputOptions

  private var isNaming: Bool { !people.isEmpty || administrators }

  /// The steps that the arguments ask for.
  private var steps: [Control.SuccessionStep] {
    let asked: [(Bool, Control.SuccessionStep)] = [
      (isNaming, .name), (none, .name), (refuse, .refuse), (claim, .claim),
      (claimant != nil, .confirm), (withdraw, .withdraw), (takeOver, .takeOver),
    ]
    return asked.filter(\.0).map(\.1)
  }

  func validate() throws {
    guard steps.count <= 1 else { throw ValidationError("Give people, or one of the options.") }
    guard after == nil || isNaming else {
      throw ValidationError("Give --after together with people.")
    }
  }

  func confirm() throws {
    guard isNaming else { return }
    try question.ask(
      "If you don't refuse a claim in time, a successor owns the share, and only they can give it "
        + "back.", output)
  }

  func request() throws -> Control.ShareSuccessor {
    Control.ShareSuccessor(
      share: try share.reference(), step: steps.first, people: claimant.map { [$0] } ?? people,
      administrators: administrators, waitSeconds: after?.seconds)
  }

  func write(_ reply: Control.ShareSuccessor.Reply) {
    let title = "\"\(Output.printable(reply.share.title))\""
    if takeOver { return Output.line("You own \(title) now.") }
    guard let succession = reply.share.succession else {
      return Output.line("Nobody may take \(title) over without its owner's help.")
    }
    Output.table(SuccessionText.rows(succession))
  }
}

/// The waiting time of a claim on the command line: a span, or none.
struct WaitArgument: ExpressibleByArgument {
  /// Seconds.
  let seconds: Int64

  /// Reads `30d`, `12h`, `30m` or `none`; nil for anything else.
  init?(argument: String) {
    guard let seconds = argument == "none" ? 0 : LocalTime.span(argument) else { return nil }
    self.seconds = seconds
  }
}

/// The successors of a share's owner, in words.
enum SuccessionText {
  /// Rows with the successors, their number and the claims.
  static func rows(_ succession: Control.Succession) -> [[String]] {
    let names = succession.people.map(name).joined(separator: ", ")
    var rows = [
      ["successors", names + condition(succession)],
      ["waiting time", length(of: succession.waitSeconds)],
    ]
    for claim in succession.claims {
      let others = claim.confirmedBy.filter { $0.user != claim.person.user }.map(name)
      let by = others.isEmpty ? "" : ", confirmed by " + others.joined(separator: ", ")
      let lacks = claim.isConfirmed ? "" : ", needs more confirmations"
      rows.append(
        [
          "claim",
          "\(name(claim.person)), can have it from \(Wording.time(claim.due))\(by)\(lacks)",
        ])
    }
    return rows
  }

  private static func condition(_ succession: Control.Succession) -> String {
    if succession.people.count < succession.needed {
      return ": too few, \(succession.needed) must agree"
    }
    return succession.needed == 1 ? "" : ": \(succession.needed) of them must agree"
  }

  private static func length(of seconds: Int64) -> String {
    if seconds == 0 { return "none" }
    if seconds.isMultiple(of: 86_400) { return Wording.count(seconds / 86_400, "day", "days") }
    if seconds.isMultiple(of: 3_600) { return Wording.count(seconds / 3_600, "hour", "hours") }
    return Wording.count((seconds + 59) / 60, "minute", "minutes")
  }

  /// The name of a person.
  static func name(_ person: Control.Person) -> String {
    Wording.person(person.user, person.handle, person.name)
  }
}

extension StatusNeed {
  /// Creates the line for a claim.
  /// - Parameters:
  ///   - claim: The claim.
  ///   - mount: The folder of the share.
  ///   - me: The id of this person.
  init(_ claim: Control.SuccessionClaim, in mount: Control.MountStatus, for me: String) {
    let command = "`cairn share successor \(mount.path.typed)"
    let name = SuccessionText.name(claim.person)
    let isMine = claim.person.user == me
    let isDue = claim.isConfirmed && claim.due <= .now()
    let isSuccessor = mount.succession?.people.contains { $0.user == me } ?? false
    let confirms = claim.confirmedBy.contains { $0.user == me }
    let claimant = claim.person.handle ?? claim.person.user
    let lacks = claim.isConfirmed ? "" : ", if more successors confirm it"
    let (advice, isUrgent) =
      switch (mount.role == .owner, isMine) {
      case (true, _): ("To refuse, run \(command) --refuse`.", true)
      case (_, true) where isDue: ("To take the share over, run \(command) --take-over`.", true)
      case (_, false) where isSuccessor && !confirms && !claim.isConfirmed:
        ("To confirm it, run \(command) --confirm \(claimant)`.", true)
      default: ("The owner can refuse it.", false)
      }
    self.init(
      kind: "ownership", place: mount.path.printable,
      text: "\(name) claims the ownership, and can have it from \(Wording.time(claim.due))"
        + "\(lacks). " + advice, isUrgent: isUrgent)
  }
}
