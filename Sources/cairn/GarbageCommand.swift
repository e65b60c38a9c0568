import ArgumentParser
import CairnControl

/// `cairn gc`: deletes unreferenced objects of the container.
struct GarbageCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc",
    abstract: "Delete stored data of yours that nobody needs.",
    discussion: """
      Deletes data that a crash left behind, and versions that `cairn history policy` no longer \
      keeps. The data is closed first, so that nobody can start to use it, and deleted seven days \
      later: run the command again then. You can interrupt it at any time. See cairn-gc(1).
      """)

  @Flag(help: "Print what would be deleted, and change nothing.")
  var dryRun = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    guard let reply = try Session(output).ask(Control.CollectGarbage(isTrial: dryRun)) else {
      return
    }
    for line in Self.sentences(reply, isTrial: dryRun) { Output.line(line) }
  }

  /// The findings and actions for people.
  static func sentences(_ reply: Control.GarbageReply, isTrial: Bool) -> [String] {
    let history = size(reply.history.bytes)
    var lines = [
      "\(size(reply.all.bytes)) stored (\(packs(reply.all))), of which versions and deleted files "
        + "use \(history)."
    ]
    if reply.unnamed.packs > 0 {
      lines.append(
        "Unused: \(text(reply.unnamed)), left by a crash or still on the way to a folder.")
    }
    if reply.unneeded.packs > 0 {
      lines.append("No longer kept by a policy: \(text(reply.unneeded)).")
    }
    if reply.repacked.packs > 0 {
      lines.append(
        isTrial
          ? "Would be repacked, less than half used: \(text(reply.repacked))."
          : "Repacked, less than half used: \(text(reply.repacked)).")
    }
    if reply.deleted.packs > 0 { lines.append("Deleted: \(text(reply.deleted)).") }
    if reply.deletedEntries.entries > 0 {
      lines.append("Deleted: \(text(reply.deletedEntries)).")
    }
    if reply.floors > 0 {
      lines.append(
        "Snapshots created for \(Wording.count(reply.floors, "folder", "folders")): new "
          + "participants start there.")
    }
    if reply.entries.entries > 0 {
      let entries = text(reply.entries)
      lines.append(
        isTrial
          ? "A snapshot can replace \(entries)."
          : "A snapshot replaces \(entries), which are deleted seven days after it was created.")
    }
    for key in reply.refused {
      lines.append("The container doesn't let you delete \(Output.printable(key)).")
    }
    lines += next(reply, isTrial: isTrial)
    return lines
  }

  /// The sentence about what is freed next, or what would free something.
  private static func next(_ reply: Control.GarbageReply, isTrial: Bool) -> [String] {
    if reply.waiting.packs > 0, let next = reply.next {
      return [
        "\(text(reply.waiting)) can be deleted from \(Wording.time(next)) on: run `cairn gc` then."
      ]
    }
    let found =
      reply.unnamed.packs + reply.unneeded.packs + reply.repacked.packs + reply.entries.entries
      + reply.deleted.packs
    if isTrial, found > 0 {
      let again = Control.Time(
        nanoseconds: Control.Time.now().nanoseconds + 7 * 86_400 * 1_000_000_000)
      return [
        "`cairn gc` closes it now, and deletes it when it runs again from \(Wording.day(again)) on."
      ]
    }
    guard found == 0 else { return [] }
    if reply.history.expiring > 0, let from = reply.history.expiringFrom {
      return [
        "Nothing can be deleted yet: after the change of a policy, versions are kept until "
          + "\(Wording.time(from)). " + Wording.freed(reply.history.expiring, from: from)
      ]
    }
    guard reply.history.bytes > 0 else { return ["Nothing can be deleted."] }
    guard reply.history.forever > 0 else {
      return ["Nothing can be deleted yet: the policies still keep all of it. See `cairn quota`."]
    }
    return [
      "Nothing can be deleted: \(size(reply.history.forever)) are kept forever. To keep less, run "
        + "`cairn history policy FOLDER --all 30d`; `cairn quota` shows the folders."
    ]
  }

  private static func text(_ count: Control.EntryCount) -> String {
    Wording.count(count.entries, "log entry", "log entries") + " (\(size(count.bytes)))"
  }

  private static func text(_ count: Control.PackCount) -> String {
    "\(packs(count)) with \(size(count.bytes))"
  }

  private static func packs(_ count: Control.PackCount) -> String {
    Wording.count(count.packs, "pack", "packs")
  }

  private static func size(_ bytes: UInt64) -> String { Wording.bytes(Int64(clamping: bytes)) }
}
