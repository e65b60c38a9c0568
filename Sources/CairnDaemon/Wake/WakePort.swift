import CairnContainer
import CairnControl
import CairnThreads
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// The sockets of wake-ups, for receiving and for sending. It has no access to their contents, or
/// to the permitted senders.
final class WakePort: Sendable {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let heard: @Sendable (ByteBufferView) -> Void
  private let listening = Mutex<[any Channel]>([])
  /// The sending sockets by the kind of address; created when they are needed.
  private let sending = Mutex<[Bool: (any Channel)?]>([:])

  /// Creates the port.
  /// - Parameter heard: A function that gets each datagram of the right size, on a thread that must
  ///   not wait.
  init(heard: @escaping @Sendable (ByteBufferView) -> Void) { self.heard = heard }

  /// Listens at addresses.
  /// - Throws: `ControlError` if that fails.
  func listen(on addresses: [SocketAddress]) throws(ControlError) {
    for address in addresses {
      do {
        let channel = try bootstrap(heard).bind(to: address).wait()
        listening.withLock { $0.append(channel) }
      } catch {
        throw ControlError(
          .limitExceeded,
          "There is no listening for wake-ups at \(WakeSettings.text(address) ?? "?"): \(error).",
          remedy: "Correct listen in [wake] of cairn.conf, and run `cairn stop` and `cairn start`; "
            + "until then changes are only asked for.")
      }
    }
  }

  /// The addresses at which others reach this device, as far as they are known: an address for all
  /// interfaces is replaced by those that the machine has now.
  var addresses: [WakeAddress] {
    let bound = listening.withLock { $0.compactMap(\.localAddress) }
    var found: [WakeAddress] = []
    for address in bound {
      guard let port = address.port.flatMap({ UInt16(exactly: $0) }),
        let own = WakeAddress(address, port: port)
      else { continue }
      guard own.host.allSatisfy({ $0 == 0 }) else {
        found.append(own)
        continue
      }
      found += Self.ofMachine(port).filter { own.host.count == 16 || $0.host.count == 4 }
    }
    return Array(found.prefix(WakeAddress.most))
  }

  private static func ofMachine(_ port: UInt16) -> [WakeAddress] {
    let devices: [NIONetworkDevice]
    do { devices = try System.enumerateDevices() } catch { return [] }
    return devices.compactMap { $0.address.flatMap { WakeAddress($0, port: port) } }
      .filter(\.reachesOthers).sorted { $0.host.lexicographicallyPrecedes($1.host) }
  }

  /// Sends a datagram; its arrival is unknown.
  func send(_ bytes: [UInt8], to address: WakeAddress) {
    guard let channel = channel(isNew: address.host.count == 16),
      let remote = SocketAddress(address)
    else { return }
    let data = channel.allocator.buffer(bytes: bytes)
    channel.writeAndFlush(
      AddressedEnvelope(remoteAddress: remote, data: data), promise: nil)
  }

  private func channel(isNew: Bool) -> (any Channel)? {
    sending.withLock { channels in
      if let known = channels[isNew] { return known }
      // A machine without that kind of address reaches nobody by it.
      let channel = try? bootstrap { _ in }.bind(host: isNew ? "::" : "0.0.0.0", port: 0).wait()
      channels[isNew] = .some(channel)
      return channel
    }
  }

  /// Closes the sockets.
  func close() {
    // A socket that cannot be closed any more is closed.
    try? group.syncShutdownGracefully()
  }

  private func bootstrap(_ heard: @escaping @Sendable (ByteBufferView) -> Void) -> DatagramBootstrap
  {
    let messages = 32
    return DatagramBootstrap(group: group)
      .channelOption(.datagramVectorReadMessageCount, value: messages)
      .channelOption(
        .recvAllocator,
        value: FixedSizeRecvByteBufferAllocator(capacity: messages * 2 * WakeLine.count)
      )
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(DatagramTaker(heard))
        }
      }
  }
}

/// Receives datagrams from a socket at a limited rate: the kernel drops the rest.
private final class DatagramTaker: ChannelInboundHandler {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>

  private let heard: @Sendable (ByteBufferView) -> Void
  private var intake = WakeIntake()

  init(_ heard: @escaping @Sendable (ByteBufferView) -> Void) { self.heard = heard }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data).data.readableBytesView
    guard let end = intake.take(now: Monotonic.now) else {
      return bytes.count == WakeLine.count ? heard(bytes) : ()
    }
    let channel = context.channel
    _ = channel.setOption(.autoRead, value: false)
    context.eventLoop.scheduleTask(in: .nanoseconds(max(0, end - Monotonic.now))) {
      _ = channel.setOption(.autoRead, value: true)
    }
  }

  /// Ignores the error that a peer is gone, which is no problem of this socket.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}

/// The limit of datagrams: a number in a span of time, and none for the rest of it. It has no
/// access to sockets or the clock: the caller gives times in nanoseconds.
struct WakeIntake {
  /// The largest number in a span.
  static let most = 250
  static let span: Int64 = 50_000_000

  private var end = Int64.min
  private var count = 0

  /// Counts a datagram.
  /// - Returns: Nil if it is to be read; otherwise the time until which none is.
  mutating func take(now: Int64) -> Int64? {
    if now >= end { (end, count) = (now + Self.span, 0) }
    count += 1
    return count > Self.most ? end : nil
  }
}

extension WakeAddress {
  /// Creates the address with that port instead of its own.
  fileprivate init?(_ address: SocketAddress, port: UInt16) {
    guard let text = address.ipAddress else { return nil }
    let isNew = text.contains(":")
    var host = [UInt8](repeating: 0, count: isNew ? 16 : 4)
    guard inet_pton(isNew ? AF_INET6 : AF_INET, text, &host) == 1 else { return nil }
    self.init(host: host, port: port)
  }

  /// A Boolean value that indicates whether another machine may reach it: it isn't the loopback's,
  /// and isn't valid on one link only.
  fileprivate var reachesOthers: Bool {
    host.count == 4
      ? host[0] != 127 && host.prefix(2) != [169, 254]
      : host != [UInt8](repeating: 0, count: 15) + [1]
        && !(host[0] == 0xFE && host[1] & 0xC0 == 0x80)
  }
}

extension SocketAddress {
  /// Creates the target address of a datagram.
  init?(_ address: WakeAddress) {
    do {
      self = try SocketAddress(
        packedIPAddress: ByteBuffer(bytes: address.host), port: Int(address.port))
    } catch { return nil }
  }
}
