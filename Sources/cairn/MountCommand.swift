import ArgumentParser
import CairnControl
import CairnView
import Glibc
import Synchronization

/// `cairn mount`: shows a share in the file system without mirroring it.
struct MountCommand: AskingCommand {
  static let configuration = CommandConfiguration(
    commandName: "mount",
    abstract: "Show a share in the file system, and fetch its files when they are opened.",
    discussion: """
      Shows all of the share, also what isn't mirrored or selected on this device. A changed file \
      is sent when it is closed. Bytes that were read are kept in a cache. Without arguments, \
      lists the views. Needs libfuse 3 and fusermount3. See cairn-mount(1).
      """)

  @Argument(
    help: ArgumentHelp(
      "The folder, a directory in it, or the share's id.", valueName: "dir-or-share"))
  var share: ShareArgument?

  @Argument(
    help: ArgumentHelp("An empty directory for the view. It is made if it is missing."),
    completion: .directory)
  var at: PathArgument?

  @Option(
    help: ArgumentHelp("End the view at this directory.", valueName: "dir"),
    completion: .directory)
  var end: PathArgument?

  @Option(
    help: ArgumentHelp(
      "The limit of the cache: bytes, a number with k, M, G or T, or none. The default is 1G.",
      valueName: "size"))
  var limit: SizeArgument?

  @Flag(help: "Stay in the foreground until the view ends.")
  var foreground = false

  /// Marks the background process. It reads the answer of `viewOpen` from descriptor 0, because all
  /// users can read arguments. It writes a byte to descriptor 3 when the view is mounted.
  @Flag(help: .hidden)
  var serve = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard end == nil || share == nil else {
      throw ValidationError("--end takes the directory of the view, and nothing else.")
    }
    guard share == nil || at != nil else {
      throw ValidationError("Name the directory for the view, too.")
    }
  }

  func run() throws {
    if let end { return try finish(end.absolute()) }
    guard let share, let at else { return try list(MountedViews.all()) }
    let path = try at.absolute()
    if serve {
      var request = [UInt8](repeating: 0, count: 64 << 10)
      let count = read(STDIN_FILENO, &request, request.count)
      let view = try ControlJSON.decode(
        Control.ViewReply.self, from: request.prefix(max(0, count)))
      return try show(view, at: path, ready: 3)
    }
    let session = try Session(output)
    try check(path, session)
    let view = try session.answer(Control.ViewOpen(share: try share.reference())).reply
    if foreground { return try show(view, at: path, ready: nil) }
    try begin(view, at: path, session.home)
    guard !output.json else { return try list([path]) }
    let only = view.editable ? "" : ", to read only"
    Output.line("\(path.printable) shows “\(Output.printable(view.title))”\(only).")
    Output.line("  To end it: `cairn mount --end \(path.typed)`.")
  }

  private func list(_ views: [Control.Path]) throws {
    guard !output.json else {
      return Output.line(try ControlJSON.encode(Control.MountedViewsReply(views: views)))
    }
    guard !views.isEmpty else { return Output.line("No share is shown.") }
    for view in views { Output.line(view.printable) }
  }

  // MARK: Begin

  /// Refuses a directory in which nothing can be shown, and a system without libfuse.
  private func check(_ path: Control.Path, _ session: Session) throws {
    if let missing = FuseView.missing {
      throw ControlError(
        .notRunning, missing, remedy: "Install libfuse 3, or use `cairn select` instead.")
    }
    guard Programs.inPath("fusermount3") != nil, access("/dev/fuse", R_OK | W_OK) == 0 else {
      throw ControlError(
        .notRunning, "The program fusermount3 or the device /dev/fuse can't be used.",
        remedy: "Install Debian's package fuse3, or use `cairn select` instead.")
    }
    guard path.text != nil else {
      throw ControlError(
        .invalidArguments, "\(path) is no valid UTF-8.", remedy: "Name another directory.",
        path: path)
    }
    let status = try session.whole(Control.Stat(paths: [path])).paths.first
    guard status?.zone == nil else {
      throw ControlError(
        .invalidArguments, "\(path) is in a mirrored folder.",
        remedy: "Name a directory outside of it.", path: path)
    }
    let name = path.bytes + [0]
    let made = name.withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        text.baseAddress.map { mkdir($0, 0o700) } ?? -1
      }
    }
    guard made == 0 || errno == EEXIST else {
      throw ControlError(
        .permissionFailure, "\(path) can't be made: \(String(cString: strerror(errno))).",
        remedy: "Name another directory.", path: path)
    }
    guard made == 0 || path.isEmptyDirectory == true else {
      throw ControlError(
        .invalidArguments, "\(path) is no empty directory.", remedy: "Name another one.",
        path: path)
    }
  }

  /// Starts the process of the view, and returns once it shows it.
  private func begin(_ view: Control.ViewReply, at path: Control.Path, _ home: Home) throws {
    let log = try DaemonLauncher.openLog(home.viewLog)
    let ready = try ChildProcess.pipe()
    defer { for end in [log, ready.reading] { close(end) } }
    var arguments = ["cairn", "mount", view.zone, path.text ?? ""]
    arguments.append("--serve")
    let request = try ControlJSON.encode(view)
    let input = try ChildProcess.pipe()
    defer { close(input.reading) }
    // It is shorter than the buffer of a pipe.
    let count = write(input.writing, request, request.count)
    precondition(count == request.count, "\(request.count) bytes fit into a pipe")
    close(input.writing)
    if let limit { arguments += ["--limit", limit.bytes == 0 ? "none" : String(limit.bytes)] }
    let child: ChildProcess
    do {
      defer { close(ready.writing) }
      child = try ChildProcess(
        Programs.cairn,
        .init(
          arguments: arguments, descriptors: [input.reading, log, log, ready.writing],
          isDetached: true))
    }
    var byte: UInt8 = 0
    while true {
      let count = read(ready.reading, &byte, 1)
      if count == 1 { return }
      if count < 0, errno == EINTR { continue }
      let status = child.waitForExit()
      let code = Control.ErrorCode.allCases.first { $0.exitStatus == status } ?? .notRunning
      throw ControlError(
        code, "\(path) can't show the share.", remedy: "\(home.viewLog) says why.",
        path: .init(home.viewLog))
    }
  }

  // MARK: Show

  /// Shows a view until it ends.
  private func show(
    _ shown: Control.ViewReply, at path: Control.Path, ready descriptor: CInt?
  ) throws {
    let home = try Home()
    // It only has to distinguish the views of one zone.
    let hash = fnv1a(path.bytes)
    let last = Mutex("")
    let limit = self.limit.map { $0.bytes == 0 ? Int64.max : Int64(clamping: $0.bytes) }
    let view = try FuseView(
      of: shown, at: path, ControlClient(home: home),
      folder: shown.zone.prefix(12) + "-" + String(hash, radix: 16),
      limit: limit ?? 1_000_000_000
    ) { error in
      let text = "\(path.printable): \(error)"
      // A program that reads on, or a file that waits, would repeat it endlessly.
      let isNew = last.withLock { last in
        defer { last = text }
        return last != text
      }
      if isNew { Output.error(text) }
    }
    let isShown = view.run {
      guard let descriptor else { return }
      var byte: UInt8 = 1
      _ = write(descriptor, &byte, 1)
      close(descriptor)
    }
    guard isShown else {
      throw ControlError(
        .notRunning, "\(path) can't show the share.",
        remedy: "The line before this one says why, and mount.fuse3(8) explains it.", path: path)
    }
  }

  // MARK: End

  private func finish(_ path: Control.Path) throws {
    guard MountedViews.all().contains(path) else {
      throw ControlError(
        .unknownItem, "\(path) shows no share.", remedy: "`cairn mount` lists the views.",
        path: path)
    }
    guard let program = Programs.inPath("fusermount3") else {
      throw ControlError(
        .notRunning, "There is no program fusermount3.",
        remedy: "Install Debian's package fuse3.")
    }
    // It says itself why a view can't be ended.
    guard try ChildProgram.run(program, [Array("-u".utf8), path.bytes]) == 0 else {
      throw ControlError(
        .serviceUnavailable, "The view \(path) can't be ended.",
        remedy: "Close the files in it first.", path: path)
    }
    guard !output.json else { return try list([]) }
    Output.line("\(path.printable) shows nothing any more.")
  }
}
