import ArgumentParser
import CairnControl

/// `cairn share policy`.
struct SharePolicyCommand: RequestCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Show or change which ways of sharing are allowed.",
    discussion: """
      Without options, shows the policy. Only the owner changes it, and every device refuses what \
      the policy forbids. Earlier permissions stay.
      """)

  /// The people that a share may admit.
  enum Access: String, CaseIterable, ExpressibleByArgument {
    case any, anyone, named
  }

  @OptionGroup var share: ShareArguments

  @Option(
    help: ArgumentHelp(
      "The people that the share may admit: any, anyone (only by a link), or named "
        + "(only by invitation)."))
  var access: Access?

  @Option(
    help: "The only permission that may be given: read-only, read-write, or any.",
    completion: .list(["any", "read-only", "read-write"]), transform: Control.Permission.only)
  var permission: Control.Permission?

  @Option(help: "Whether participants may invite others: yes or no.")
  var participantsInvite: Answer?

  @OptionGroup var output: OutputOptions

  func request() throws -> Control.SharePolicy {
    Control.SharePolicy(
      share: try share.reference(), access: access?.rawValue,
      permission: permission, participantsInvite: participantsInvite.map { $0 == .yes })
  }

  func write(_ reply: Control.SharePolicy.Reply) {
    Output.table([
      ["access", reply.access],
      ["permission", reply.permission.map { Wording.permission($0) } ?? "any"],
      ["participants invite", reply.participantsInvite ? "yes" : "no"],
    ])
  }
}
