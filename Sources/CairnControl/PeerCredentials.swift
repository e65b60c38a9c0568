/// `struct ucred` of unix(7), which the Glibc module lacks: the process at the other end of a
/// socket.
public struct PeerCredentials: Sendable {
  var process: Int32 = 0
  /// The user of the other process when it connected or began to listen.
  public var user: UInt32 = .max
  var group: UInt32 = .max
}
