import CairnControl

/// `cairn init --recover`: a new device of a person, from a recovery sheet, by `cairnd recover`.
extension InitCommand {
  func recoverPerson() throws {
    let place = try container.location()
    let request = Control.Recover(
      words: try StandardInput.recoveryWords(), container: place, deviceName: deviceName,
      at: try at?.absolute(), containerName: added.containerName, bucket: try bucket.bucket())
    let answer = try SetupRunner.run(request)
    if added.containerName != nil { try DaemonLauncher.restart(try Home()) }
    try DaemonLauncher.ensureRunning(try Home())
    guard !output.json else { return Output.line(answer.json) }
    let (reply, account) = (answer.reply, answer.reply.account)
    let who = Wording.person(account.user, account.handle, account.name)
    Output.line(
      "You are \(who) again, and this is your device \(Output.printable(account.deviceName)). "
        + "Your folders appear in \(reply.folder.printable).")
    for device in reply.devices {
      Output.line(
        "\(Output.printable(device.name)) is still a device of yours. If you lost it: "
          + "`cairn device revoke \(Wording.id(device.device))`")
    }
    Output.line(
      "The sheet \(Output.printable(reply.sheet.name)) stays valid. If others may have seen it, "
        + "make a new one with `cairn device recovery`, and then: `cairn device revoke "
        + "\(Wording.id(reply.sheet.device))`")
  }
}
