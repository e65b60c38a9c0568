/// The followed folders, their topics, and the folders where more changes are expected after a
/// recent one. A folder with a topic of its own is a group of its own. All others form the common
/// group. It must not know clocks, markers or stores: times are arguments, in nanoseconds.
struct FollowedFolders: Sendable {
  /// The name of the group of all folders with the common topic.
  static let common = ""
  /// The time during which more changes are expected after one.
  static let warmth: Int64 = 60_000_000_000
  /// The maximum number of such folders, the latest.
  static let mostWarm = 8

  /// The topics of each folder of a zone, the current one last.
  private var tags: [String: [UInt32]] = [:]
  /// The number of followers of each folder.
  private var followers: [String: Int] = [:]
  /// The time of the last change in each group.
  private var changes: [String: Int64] = [:]

  /// Sets the topic that writers in the folder of a zone use from now on.
  mutating func agree(on tag: UInt32, for folder: String) {
    var known = tags[folder, default: []].filter { $0 != tag }
    known.append(tag)
    tags[folder] = known.suffix(2)
  }

  /// Adds a follower of a folder.
  mutating func follow(_ folder: String) { followers[folder, default: 0] += 1 }

  /// Removes a follower of a folder.
  mutating func unfollow(_ folder: String) {
    guard let count = followers[folder] else { return }
    followers[folder] = count > 1 ? count - 1 : nil
  }

  /// The topic that this device uses for the folder of a zone; nil for other folders.
  func tag(of folder: String) -> UInt32? { tags[folder]?.last }

  /// The group of a folder.
  func group(of folder: String) -> String { tags[folder] == nil ? Self.common : folder }

  /// All groups with a followed folder.
  var groups: Set<String> { Set(followers.keys.map { group(of: $0) }) }

  /// The followed folders of zones with one of these topics.
  func folders(rung: Set<UInt32>) -> Set<String> {
    Set(followers.keys.filter { !rung.isDisjoint(with: tags[$0] ?? []) })
  }

  /// Notes a change in these groups, by this device or another.
  mutating func changed(_ groups: Set<String>, now: Int64) {
    for group in groups where group != Self.common { changes[group] = now }
  }

  /// The followed folders where more changes are expected.
  mutating func expectant(now: Int64) -> Set<String> {
    changes = changes.filter { now - $0.value < Self.warmth }
    let known = changes.filter { followers[$0.key] != nil }
    return Set(known.sorted { $0.value > $1.value }.prefix(Self.mostWarm).map(\.key))
  }
}
