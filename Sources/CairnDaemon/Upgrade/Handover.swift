import CairnSystem
import Glibc

/// The descriptors that a daemon leaves to its new program: the lock of its home, so that no other
/// daemon starts meanwhile, and its socket, whose queue has commands for the new one.
public struct Handover: Hashable, Sendable {
  /// The lock's descriptor.
  public var lock: CInt
  /// The listening socket's descriptor.
  public var socket: CInt

  /// Creates a value.
  public init(lock: CInt, socket: CInt) {
    self.lock = lock
    self.socket = socket
  }

  /// Becomes that program, which gets both and no other descriptor but the first three.
  /// - Returns: The reason that it failed; otherwise it doesn't return.
  func become(_ path: String) -> String {
    let words = ["cairnd", "--lock-fd", "\(lock)", "--socket-fd", "\(socket)"]
    let arguments = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    let failure = cairn_exec(path, arguments + [nil], [lock, socket], 2)
    return String(cString: strerror(-failure))
  }
}
