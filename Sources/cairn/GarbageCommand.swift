import ArgumentParser
import CairnControl

/// `cairn gc`: deletes unreferenced objects of the container.
struct GarbageCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc",
    abstract: "Delete what nobody needs of yours in the container.",
    discussion: """
      Packs of content that no entry of a log names are what a crash or a lost race left; others \
      hold nothing but versions that `cairn history policy` doesn't keep. They are closed first, \
      so that nobody can come to need them, and deleted when they have been so for seven days: \
      call it again then. It can be interrupted at any time. See cairn-gc(1).
      """)

  @Flag(help: "Say what would go, and change nothing.")
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
    var lines = ["You store \(text(reply.all)) in the container."]
    if reply.unnamed.packs + reply.unneeded.packs + reply.repacked.packs == 0 {
      lines.append("Each of them is needed.")
    }
    if reply.unnamed.packs > 0 {
      lines.append(
        "No entry names \(text(reply.unnamed)): what a crash or a lost race left, or what is on "
          + "its way.")
    }
    if reply.unneeded.packs > 0 {
      lines.append("Only versions that aren't kept any more need \(text(reply.unneeded)).")
    }
    if reply.repacked.packs > 0 {
      let packs = text(reply.repacked)
      lines.append(
        isTrial
          ? "Less than half is needed of \(packs): the rest would be packed anew."
          : "Less than half is needed of \(packs): the rest was packed anew.")
    }
    if reply.deleted.packs > 0 { lines.append("Deleted: \(text(reply.deleted)).") }
    if reply.waiting.packs > 0, let next = reply.next {
      lines.append(
        "\(text(reply.waiting)) can't come to be needed any more, and may go from "
          + "\(Wording.time(next)) on: run `cairn gc` then.")
    }
    if reply.floors > 0 {
      lines.append(
        "A snapshot was made of \(Wording.count(reply.floors, "folder", "folders")): who joins "
          + "reads that, and not each entry.")
    }
    if reply.deletedEntries.entries > 0 {
      lines.append("Deleted: \(text(reply.deletedEntries)).")
    }
    if reply.entries.entries > 0 {
      let entries = text(reply.entries)
      lines.append(
        isTrial
          ? "A snapshot does for \(entries)."
          : "A snapshot does for \(entries): they go when it has stood for seven days.")
    }
    for key in reply.refused {
      lines.append("The container doesn't let you delete \(Output.printable(key)).")
    }
    return lines
  }

  private static func text(_ count: Control.EntryCount) -> String {
    Wording.count(count.entries, "entry", "entries") + " of logs with "
      + Wording.bytes(Int64(clamping: count.bytes))
  }

  private static func text(_ count: Control.PackCount) -> String {
    Wording.count(count.packs, "pack", "packs") + " with "
      + Wording.bytes(Int64(clamping: count.bytes))
  }
}
