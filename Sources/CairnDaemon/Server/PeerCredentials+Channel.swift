import CairnControl
import Glibc
import NIOCore

extension PeerCredentials {
  /// Asks the kernel for the process at the other end of a connection.
  static func of(_ channel: any Channel) -> EventLoopFuture<PeerCredentials> {
    guard let provider = channel as? any SocketOptionProvider else {
      return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
    return provider.unsafeGetSocketOption(level: .socket, name: .init(rawValue: SO_PEERCRED))
  }
}
