import Glibc

/// A client for the daemon of one home, over its Unix socket. Each call has a connection of its
/// own, and blocks until the answer is complete. Disconnecting cancels the wait, not the operation.
/// Before it sends anything, it verifies that the daemon belongs to this user, because requests
/// contain secrets of links. Its requests are about the container in `Home.container`. Without one,
/// the daemon finds the container.
public struct ControlClient: Sendable {
  /// The home of the daemon.
  public let home: Home
  /// The user that must run the daemon.
  private let user: UInt32
  /// Called with the daemon's version if it differs from this program's.
  private let onOtherVersion: @Sendable (String) -> Void

  /// Creates a client without connecting. `onOtherVersion` is called on the calling thread, before
  /// any other part of an answer, if the daemon's version differs.
  public init(home: Home, onOtherVersion: @escaping @Sendable (String) -> Void = { _ in }) {
    self.init(home: home, user: geteuid(), onOtherVersion: onOtherVersion)
  }

  init(
    home: Home, user: UInt32, onOtherVersion: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.home = home
    self.user = user
    self.onOtherVersion = onOtherVersion
  }

  /// Sends an operation and waits for its reply. Passes each earlier line to `onUpdate` on the
  /// calling thread, and reads no further meanwhile. The list of a `ControlListReply` arrives that
  /// way, and is empty in the reply. Throws the error of `onUpdate` or of the daemon; `notRunning`
  /// without a listener; `permissionFailure` for another user's listener; `serviceUnavailable` if
  /// too many clients ask at once; `interrupted` if the connection ends early; `operationCancelled`
  /// if another thread cancels `call`.
  public func call<Operation: ControlOperation>(
    _ operation: Operation, in call: ControlCall = ControlCall(),
    onUpdate: (ControlUpdate) throws(ControlError) -> Void = { _ in }
  ) throws(ControlError) -> ControlAnswer<Operation.Reply> {
    let body: [UInt8]
    do {
      body = try ControlJSON.encode(operation)
    } catch {
      throw ControlError(.invalidArguments, "The request \(Operation.name) has no form in JSON.")
    }
    let socket = HomeLock.socket(of: home) ?? home.socket
    try home.checkFolder(of: socket)
    try call.connect(to: socket)
    defer { call.close() }
    try checkPeer(of: call, at: socket)
    try call.send(head(of: Operation.name, body.count) + body)
    var reader = AnswerReader(call)
    var isFirst = true
    return try ControlAnswer.read(
      from: { () throws(ControlError) in
        let line = try reader.next()
        if isFirst, let version = reader.version, version != Control.version {
          onOtherVersion(version)
        }
        isFirst = false
        return line
      },
      whatEnded: "The connection to the daemon ended",
      onUpdate: onUpdate)
  }

  /// Refuses a daemon of another user.
  private func checkPeer(of call: ControlCall, at socket: String) throws(ControlError) {
    guard let peer = call.peer else {
      throw ControlError(
        .notRunning, "The cairnd at \(socket) has gone.",
        remedy: "Start it with `cairn start`.", path: .init(socket))
    }
    guard peer != user else { return }
    throw ControlError(
      .permissionFailure,
      "Another user (user \(peer)) listens at \(socket). Nothing was sent.",
      remedy: "Look whose folder that is, and set CAIRN_HOME to one of yours.",
      path: .init(socket))
  }

  private func head(of operation: String, _ length: Int) -> [UInt8] {
    let container = home.container.map { Control.containerPrefix + $0 } ?? ""
    let lines = [
      "POST \(container)\(Control.pathPrefix)\(operation) HTTP/1.1", "host: cairnd",
      "content-type: application/json", "content-length: \(length)", "connection: close", "", "",
    ]
    return Array(lines.joined(separator: "\r\n").utf8)
  }
}
