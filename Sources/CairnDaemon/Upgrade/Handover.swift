import CairnSystem
import Glibc

/// What a daemon leaves to the program that it becomes: the lock of its home, so that nobody else
/// is the daemon meanwhile, and its socket, in whose queue commands wait for the new one.
public struct Handover: Hashable, Sendable {
  /// The lock's descriptor.
  public var lock: CInt
  /// The listening socket's descriptor.
  public var socket: CInt

  /// Joins the parts.
  public init(lock: CInt, socket: CInt) {
    self.lock = lock
    self.socket = socket
  }

  /// Becomes that program, which gets both and no other descriptor but the first three.
  /// - Returns: why it can't; otherwise never.
  func become(_ path: String) -> String {
    let words = ["cairnd", "--lock-fd", "\(lock)", "--socket-fd", "\(socket)"]
    let arguments = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    let failure = cairn_exec(path, arguments + [nil], [lock, socket], 2)
    return String(cString: strerror(-failure))
  }
}
