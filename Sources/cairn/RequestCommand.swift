import ArgumentParser
import CairnControl

/// A command that sends one request to the daemon, and tells people its answer.
protocol RequestCommand: AskingCommand {
  /// The operation of the request.
  associatedtype Request: ControlOperation

  /// Asks the person on a terminal, if the step can't be undone.
  func confirm() throws

  /// Returns the request, from the arguments.
  func request() throws -> Request

  /// Writes the answer for people.
  func write(_ reply: Request.Reply)
}

extension RequestCommand {
  /// Does nothing: the step can be undone.
  func confirm() throws {}

  /// Sends the request, and writes its answer in the form of the output options.
  func run() throws {
    try confirm()
    let request = try request()
    guard let reply = try Session(output).ask(request) else { return }
    write(reply)
  }
}

extension RequestCommand where Request.Reply: ControlListReply {
  /// Sends the request, and writes its answer once the list is complete. With `--json` the list is
  /// printed while it arrives.
  func run() throws {
    try confirm()
    let request = try request()
    guard let reply = try Session(output).ask(request) else { return }
    write(reply)
  }
}

/// The argument of commands about a share.
struct ShareArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("The shared folder, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument

  /// Returns the reference. Throws like `ShareArgument.reference`.
  func reference() throws(ControlError) -> Control.ShareReference { try share.reference() }
}

/// The arguments of commands about a person in a share.
struct ParticipantArguments: ParsableArguments {
  @OptionGroup var share: ShareArguments

  @Argument(
    help: "The person's handle, or the beginning of their id.",
    completion: Suggestions.participants.completion)
  var person: String

  /// The person, for a line of text.
  var name: String { Output.printable(person) }

  /// Returns the reference to the share.
  func reference() throws(ControlError) -> Control.ShareReference { try share.reference() }
}

extension Control.Permission {
  /// Returns the permission for a word, or for a common word with the same meaning.
  private static func typed(_ word: String) -> Self? {
    switch word.lowercased() {
    case "read", "ro", "readonly", "view", "viewer": .readOnly
    case "write", "rw", "readwrite", "edit", "editor": .readWrite
    case "off", "no": Self.none
    default: Self(rawValue: word)
    }
  }

  /// Returns the permission that can be given to a person.
  static func granted(_ word: String) throws(ValidationError) -> Self {
    guard let permission = typed(word), permission != .none else {
      throw ValidationError("Give read-write or read-only.")
    }
    return permission
  }

  /// Returns the permission for anyone with the link.
  static func ofLink(_ word: String) throws(ValidationError) -> Self {
    guard let permission = typed(word) else {
      throw ValidationError("Give none, read-only or read-write.")
    }
    return permission
  }

  /// Returns the only permission that may be given; `any` is the operation's `none`, which allows
  /// both.
  static func only(_ word: String) throws(ValidationError) -> Self {
    if word == "any" { return .none }
    guard let permission = typed(word), permission != .none else {
      throw ValidationError("Give read-only, read-write or any.")
    }
    return permission
  }

  /// The words for a permission that can be given.
  static let grantedWords = CompletionKind.list(["read-write", "read-only"])
}

/// An answer to a question of the command line.
enum Answer: String, CaseIterable, ExpressibleByArgument {
  case yes, no
}
