import CairnContainer
import CairnControl
import NIOCore

/// The section `[wake]` of cairn.conf: the addresses on which this device listens for wake-ups, and
/// whether it sends any.
struct WakeSettings: Equatable, Sendable {
  /// The addresses and ports; port 0 for one that the system chooses. None: it doesn't listen.
  var listen: [SocketAddress] = []
  /// A Boolean value that indicates whether others are woken when this device has written.
  var sends = false

  /// A Boolean value that indicates whether wake-ups are on.
  var isOn: Bool { !listen.isEmpty || sends }

  /// It neither listens nor sends.
  init() {}

  /// Reads the section.
  /// - Throws: `ControlError` if it says something that can't be.
  init(_ table: ConfigurationText, _ path: String) throws {
    if let text = table["wake", "listen"]?.string {
      listen = [try Self.address(text, path)]
    } else if let texts = table["wake", "listen"]?.array {
      listen = try texts.map { try Self.address($0.string ?? "", path) }
    }
    guard listen.count <= WakeAddress.most, Set(listen).count == listen.count else {
      throw Self.wrong("listen names an address twice, or more than \(WakeAddress.most)", path)
    }
    sends = table["wake", "send"]?.bool ?? !listen.isEmpty
  }

  /// Sets the keys of the section. They are left out where they say nothing.
  func write(to table: inout ConfigurationText) {
    let texts = listen.compactMap { Self.text($0) }.map { ConfigurationText.Value.text($0) }
    if !texts.isEmpty {
      table["wake", "listen"] = texts.count == 1 ? texts[0] : .list(texts)
    }
    if sends == listen.isEmpty { table["wake", "send"] = .truth(sends) }
  }

  private static func address(_ text: String, _ path: String) throws -> SocketAddress {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { throw wrong("listen says “\(text)”, which is no address with a port", path) }
    var host = text[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    if isBracketed { host = host.dropFirst().dropLast() }
    guard isBracketed == host.contains(":"), !host.contains("%") else {
      throw wrong("listen says “\(text)”, which is no address with a port", path)
    }
    do { return try SocketAddress(ipAddress: String(host), port: Int(port)) } catch {
      throw wrong("listen says “\(text)”, which is no address with a port", path)
    }
  }

  private static func wrong(_ what: String, _ path: String) -> ControlError {
    ControlError(
      .invalidArguments, "In \(path), \(what).",
      remedy: "Write such as \"0.0.0.0:4711\" or \"[::]:0\", or leave it out; see cairn.conf(5).")
  }

  /// An address as people write it, with its port.
  static func text(_ address: SocketAddress) -> String? {
    guard let host = address.ipAddress, let port = address.port else { return nil }
    return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
