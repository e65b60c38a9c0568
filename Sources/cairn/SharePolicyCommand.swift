import ArgumentParser
import CairnControl

/// `cairn share policy`.
struct SharePolicyCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "policy",
    abstract: "Show or change which ways of sharing are allowed.",
    discussion: """
      Without options, shows the policy. Only the owner changes it; every device refuses what it \
      forbids. What was granted before stays.
      """)

  /// The people that a share may admit.
  enum Access: String, CaseIterable, ExpressibleByArgument {
    case any, anyone, named
  }

  /// The permissions that may be given.
  enum OnlyPermission: String, CaseIterable, ExpressibleByArgument {
    case any
    case readOnly = "read-only"
    case readWrite = "read-write"

    /// The value of the operation; `none` allows both.
    var permission: Control.Permission {
      switch self {
      case .any: .none
      case .readOnly: .readOnly
      case .readWrite: .readWrite
      }
    }
  }

  /// Yes or no.
  enum Answer: String, CaseIterable, ExpressibleByArgument {
    case yes, no
  }

  @Argument(help: ArgumentHelp("The shared folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  @Option(help: "Whom the share may let in: any, anyone with the link only, named people only.")
  var access: Access?

  @Option(help: "The only permission that may be given: read-only, read-write, or any.")
  var permission: OnlyPermission?

  @Option(help: "Whether who has accepted may invite others: yes or no.")
  var participantsInvite: Answer?

  @OptionGroup var output: OutputOptions

  func run() throws {
    let request = Control.SharePolicy(
      share: try share.reference(), access: access?.rawValue,
      permission: permission?.permission, participantsInvite: participantsInvite.map { $0 == .yes })
    guard let reply = try Session(output).ask(request) else { return }
    Output.table([
      ["access", reply.access],
      ["permission", reply.permission.map { Wording.permission($0) } ?? "any"],
      ["participants invite", reply.participantsInvite ? "yes" : "no"],
    ])
  }
}
