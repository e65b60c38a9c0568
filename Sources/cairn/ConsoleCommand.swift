import ArgumentParser
import CairnControl
import Glibc

/// `cairn console`: the console in the browser.
struct ConsoleCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "console",
    abstract: "Open a page in a browser: folders, people, files, devices, storage, settings.",
    discussion: """
      The daemon shows it only on this machine. The address contains a secret that is valid once \
      and for five minutes. The port closes five minutes after the page. Over ssh or without a \
      desktop, the command opens nothing and prints the address; for ssh, it also prints the \
      command for a tunnel. See cairn-console(1).

      --show opens the page at a section, at a file or folder, or at the part of a section that a \
      path names.
      """)

  @Option(
    help: ArgumentHelp(
      "Where it opens: \(ConsolePlace.sections.joined(separator: ", ")), or a path.",
      valueName: "what"))
  var show: ConsolePlace.Wanted?

  @Argument(help: "A path in a mirrored folder, which the section of --show is to show.")
  var path: PathArgument?

  @Flag(help: "Open no browser; print the address only.")
  var noOpen = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard path != nil, show?.section == nil else { return }
    throw ValidationError("Name a section with --show beside the path, or give --show the path.")
  }

  func run() throws {
    let place = try show?.place(path)
    let session = try Session(output)
    let answer = try session.answer(Control.Console())
    guard Self.isReachable(answer.reply.port) else {
      throw ControlError(
        .networkUnavailable, "The daemon has a network of its own, which no browser here reaches.",
        remedy: "Take PrivateNetwork= out of its systemd unit, see cairnd(8).")
    }
    var reply = answer.reply
    reply.url += place?.fragment ?? ""
    guard !output.json else { return Output.line(try ControlJSON.encode(reply)) }
    let url = reply.url
    if let tunnel = Self.tunnel(for: answer.reply.port) {
      Output.line("On the machine that you sit at, run this, and leave it running:")
      Output.line("  " + tunnel)
      Output.line("Then open this there; it is good once:")
      return Output.line("  " + url)
    }
    if !noOpen, Self.hasDesktop, try open(url, session.home) {
      Output.line("The console opens in your browser. If it doesn't, open this; it is good once:")
    } else {
      Output.line("Open this in a browser on this machine; it is good once:")
    }
    Output.line("  " + url)
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static var hasDesktop: Bool {
    variable("DISPLAY") != nil || variable("WAYLAND_DISPLAY") != nil
  }

  /// The ssh command for a tunnel from the person's machine; nil for a local session.
  private static func tunnel(for port: UInt16) -> String? {
    // Client address, client port, server address, server port: sshd(8).
    let words = variable("SSH_CONNECTION")?.split(separator: " ") ?? []
    guard words.count == 4 else { return nil }
    let user = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) + "@" } ?? ""
    let other = words[3] == "22" ? "" : " -p \(words[3])"
    return Output.printable(
      "ssh -N -L 127.0.0.1:\(port):127.0.0.1:\(port)\(other) \(user)\(words[2])")
  }

  /// Returns whether this user's programs can reach a port of the loopback interface.
  private static func isReachable(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// Opens a file on the desktop that leads to the page. The address itself as an argument would be
  /// readable by everybody.
  /// - Returns: whether a program opened it.
  private func open(_ url: String, _ home: Home) throws -> Bool {
    let folders = Self.variable("PATH")?.split(separator: ":") ?? []
    let programs = folders.map { "\($0)/xdg-open" }
    guard let program = programs.first(where: { access($0, X_OK) == 0 }) else { return false }
    let path = home.runtime + "/console.html"
    unlink(path)
    let file = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return false }
    defer { close(file) }
    Output.write(
      Array(
        """
        <!doctype html><meta charset="utf-8"><title>Cairn</title>
        <meta name="referrer" content="no-referrer">
        <meta http-equiv="refresh" content="0; url=\(url)">

        """.utf8), to: file)
    return try ChildProgram.run(program, [Array(path.utf8)]) == 0
  }
}
