import CairnZone
import Foundation

@testable import CairnIdentity
@testable import CairnReplica

/// A zone and the entries that were tried on it, in the JSON lines of `Tests/Format/run histories`.
struct HistoryFile: Decodable {
  var zone: String
  var isPublic: Bool
  var keys: [String]
  var devices: [Device]
  var entries: [Entry]
  var state: StateReport

  struct Device: Decodable {
    var user: String
    var device: String
    var signKey: String
  }

  /// An entry for the place after the last valid one, and the verdict of the other implementation.
  struct Entry: Decodable {
    var bytes: String
    var nextKey: String?
    var applied: Bool
    var why: String
    var kind: String
    /// The state digest after it, if it was applied.
    var digest: String
  }

  static func read(_ path: String) throws -> [HistoryFile] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return try text.split(separator: "\n").map {
      try JSONDecoder().decode(HistoryFile.self, from: Data($0.utf8))
    }
  }
}

/// Judges the entries of a history with the production code: `EntryCodec` opens them, and `Fold`
/// judges them.
struct HistoryJudge {
  private(set) var state: MemoryZone
  private var keys = Keyring()
  private var signKeys: [Author: Bytes32] = [:]
  private let zone: ZoneID
  private let opener = EntryCodec.Opener(account: .anybody())

  init?(_ file: HistoryFile) {
    guard let zone = unhex(file.zone).flatMap({ Bytes32($0) }) else { return nil }
    self.zone = ZoneID(zone)
    state = MemoryZone(zone: self.zone, kind: file.isPublic ? .public : .owned)
    for (index, key) in file.keys.enumerated() {
      guard let secret = Self.secret(key) else { return nil }
      keys.insert(ZoneKey(epoch: UInt64(index + 1), secret: secret))
    }
    for each in file.devices {
      guard let user = unhex(each.user).flatMap({ Bytes32($0) }),
        let device = unhex(each.device).flatMap({ Bytes16($0) }),
        let key = unhex(each.signKey).flatMap({ Bytes32($0) })
      else { return nil }
      signKeys[Author(user: UserID(user), device: DeviceID(device))] = key
    }
  }

  /// The digest of the state.
  var digest: String { hex(state.digest.bytes) }

  /// Applies an entry if it is valid, and otherwise returns the reason why it isn't.
  mutating func judge(_ entry: HistoryFile.Entry) throws -> String? {
    guard let bytes = unhex(entry.bytes) else { return "no bytes" }
    let sequence = state.header.sequence + 1
    let opened: EntryCodec.Opened
    do {
      opened = try EntryCodec.open(
        bytes, zone: zone, sequence: sequence, kind: state.header.kind, keys: keys, opener: opener
      ) { signKeys[$0] }
    } catch let problem as EntryProblem {
      return "unreadable: \(problem)"
    }
    let digest = EntryCodec.digest(of: bytes)
    switch try Fold.judge(opened.commit, at: sequence, digest: digest, on: state) {
    case .refused(let refusal): return "\(refusal.code): \(refusal.reason)"
    case .applied(let delta):
      guard handsKey(opened, entry, to: delta.header.boxKeys) else {
        return "invalidArguments: other boxes than the state asks for"
      }
      state.apply(delta)
      if delta.isCheckpoint { state.noteCheckpoint(state.digest) }
      return nil
    }
  }

  /// A Boolean value that indicates whether a member with the next key finds the right boxes.
  private func handsKey(
    _ opened: EntryCodec.Opened, _ entry: HistoryFile.Entry, to members: Set<Bytes32>
  ) -> Bool {
    var next: ZoneKey?
    if let wanted = opened.commit.nextKey, let secret = entry.nextKey.flatMap({ Self.secret($0) }) {
      let key = ZoneKey(epoch: opened.commit.epoch + 1, secret: secret)
      if key.digest(in: zone) == wanted { next = key }
    }
    let own = EntryCodec.Opened(commit: opened.commit, newKey: next, boxes: opened.boxes)
    return own.handsKey(to: members) ?? false
  }

  private static func secret(_ text: String) -> SecretBytes? {
    unhex(text).flatMap { SecretBytes($0) }
  }
}

extension Account {
  /// A person who participates in nothing.
  fileprivate static func anybody() -> Account {
    let device = DeviceKeys.random()
    return Account(
      user: UserID(.zero), device: device, encryption: [.random()], origin: [])
  }
}
