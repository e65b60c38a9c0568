import CairnControl

/// A program that uses zones of a person through the person's daemon. It has no keys, and sees only
/// the zones that the person allowed.
public struct Program: Sendable {
  let name: String
  let zones: [String]
  let sharing: Bool
  let home: String?
  let secrets: String?

  /// Describes a program.
  /// - Parameters:
  ///   - name: The name that the person sees, at most 64 bytes. All processes of the program have
  ///     the same one.
  ///   - zones: The names of the private zones that the program uses.
  ///   - sharing: A Boolean value that indicates whether the program also shares zones and accepts
  ///     invitations.
  ///   - home: The folder of the daemon's home; nil for that of the environment.
  ///   - secrets: The folder in which the program keeps its secret; nil for the user's folder for
  ///     the state of programs.
  public init(
    _ name: String, zones: [String], sharing: Bool = false, home: String? = nil,
    secrets: String? = nil
  ) {
    (self.name, self.zones, self.sharing) = (name, zones, sharing)
    (self.home, self.secrets) = (home, secrets)
  }

  /// The home of the daemon.
  func daemonHome() throws -> Home {
    var environment = Home.environment()
    if let home { environment["CAIRN_HOME"] = home }
    return try Home(environment: environment)
  }

  /// The request to the person.
  func request(_ secret: String, waits: Bool) -> Control.ProgramAsk {
    Control.ProgramAsk(name: name, token: secret, zones: zones, sharing: sharing, wait: waits)
  }
}

extension CloudContainer {
  /// Opens the container of a person as a program: the person's daemon does the work, and must be
  /// running. The first time, the daemon asks the person.
  /// - Parameters:
  ///   - program: The program.
  ///   - waits: A Boolean value that indicates whether the call waits for the person's answer.
  /// - Returns: The container.
  /// - Throws: `CloudError`; with `.notAuthenticated` while the person hasn't answered, with
  ///   `.permissionFailure` if the person refused, with `.serviceUnavailable` without a daemon.
  public static func open(
    _ program: Program, waits: Bool = false
  ) async throws(CloudError) -> CloudContainer {
    let work = try Work()
    let call = ControlCall()
    return try await work.transfer(cancelling: call.cancel) { _ in
      let secret = try ProgramSecret(program).text
      let client = ControlClient(home: try program.daemonHome())
      let reply = try client.call(program.request(secret, waits: waits), in: call).reply
      switch reply.state {
      case .allowed:
        guard let me = reply.me else { throw CloudError.unreadable("the person") }
        let session = ProgramSession(client, secret)
        return CloudContainer(
          DaemonContainer(session, me: try PersonID(wire: me)), work)
      case .asking:
        throw CloudError(.notAuthenticated, "the person has not yet allowed “\(program.name)”")
      case .revoked:
        throw CloudError(.permissionFailure, "the person does not allow “\(program.name)”")
      }
    }
  }
}
