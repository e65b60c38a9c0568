import Glibc

/// The unit with which a person's own systemd runs their daemon, where they have enabled it. Then a
/// command has it started by that, so that it is shut in, and looked after, as the unit says.
struct SystemdUnit {
  /// Its name, as `make install` and packages install it.
  static let name = "cairnd.service"

  /// `systemctl`.
  private let program: String

  /// The unit of that home.
  /// - Returns: nil if nobody has enabled it, if no systemd runs for this person, and for a home
  ///   that `CAIRN_HOME` names: the unit knows none.
  init?(of home: Home, environment: [String: String] = Home.environment()) {
    // The configuration is …/cairn/cairn.conf, and units are beside that folder.
    guard home.root == nil,
      let cairn = home.configuration.lastIndex(of: "/"),
      let parent = home.configuration[..<cairn].lastIndex(of: "/"),
      let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/"),
      access(runtime + "/systemd/private", F_OK) == 0
    else { return nil }
    let places = [String(home.configuration[..<parent]), "/etc"]
    let isEnabled = places.contains { place in
      var status = stat()
      return lstat(place + "/systemd/user/default.target.wants/" + Self.name, &status) == 0
    }
    guard isEnabled, let program = Programs.inPath("systemctl") else { return nil }
    self.program = program
  }

  /// Has the unit started, and returns when its daemon says that it is ready.
  /// - Returns: false if it isn't; why, systemd's journal says.
  func start() -> Bool {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    let arguments = ["systemctl", "--user", "--quiet", "start", Self.name]
    do throws(ControlError) {
      let plan = ChildProcess.Plan(arguments: arguments, descriptors: [null, null, null])
      return try ChildProcess(program, plan).waitForExit() == 0
    } catch {
      return false
    }
  }
}
