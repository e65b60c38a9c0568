import CairnControl
import CairnFolders
import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone
import Glibc
import Synchronization

/// The operation that explains the state of a path, by the engine and by the log.
struct WhyOperations: Operations {
  let targets: TargetResolver
  let teller: LogPresenter

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Why.self) { request, _ in try why(request) }
  }

  /// The number of entries, from the end of the log, in which entries about a path are searched.
  private static let whyLimit = 20_000

  func why(_ request: Control.Why) throws -> Control.WhyReply {
    let path = request.path
    guard let target = try targets.look(at: path), let mount = target.mount else {
      guard path.exists else {
        throw ControlError(
          .unknownItem, "There is no \(path), and no mirrored folder that it could be in.",
          remedy: path.suggestion + "Check the path.", path: path)
      }
      return Control.WhyReply(
        path: path,
        now: [
          Control.WhyReason(
            rule: .notMirrored, text: "It isn't in a mirrored folder: Cairn does nothing with it.",
            remedy: "`cairn add` mirrors a folder, `cairn share create` shares one.")
        ])
    }
    let relative = target.relative
    var reply = Control.WhyReply(path: path, zone: mount.zone.id.description)
    reply.now = mountReasons(mount)
    if !relative.isEmpty, let found = explanation(mount, relative) {
      if found.isInZone { reply.record = found.record?.description }
      reply.now += Self.reasons(found, name: FileName(Control.Path(relative).lastName)) {
        mount.absolute($0)
      }
    }
    do {
      reply.history = try history(mount, relative, reply.record)
    } catch let error as CloudError {
      let failure = Failures.control(error)
      reply.history = [
        Control.WhyReason(
          rule: .problem, text: "The log can't be read now: \(failure.message)",
          remedy: failure.remedy)
      ]
    }
    if reply.now.isEmpty, reply.history.isEmpty {
      throw ControlError(
        .unknownItem, "There is no \(path), and the log doesn't speak of it.",
        remedy: path.suggestion
          + "Check the path; `cairn log` shows everything that happened in the folder.",
        path: path)
    }
    return reply
  }

  /// Returns the reasons that stop the mount as a whole.
  private func mountReasons(_ mount: Mount) -> [Control.WhyReason] {
    let snapshot = mount.snapshot.withLock { $0 }
    guard let note = snapshot.note else { return [] }
    return [
      Control.WhyReason(rule: .mount, text: "The folder is \(snapshot.phase.rawValue): \(note)")
    ]
  }

  /// Returns the engine's explanation; nil during long work.
  private func explanation(_ mount: Mount, _ relative: [UInt8]) -> Explanation? {
    do { return try mount.ask(within: 5) { try $0.explain(relative) } } catch {
      // The mount's phase reports an unreadable index.
      return nil
    }
  }

  // MARK: Now

  private static func reasons(
    _ found: Explanation, name: FileName?, path: ([UInt8]) -> Control.Path
  ) -> [Control.WhyReason] {
    var reasons: [Control.WhyReason] = []
    if let problem = found.problem {
      reasons.append(
        Control.WhyReason(
          rule: .problem, text: Failures.sentence(problem.message),
          remedy: Failures.sentence(problem.remedy)))
    }
    if let waiting = found.waiting {
      reasons.append(
        Control.WhyReason(rule: .waiting, text: Failures.sentence("It waits: \(waiting)")))
    }
    reasons += seenReasons(found)
    reasons += standing(found)
    if let name, let original = nameBeforeConflict(name) {
      reasons.append(
        Control.WhyReason(
          rule: .firstInLog,
          text:
            "It is a conflict copy: \(Control.Path(original.bytes).printable) was changed on two "
            + "sides at once. "
            + "The version that came first in the log kept the name, and this is the other one.",
          remedy: "Compare the two, keep what you need, and delete the other."))
    }
    for rescued in found.rescued {
      reasons.append(
        Control.WhyReason(
          rule: .rescued,
          text: "An earlier version of this file was moved to the recovered files: "
            + "\(rescued.reason).",
          remedy: "It is \(path(rescued.path))."))
    }
    return reasons
  }

  private static func seenReasons(_ found: Explanation) -> [Control.WhyReason] {
    switch found.seen {
    case .ignored(let rule, let file):
      let line = String(decoding: rule, as: UTF8.self)
      guard let file else {
        if LockFile.patterns.contains(rule) {
          return [
            Control.WhyReason(
              rule: .ignored,
              text:
                "It is the lock file of an office program. It isn't mirrored: the others see who "
                + "has the file open.",
              remedy: "`cairn stat` shows it for the file. If it is a file of yours, rename it to "
                + "mirror it.")
          ]
        }
        return [
          Control.WhyReason(
            rule: .ignored,
            text: "Cairn leaves such temporary files alone (the built-in pattern `\(line)`).",
            remedy: "`!\(line)` in a .cairnignore mirrors them all the same.")
        ]
      }
      return [
        Control.WhyReason(
          rule: .ignored,
          text:
            "The pattern `\(line)` in \(Control.Path(file).printable) keeps it out of the zone.",
          remedy: "Change the pattern if it shall be mirrored.")
      ]
    case .own:
      return [
        Control.WhyReason(
          rule: .ignored,
          text: "The names .cairn and .cairnignore.local are Cairn's own, and never mirrored.",
          remedy: "Give it another name if it shall be mirrored.")
      ]
    case .special:
      return [
        Control.WhyReason(rule: .special, text: "Sockets, FIFOs and devices aren't mirrored.")
      ]
    case .otherFileSystem:
      return [
        Control.WhyReason(
          rule: .special, text: "Another file system is mounted here; it isn't mirrored.",
          remedy: "`cairn add` mirrors it as a folder of its own.")
      ]
    case .unreadable(let reason):
      return [
        Control.WhyReason(
          rule: .waiting, text: "Its directory can't be read, so nothing is concluded: \(reason).",
          remedy: "Make the directory readable.")
      ]
    case .nothing, .file, .directory, .symlink: return []
    }
  }

  /// Returns the relation of folder and zone, by the table of the planner.
  private static func standing(_ found: Explanation) -> [Control.WhyReason] {
    guard found.record != nil else { return [] }
    let (local, remote) = (found.local, found.remote)
    func told(_ rule: Control.WhyRule, _ text: String) -> [Control.WhyReason] {
      [Control.WhyReason(rule: rule, text: text)]
    }
    if found.isLeftOut {
      return [
        Control.WhyReason(
          rule: .notSelected, text: "It isn't selected for this device.",
          remedy: "`cairn get PATH` selects it.")
      ]
    }
    if local.isEmpty, remote.isEmpty {
      return found.isInZone ? told(.agreed, "Up to date.") : []
    }
    if found.isHeld {
      return [
        Control.WhyReason(
          rule: .waiting,
          text:
            "It was deleted here together with so much else that nobody loses it before you say "
            + "that you meant it.",
          remedy: "`cairn held` lists what waits; `cairn held confirm` lets it go to everybody, "
            + "`cairn held undo` brings it back.")
      ]
    }
    if remote.isEmpty {
      return told(.sending, "It was \(words(local)) here, and that is sent to the zone.")
    }
    if local.isEmpty {
      return told(.receiving, "It was \(words(remote)) in the zone, and that comes to the folder.")
    }
    let both = "It was \(words(local)) here and \(words(remote)) in the zone"
    if local.contains(.deleted) != remote.contains(.deleted) {
      return told(.editWins, "\(both): what was changed wins over what was deleted.")
    }
    if !local.isDisjoint(with: remote) {
      return told(
        .firstInLog,
        "\(both): what is first in the log keeps the name; other bytes become a conflict copy.")
    }
    return told(.agreed, "\(both): both hold, because they don't touch the same.")
  }

  private static func words(_ changes: NodeChanges) -> String {
    let all: [(NodeChanges, String)] = [
      (.made, "made"), (.deleted, "deleted"), (.moved, "moved"), (.edited, "edited"),
      (.attributes, "given another time or mode"),
    ]
    return all.filter { changes.contains($0.0) }.map(\.1).joined(separator: " and ")
  }

  // MARK: History

  /// The entries of the log about one path, the latest first. One entry about its bytes, one about
  /// its place and one about its existence are enough.
  private func history(
    _ mount: Mount, _ relative: [UInt8], _ record: String?
  ) throws -> [Control.WhyReason] {
    let zone = mount.zone
    let request = Control.Log(path: nil, limit: Self.whyLimit)
    var about: [Control.LogEntry] = []
    try teller.forEachPortion(
      of: zone, request, below: relative.isEmpty ? nil : relative, in: mount.scope.base
    ) { about += $0.compactMap { Self.part(of: $0, relative, record) } }
    var told: Set<String> = []
    var reasons: [Control.WhyReason] = []
    for entry in about.reversed() {
      let kinds = entry.changes.map(\.what)
      let isNews = relative.isEmpty || kinds.contains { !told.contains($0) }
      guard isNews, reasons.count < 20 else { continue }
      told.formUnion(kinds)
      reasons.append(Control.WhyReason(rule: .lastInLog, text: Self.text(entry), entry: entry))
    }
    return reasons
  }

  /// Returns the part of an entry that is about the path itself; nil if there is none.
  private static func part(
    of entry: Control.LogEntry, _ relative: [UInt8], _ record: String?
  ) -> Control.LogEntry? {
    var part = entry
    part.changes.removeAll { change in
      // For the mount itself, only entries about the share.
      guard !relative.isEmpty else { return change.what != "share" && change.what != "zone" }
      return record.map { $0 != change.record } ?? (change.path?.bytes != relative)
    }
    return part.changes.isEmpty ? nil : part
  }

  private static func text(_ entry: Control.LogEntry) -> String {
    let who = entry.author.map { $0.handle ?? $0.user } ?? "somebody"
    let device = entry.device.map { " on \($0)" } ?? ""
    return who + device + " " + entry.changes.map(\.text).joined(separator: ", ") + "."
  }
}
