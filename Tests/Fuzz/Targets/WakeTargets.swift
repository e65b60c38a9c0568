import CairnStore
import CairnZone

@testable import CairnContainer
@testable import CairnIdentity

extension FuzzTarget {
  /// The datagrams at a port for push messages, the announced addresses of others, and their open
  /// files. The first byte selects the kind: a datagram, an object, the sealed contents of both,
  /// and those of an object with open files.
  static let wakeTargets = [
    FuzzTarget("wake") {
      let line = WakeLine(try pair(), from: Cast.ana.device.id, in: Cast.container)
      let addresses = [
        WakeAddress(host: [10, 0, 0, 7], port: 4_711),
        WakeAddress(host: [UInt8](repeating: 0xFE, count: 16), port: 1),
      ].compactMap { $0 }
      return [
        [0] + line.seal([1, .max], at: 5),
        [1] + object.bytes(addresses, for: [try pair()], in: Cast.container),
        [2] + WakeLine.encode([1, .max]), [3] + WakeAddress.encode(addresses),
        [4]
          + PresenceObject.encode(
            [PresenceFile(record: .root, since: 1), PresenceFile(record: .root, since: -1)],
            by: Cast.ana.author),
      ]
    } check: { bytes in
      let (kind, rest) = (bytes.first ?? 0, Array(bytes.dropFirst()))
      switch kind {
      case 0:
        var table = WakeTable()
        table.set([WakeLine(try pair(), from: Cast.ana.device.id, in: Cast.container)])
        let tags = table.take(rest, second: 5)
        try must((tags?.count ?? 0) <= WakeLine.mostTags, "more tags than there is room for")
        try must(table.take(rest, second: 5) == nil, "a replay counts")
      case 1:
        let pair = try pair()
        let tag = object.tag(pair, in: Cast.container)
        let found = object.open(rest, [tag: pair], in: Cast.container)
        try must(
          (found?.addresses.count ?? 0) <= WakeAddress.most, "more addresses than there is room for"
        )
      case 2:
        guard let tags = WakeLine.decode(rest) else { return }
        try must(WakeLine.encode(tags) == rest, "a list of tags changes")
      case 4:
        guard let (author, files) = PresenceObject.decode(rest[...]) else { return }
        try must(PresenceObject.encode(files, by: author) == rest, "a list of open files changes")
      default:
        guard let addresses = WakeAddress.decode(rest) else { return }
        try must(WakeAddress.encode(addresses) == rest, "a list of addresses changes")
      }
    }
  ]

  private static let object = WakeObject(owner: String(repeating: "a", count: 32), number: 1)

  private static func pair() throws -> WakePair {
    guard let pair = WakePair(Cast.ana.device.box, Cast.ana.encryptionKey) else {
      throw Finding("a good key isn't one")
    }
    return pair
  }
}
