import CairnCloud
import CairnControl
import CairnThreads
import Glibc
import NIOCore
import NIOPosix
import Synchronization

/// The sockets of wake-ups: those on which they come, and those by which they go. It must not know
/// what they say, or who may send them.
final class WakePort: Sendable {
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let heard: @Sendable (ByteBufferView) -> Void
  private let listening = Mutex<[any Channel]>([])
  /// By which wake-ups go, by the kind of address; made when they are needed.
  private let sending = Mutex<[Bool: (any Channel)?]>([:])

  /// - Parameter heard: Gets each datagram of the right size, on a thread that must go on at once.
  init(heard: @escaping @Sendable (ByteBufferView) -> Void) { self.heard = heard }

  /// Listens there.
  /// - Throws: `ControlError` if that can't be.
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

  /// Where others reach this device, as far as it knows: an address that stands for all is told as
  /// those that the machine has now.
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

  /// Sends a datagram; whether it comes nobody knows.
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

  /// Ends it.
  func close() {
    // What can't be closed any more is closed.
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

/// Takes datagrams from a socket, but no flood of them: what is too much the kernel drops.
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

  /// A peer that isn't there any more says so, which is no trouble of this socket.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}

/// How many datagrams are looked at: so many in a span of time, and none for the rest of it. It
/// must not know sockets or clocks: times are handed in, in nanoseconds.
struct WakeIntake {
  /// The most in a span.
  static let most = 250
  static let span: Int64 = 50_000_000

  private var end = Int64.min
  private var count = 0

  /// One came.
  /// - Returns: nil if it is to be looked at; else until when none is to be read.
  mutating func take(now: Int64) -> Int64? {
    if now >= end { (end, count) = (now + Self.span, 0) }
    count += 1
    return count > Self.most ? end : nil
  }
}

extension WakeAddress {
  /// The address without its port, with that one.
  fileprivate init?(_ address: SocketAddress, port: UInt16) {
    guard let text = address.ipAddress else { return nil }
    let isNew = text.contains(":")
    var host = [UInt8](repeating: 0, count: isNew ? 16 : 4)
    guard inet_pton(isNew ? AF_INET6 : AF_INET, text, &host) == 1 else { return nil }
    self.init(host: host, port: port)
  }

  /// Whether another machine may reach it: it isn't the loopback's, nor good on one link only.
  fileprivate var reachesOthers: Bool {
    host.count == 4
      ? host[0] != 127 && host.prefix(2) != [169, 254]
      : host != [UInt8](repeating: 0, count: 15) + [1]
        && !(host[0] == 0xFE && host[1] & 0xC0 == 0x80)
  }
}

extension SocketAddress {
  /// Where a datagram goes.
  init?(_ address: WakeAddress) {
    do {
      self = try SocketAddress(
        packedIPAddress: ByteBuffer(bytes: address.host), port: Int(address.port))
    } catch { return nil }
  }
}
