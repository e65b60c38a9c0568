import ArgumentParser
import CairnControl
import Glibc

/// What a shell offers for an argument when its person presses Tab, beyond files and fixed words:
/// what the daemon knows. Silent where none runs, for nobody wants one started by that; and nothing
/// that it says is ever run: what others have named is quoted for the shell, or left out.
enum Suggestions {
  /// The folders that are mirrored.
  case folders
  /// The shares: by their folder, or by their id.
  case shares
  /// The people of the container, by handle.
  case people
  /// Those who are in the share that the command line names, by handle.
  case participants
  /// Those whose invitation to that share waits for them, by handle, and its links, by id.
  case invited
  /// Those about whose access to that share the command decides, by handle.
  case strangers
  /// Invitations that wait for an answer, by id.
  case invitations
  /// The person's devices, by name.
  case devices
  /// Zones, by id.
  case zones
  /// The versions of the file that the command line names.
  case versions
  /// Who has a directory in the public database, by handle.
  case authors
  /// Paths in the public database.
  case published
  /// Conflict copies.
  case conflicts
  /// What lies in rescue folders.
  case rescued

  /// As the parser of arguments takes it.
  var completion: CompletionKind {
    .custom { line, _, prefix in Self.words(of: self, for: prefix, beside: line) }
  }

  /// The words that the shell is given, each on a line.
  private static func words(
    of wanted: Suggestions, for prefix: String, beside line: [String]
  ) -> [String] {
    // A question that fails has no answer: a shell can show no errors here.
    guard let home = try? Home(), let found = try? KnownWords(home).words(wanted, prefix, line)
    else { return [] }
    let shell = CompletionShell.requesting
    return Set(found).sorted().compactMap { ShellWord.quoted($0, for: shell) }
  }
}

/// Asks a daemon that runs already.
private struct KnownWords {
  private let client: ControlClient

  init(_ home: Home) { client = ControlClient(home: home) }

  func words(
    _ wanted: Suggestions, _ prefix: String, _ line: [String]
  ) throws(ControlError) -> [String] {
    switch wanted {
    case .folders:
      let status = try client.call(Control.Status()).reply
      return spelled(status.mounts.map(\.path), prefix)
    case .shares:
      let shares = try list(Control.ShareList())
      let ids = shares.filter { $0.path == nil || !prefix.isEmpty }.map { Wording.id($0.id) }
      return spelled(shares.compactMap(\.path), prefix) + ids
    case .people:
      return try list(Control.UserList()).filter { !$0.isMe }.map(\.handle)
    case .participants:
      return try shares(in: line).flatMap { share in
        share.participants.filter { $0.role != .owner }.compactMap(\.handle)
      }
    case .invited:
      return try shares(in: line).flatMap { share in
        share.participants.filter { $0.acceptance == .pending }.compactMap(\.handle)
          + share.links.map { Wording.id($0.id) }
      }
    case .strangers:
      let shares = try shares(in: line)
      if line.dropFirst(2).first == "unblock" {
        return shares.flatMap { $0.blocked.compactMap(\.handle) }
      }
      let ids = Set(shares.map(\.id))
      let asking = try list(Control.ShareRequests()).filter { ids.contains($0.share) }
        .compactMap(\.from.handle)
      // Who takes part can be shut out, too.
      guard line.dropFirst(2).first == "block" else { return asking }
      return try asking + words(.participants, prefix, line)
    case .invitations:
      return try list(Control.ShareInvitations()).map { Wording.id($0.id) }
    case .devices:
      let devices = try client.call(Control.DeviceList()).reply.devices
      return devices.filter(\.isActive).map(\.name)
    case .zones:
      return try list(Control.Zones()).map { Wording.id($0.zone) }
    case .versions:
      return versions(in: line)
    case .authors:
      return try list(Control.PublicList(path: "")).compactMap(\.author.handle)
    case .published:
      guard let slash = prefix.firstIndex(of: "/") else {
        return try list(Control.PublicList(path: "")).compactMap(\.path.text)
      }
      // Below an author all of theirs: a shell would take a directory for the end of the word. And
      // the author stays as they were typed, by handle or in full.
      let author = String(prefix[..<slash])
      return try list(Control.PublicList(path: Control.Path(author), recursive: true))
        .compactMap { $0.path.text?.drop { $0 != "/" } }.map { author + $0 }
    case .conflicts:
      return spelled(try list(Control.ConflictList()).map(\.copy.path), prefix)
    case .rescued:
      return spelled(try list(Control.RescueList()).map(\.rescued.path), prefix)
    }
  }

  /// The shares that the command line names; all of them if it names none.
  private func shares(in line: [String]) throws(ControlError) -> [Control.Share] {
    let shares = try list(Control.ShareList())
    let named = shares.filter { share in
      line.contains { $0.count >= 6 && share.id.hasPrefix($0.lowercased()) }
        || ["/", "", "~/"].contains { prefix in
          spelled([share.path].compactMap { $0 }, prefix).contains { line.contains($0) }
        }
    }
    return named.isEmpty ? shares : named
  }

  /// The numbers of the versions of the first file that the command line names.
  private func versions(in line: [String]) -> [String] {
    for word in line.dropFirst(2) where !word.hasPrefix("-") {
      // Which words are files, only an answer tells.
      guard let path = try? PathArgument(argument: word)?.absolute(),
        let entries = try? list(Control.History(path: path, limit: 100))
      else { continue }
      return entries.filter { $0.kind == .file && !$0.what.contains("deleted") }
        .map { String($0.version) }
    }
    return []
  }

  private func list<Operation: ControlOperation>(
    _ operation: Operation
  ) throws(ControlError) -> [Operation.Reply.Item] where Operation.Reply: ControlListReply {
    var items: [Operation.Reply.Item] = []
    _ = try client.call(operation) { line throws(ControlError) in
      if case .items = line.update { items += try line.items(Operation.Reply.Item.self) }
    }
    return items
  }

  /// These paths as a person would go on from what they have typed: from the working folder, from
  /// `~`, or from the root.
  private func spelled(_ paths: [Control.Path], _ prefix: String) -> [String] {
    let whole = paths.compactMap(\.text)
    if prefix.hasPrefix("/") { return whole }
    if prefix.hasPrefix("~") { return whole.compactMap { below("HOME", $0) }.map { "~/" + $0 } }
    let near = whole.compactMap { below("PWD", $0) }
    return prefix.isEmpty && near.isEmpty ? whole : near
  }

  /// The rest of a path below the folder that this variable of the environment names.
  private func below(_ variable: String, _ path: String) -> String? {
    guard let folder = getenv(variable).map({ String(cString: $0) }), folder.hasPrefix("/"),
      path.hasPrefix(folder + "/")
    else { return nil }
    return String(path.dropFirst(folder.count + 1))
  }
}

/// A suggestion as a shell's own script has to get it.
enum ShellWord {
  /// The text so that the shell makes it again, and runs nothing of it: bash expands each word that
  /// it is given, zsh takes what comes after a colon for an explanation.
  /// - Returns: nil if the text has characters that no line can have, or that change how it looks.
  static func quoted(_ text: String, for shell: CompletionShell?) -> String? {
    let isShown = text.unicodeScalars.allSatisfy { scalar in
      ![.control, .format, .privateUse, .lineSeparator, .paragraphSeparator]
        .contains(scalar.properties.generalCategory)
    }
    guard isShown, !text.isEmpty, !text.hasPrefix("-") else { return nil }
    switch shell {
    case .bash: return escaped(text) { !isPlain($0) }
    case .zsh: return escaped(text) { $0 == ":" || $0 == "\\" }
    default: return text
    }
  }

  /// One scalar after the other: shells know no characters of several.
  private static func escaped(
    _ text: String, where isSpecial: (Unicode.Scalar) -> Bool
  ) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if isSpecial(scalar) { result.unicodeScalars.append("\\") }
      result.unicodeScalars.append(scalar)
    }
    return result
  }

  /// What no shell expands. All that isn't ASCII is plain to it, too.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.isASCII || Character(scalar).isLetter || Character(scalar).isNumber
      || "/._-+@,".unicodeScalars.contains(scalar)
  }
}
