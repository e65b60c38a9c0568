import CairnZone

/// An address for push messages: a machine's address, and a port. It must not know sockets.
public struct WakeAddress: Hashable, Sendable {
  /// The maximum number of addresses of a device.
  public static let most = 8
  /// The size of an encoded list, whatever its length.
  static let listCount = 168
  private static let count = 19

  /// Four bytes of IPv4, or sixteen of IPv6, in packet order.
  public let host: [UInt8]
  /// The port.
  public let port: UInt16

  /// Creates an address; nil if it is invalid.
  public init?(host: [UInt8], port: UInt16) {
    guard host.count == 4 || host.count == 16 else { return nil }
    self.host = host
    self.port = port
  }

  /// Encodes a list: the count, then each with its kind, sixteen bytes and the port, then zeros.
  static func encode(_ addresses: [WakeAddress]) -> [UInt8] {
    precondition(addresses.count <= most, "\(addresses.count) addresses")
    var bytes = [UInt8(addresses.count)]
    for address in addresses {
      bytes.append(address.host.count == 4 ? 4 : 6)
      bytes += address.host + [UInt8](repeating: 0, count: 16 - address.host.count)
      bytes += [UInt8(address.port >> 8), UInt8(address.port & 0xFF)]
    }
    return bytes + [UInt8](repeating: 0, count: listCount - bytes.count)
  }

  /// Decodes such a list; nil for anything else.
  static func decode(_ bytes: [UInt8]) -> [WakeAddress]? {
    guard bytes.count == listCount, let number = bytes.first, number <= most else { return nil }
    var addresses: [WakeAddress] = []
    for index in 0..<Int(number) {
      let part = bytes[(1 + index * count)..<(1 + (index + 1) * count)]
      let start = part.startIndex
      guard part[start] == 4 || part[start] == 6 else { return nil }
      let host = part[(start + 1)..<(start + (part[start] == 4 ? 5 : 17))]
      let port = UInt16(part[start + 17]) << 8 | UInt16(part[start + 18])
      guard port > 0, part[host.endIndex..<(start + 17)].allSatisfy({ $0 == 0 }),
        let address = WakeAddress(host: Array(host), port: port)
      else { return nil }
      addresses.append(address)
    }
    guard bytes[(1 + Int(number) * count)...].allSatisfy({ $0 == 0 }) else { return nil }
    return addresses
  }
}
