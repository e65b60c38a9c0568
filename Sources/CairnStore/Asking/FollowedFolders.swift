/// Which folders are followed, by which tags others ring for them, and where more is to be expected
/// since something came lately. A folder goes by its own name if it has a tag, and else by the one
/// of all that have the common tag. It must not know clocks, bells or stores: times are handed in,
/// in nanoseconds.
struct FollowedFolders: Sendable {
  /// The name by which all folders go that have the common tag.
  static let common = ""
  /// For how long after a change more is expected.
  static let warmth: Int64 = 60_000_000_000
  /// In how many folders at most, the latest.
  static let mostWarm = 8

  /// The tags of each folder of a zone, the one in use last.
  private var tags: [String: [UInt32]] = [:]
  /// How many follow each folder.
  private var followers: [String: Int] = [:]
  /// When something came to a group last.
  private var changes: [String: Int64] = [:]

  /// Who writes in the folder of a zone rings this tag from now on.
  mutating func agree(on tag: UInt32, for folder: String) {
    var known = tags[folder, default: []].filter { $0 != tag }
    known.append(tag)
    tags[folder] = known.suffix(2)
  }

  /// Somebody here follows a folder.
  mutating func follow(_ folder: String) { followers[folder, default: 0] += 1 }

  /// Somebody here follows it no more.
  mutating func unfollow(_ folder: String) {
    guard let count = followers[folder] else { return }
    followers[folder] = count > 1 ? count - 1 : nil
  }

  /// The tag that this device rings for a zone's folder; nil for any other.
  func tag(of folder: String) -> UInt32? { tags[folder]?.last }

  /// The name by which a folder goes.
  func group(of folder: String) -> String { tags[folder] == nil ? Self.common : folder }

  /// All groups of which a folder is followed.
  var groups: Set<String> { Set(followers.keys.map { group(of: $0) }) }

  /// The followed folders of zones that have one of these tags.
  func folders(rung: Set<UInt32>) -> Set<String> {
    Set(followers.keys.filter { !rung.isDisjoint(with: tags[$0] ?? []) })
  }

  /// Something came to these groups, from here or elsewhere.
  mutating func changed(_ groups: Set<String>, now: Int64) {
    for group in groups where group != Self.common { changes[group] = now }
  }

  /// The followed folders where more is expected.
  mutating func expectant(now: Int64) -> Set<String> {
    changes = changes.filter { now - $0.value < Self.warmth }
    let known = changes.filter { followers[$0.key] != nil }
    return Set(known.sorted { $0.value > $1.value }.prefix(Self.mostWarm).map(\.key))
  }
}
