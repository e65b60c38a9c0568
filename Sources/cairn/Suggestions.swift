import ArgumentParser
import CairnControl
import Glibc

/// The suggestions for an argument when a person presses Tab, beyond files and fixed words: the
/// daemon's data. It is silent without a running daemon, and starts none. Suggestions are never
/// executed: names from other people are quoted for the shell, or left out.
enum Suggestions {
  /// The mirrored folders.
  case folders
  /// The shares, by folder or id.
  case shares
  /// The people of the container, by handle.
  case people
  /// The participants of the share on the command line, by handle.
  case participants
  /// The pending invitations to that share by handle, and its links by id.
  case invited
  /// The people with a request for access to that share, by handle.
  case strangers
  /// Invitations without an answer, by id.
  case invitations
  /// The person's devices, by name.
  case devices
  /// Zones, by id.
  case zones
  /// The versions of the file on the command line.
  case versions
  /// The authors in the public database, by handle.
  case authors
  /// Paths in the public database.
  case published
  /// Conflict copies.
  case conflicts
  /// The rescued files.
  case rescued
  /// The containers of the home, by name.
  case containers
  /// The files in drop boxes, by id.
  case drops
  /// The drop boxes, by id.
  case dropBoxes

  /// The suggestion in the form of the argument parser.
  var completion: CompletionKind {
    .custom { line, _, prefix in Self.words(of: self, for: prefix, beside: line) }
  }

  /// The words for the shell, one per line.
  private static func words(
    of wanted: Suggestions, for prefix: String, beside line: [String]
  ) -> [String] {
    // A failed request has no answer: a shell cannot show errors here.
    guard let found = try? KnownWords.everywhere(wanted, prefix, line) else { return [] }
    let shell = CompletionShell.requesting
    return Set(found).sorted().compactMap { ShellWord.quoted($0, for: shell) }
  }
}

/// A client of an already running daemon.
private struct KnownWords {
  private let client: ControlClient

  init(_ home: Home) { client = ControlClient(home: home) }

  /// Returns the words of the container that the command line names, or of every container.
  static func everywhere(
    _ wanted: Suggestions, _ prefix: String, _ line: [String]
  ) throws(ControlError) -> [String] {
    let option = line.firstIndex(of: "--container").map { line.index(after: $0) }
    let name = option.flatMap { line.indices.contains($0) ? line[$0] : nil }
    do throws(ControlError) {
      return try KnownWords(home(name)).words(wanted, prefix, line)
    } catch {
      guard error.code == .ambiguousContainer else { throw error }
    }
    let list = try ControlClient(home: Home()).call(Control.ContainerList()).reply.containers
    // A container that can't be opened has no words.
    return list.flatMap { (try? KnownWords(home($0.name)).words(wanted, prefix, line)) ?? [] }
  }

  /// Returns the home of the environment, and the container that a command line names.
  private static func home(_ name: String?) throws(ControlError) -> Home {
    var environment = Home.environment()
    // Another option of this name has a location as its value.
    if let name, Home.isContainerName(name) { environment[Home.containerVariable] = name }
    return try Home(environment: environment)
  }

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
      // Participants can be blocked, too.
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
    case .published: return try published(prefix)
    case .conflicts:
      return spelled(try list(Control.ConflictList()).map(\.copy.path), prefix)
    case .containers:
      return try client.call(Control.ContainerList()).reply.containers.map(\.name)
    case .rescued:
      return spelled(try list(Control.RescueList()).map(\.rescued.path), prefix)
    case .drops, .dropBoxes: return try dropIDs(wanted)
    }
  }

  private func published(_ prefix: String) throws(ControlError) -> [String] {
    guard let slash = prefix.firstIndex(of: "/") else {
      return try list(Control.PublicList(path: "")).compactMap(\.path.text)
    }
    // Below an author, all paths are listed, because a shell would end the word at a directory. The
    // author stays as typed, by handle or in full.
    let author = String(prefix[..<slash])
    return try list(Control.PublicList(path: Control.Path(author), recursive: true))
      .compactMap { $0.path.text?.drop { $0 != "/" } }.map { author + $0 }
  }

  /// The ids of drop boxes, or of the files that wait in them.
  private func dropIDs(_ wanted: Suggestions) throws(ControlError) -> [String] {
    let reply = try client.call(Control.Drops(act: .show)).reply
    if case .drops = wanted { return reply.drops.map { Wording.id($0.id) } }
    return reply.boxes.map { Wording.id($0.id) }
  }

  /// The shares on the command line; all shares if it names none.
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

  /// The version numbers of the first file on the command line.
  private func versions(in line: [String]) -> [String] {
    for word in line.dropFirst(2) where !word.hasPrefix("-") {
      // Only the answer shows which words are files.
      guard let path = try? PathArgument(argument: word)?.absolute(),
        let entries = try? list(Control.History(path: path, limit: 100))
      else { continue }
      return entries.filter { $0.kind == .file && !$0.what.contains("deleted") }
        .map(\.name)
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

  /// These paths in the style that the person began to type: from the working folder, from `~`, or
  /// from the root.
  private func spelled(_ paths: [Control.Path], _ prefix: String) -> [String] {
    let whole = paths.compactMap(\.text)
    if prefix.hasPrefix("/") { return whole }
    if prefix.hasPrefix("~") { return whole.compactMap { below("HOME", $0) }.map { "~/" + $0 } }
    let near = whole.compactMap { below("PWD", $0) }
    return prefix.isEmpty && near.isEmpty ? whole : near
  }

  /// The rest of a path below the folder in this environment variable.
  private func below(_ variable: String, _ path: String) -> String? {
    guard let folder = getenv(variable).map({ String(cString: $0) }), folder.hasPrefix("/"),
      path.hasPrefix(folder + "/")
    else { return nil }
    return String(path.dropFirst(folder.count + 1))
  }
}

/// A suggestion in the form that a shell's script needs.
enum ShellWord {
  /// Quotes the text so that the shell restores it, and executes no part: bash expands each word,
  /// and zsh takes the part after a colon as an explanation.
  /// - Returns: nil if the text has characters that a line cannot have, or that change its
  ///   appearance.
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

  /// One scalar at a time: shells do not know characters of several scalars.
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

  /// Returns whether no shell expands the character. All characters outside ASCII are plain, too.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.isASCII || Character(scalar).isLetter || Character(scalar).isNumber
      || "/._-+@,".unicodeScalars.contains(scalar)
  }
}
