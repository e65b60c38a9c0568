import ArgumentParser
import CairnControl

/// `cairn schema`: the types of records, and their fields.
struct SchemaCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Show which types of records a zone has, and their fields.",
    discussion: """
      Shows each type of record in the zone with the number of records, and below it each field \
      with the kinds of its values and the number of records that have it. Folders consist of the \
      types file, directory, symlink and reference. Programs that keep records of their own in a \
      zone have other types.
      """)

  @Argument(
    help: ArgumentHelp(
      "A mirrored folder, or the id of a zone; the working folder if left out.", valueName: "zone"))
  var zone: ShareArgument?

  @OptionGroup var output: OutputOptions

  func run() throws {
    let reference =
      try zone?.reference() ?? .path(PathArgument(argument: ".")?.absolute() ?? "/")
    let session = try Session(output)
    var isEmpty = true
    let reply = try session.list(Control.Schema(zone: reference)) { types in
      for type in types {
        isEmpty = false
        Self.write(type)
      }
    }
    if reply != nil, isEmpty { Output.line("The zone has no records.") }
  }

  private static func write(_ type: Control.RecordSchema) {
    Output.line(
      Output.printable(type.type) + ": " + Wording.count(type.records, "record", "records")
        + (type.builtIn ? "" : ", a program's own"))
    Output.table(
      type.fields.map { field in
        ["  " + Output.printable(field.name), words(field), "\(field.records)"]
      })
  }

  private static func words(_ field: Control.SchemaField) -> String {
    guard field.list else { return field.kind?.rawValue ?? "-" }
    return "list" + (field.kind.map { " of \($0.rawValue)" } ?? "")
  }
}
