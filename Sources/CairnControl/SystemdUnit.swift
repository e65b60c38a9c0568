import Glibc

/// The systemd unit of a person's daemon, if they have enabled it. Commands then start the daemon
/// through systemd, which confines and supervises it as the unit says.
struct SystemdUnit {
  /// The unit's name, as `make install` and packages install it.
  static let name = "cairnd.service"

  /// `systemctl`.
  private let program: String

  /// The unit of that home.
  /// - Returns: nil if it is not enabled, if no systemd runs for this person, and for a home in
  ///   `CAIRN_HOME`, which the unit does not know.
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

  /// Starts the unit, and returns when its daemon is ready.
  /// - Returns: false on failure; systemd's journal has the reason.
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
