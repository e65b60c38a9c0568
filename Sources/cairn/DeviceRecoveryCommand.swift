import ArgumentParser
import CairnControl
import Glibc

/// `cairn device recovery`: recovery sheets on paper.
struct DeviceRecoveryCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery",
    abstract: "Make or test a recovery sheet: 24 words on paper.",
    discussion: """
      With the sheet and the container alone, `cairn init --recover` brings your account back if \
      all your devices are lost. The words are stored nowhere: print the sheet, or write them \
      down. Anyone who has them can become you. A sheet is a device of yours: `device list` shows \
      it, and `device revoke` ends it.
      """)

  @Flag(help: "Read the words of a sheet, and check that it would recover you now.")
  var test = false

  @Option(help: "The name of the sheet; today's date if left out.")
  var name: String?

  @Option(
    help: ArgumentHelp(
      "Write the sheet into this new file, which only you can read: a page for a printer if its "
        + "name ends in .html, otherwise text.", valueName: "file"))
  var to: PathArgument?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard !test || name == nil && to == nil else {
      throw ValidationError("--test goes without --name and --to.")
    }
  }

  func run() throws {
    if test { try testSheet() } else { try makeSheet() }
  }

  private func testSheet() throws {
    let request = Control.DeviceRecoveryTest(words: try StandardInput.recoveryWords())
    guard let reply = try Session(output).ask(request) else { return }
    let (name, id) = (Output.printable(reply.device.name), Wording.id(reply.device.device))
    Output.line("\(name) (\(id)) works: it would recover your account.")
  }

  private func makeSheet() throws {
    let file = try to?.absolute()
    if let file { try checkNew(file) }
    let answer = try Session(output).answer(Control.DeviceRecovery(name: name))
    let sheet = try RecoverySheet(answer.reply)
    if let file { try store(sheet, file) }
    guard !output.json else { return Output.line(answer.json) }
    guard let file else {
      for line in sheet.lines(onPaper: isatty(STDOUT_FILENO) == 0) { Output.line(line) }
      return
    }
    Output.line("The recovery sheet is in \(file.printable). Print it, and delete the file.")
  }

  /// Refuses a file that exists, before a sheet is made for it.
  private func checkNew(_ file: Control.Path) throws(ControlError) {
    guard PathArgument(file.bytes)?.exists == true else { return }
    throw ControlError(
      .alreadyExists, "\(file.printable) exists already, and no sheet was made.",
      remedy: "Name a new file with --to.", path: file)
  }

  private func store(_ sheet: RecoverySheet, _ file: Control.Path) throws(ControlError) {
    let isPage = file.bytes.suffix(5) == Array(".html".utf8)[...]
    let text = isPage ? sheet.page : sheet.lines(onPaper: true).joined(separator: "\n") + "\n"
    do throws(ControlError) { try PrivateFile.write(text, to: file, isNew: true) } catch {
      let device = sheet.reply.device
      throw ControlError(
        error.code, "\(error.message) The sheet \(Output.printable(device.name)) is lost with it.",
        remedy: "Run `cairn device revoke \(Wording.id(device.device))`, and make another one.",
        path: file)
    }
  }
}
