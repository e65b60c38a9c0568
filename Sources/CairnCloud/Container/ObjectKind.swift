import CairnStore
import CairnZone

/// The kinds of objects that stand in a container: where, who puts them, and who deletes them
/// (cairn-container(5), KEYS). It is the one table of that: all keys are made by it, a copy goes by
/// it, and so does what a policy of a store allows a participant.
public enum ObjectKind: String, CaseIterable, Sendable {
  case root, chain, inbox, join, packs, log, copies, floors, parts, links, door, published
  case bells, wakes, probes

  /// Who does something with objects of a kind, by the person in whose folder they stand.
  public enum Doer: Sendable {
    /// That person alone.
    case owner
    /// Anybody who takes part.
    case anybody
    /// Nobody.
    case nobody
  }

  /// The folder of all objects of this kind; of what is one object, its key.
  /// - Parameters:
  ///   - user: The person in whose folder it is, where it is in one's.
  ///   - zone: The zone, where it is in one's.
  /// - Returns: it, without a slash at its end.
  func path(
    _ user: some CustomStringConvertible = "*", _ zone: some CustomStringConvertible = "*"
  ) -> String {
    switch self {
    case .root: ContainerFile.key
    case .chain: "\(Self.people)\(user)/log"
    case .inbox: "\(Self.people)\(user)/inbox"
    case .join: "\(Self.people)\(user)/join"
    case .packs: "\(Self.people)\(user)/packs"
    case .published: "\(Self.people)\(user)/public"
    case .log: "\(Self.zone(user, zone))/log"
    case .copies: "\(Self.zone(user, zone))/copies"
    case .floors: "\(Self.zone(user, zone))/floors"
    case .parts: "\(Self.zone(user, zone))/parts"
    case .links: "\(Self.zone(user, zone))/links"
    case .door: "\(Self.zone(user, zone))/door"
    case .bells: AskingStore.folder
    case .wakes: WakeObject.folder
    case .probes: StoreProbe.folder
    }
  }

  /// The folder of all persons' folders, with a slash at its end.
  static let people = "users/"

  /// The folder of a person.
  static func person(_ user: some CustomStringConvertible) -> String { "\(people)\(user)" }

  /// The folder of an owned zone.
  static func zone(
    _ founder: some CustomStringConvertible, _ zone: some CustomStringConvertible
  ) -> String { "\(people)\(founder)/zones/\(zone)" }

  /// Whether it is one object, and not a folder of them.
  public var isOneObject: Bool { self == .root || self == .door }

  /// Whether it stands in the folder of a person.
  public var isPersons: Bool { path().hasPrefix(Self.people) }

  /// Who puts such objects where there is nothing. What an object is good for, its reader decides:
  /// a right to put it isn't one to be believed.
  public var putter: Doer {
    switch self {
    // Entries that were lost are put back by whoever has read them, as packs are; and a zone's
    // owner needn't be its founder.
    case .chain, .inbox, .packs, .log, .copies, .floors, .parts, .links: .anybody
    case .join, .door, .published: .owner
    case .bells, .wakes, .probes: .anybody
    case .root: .nobody
    }
  }

  /// Who deletes such objects, and replaces damaged ones.
  public var deleter: Doer {
    switch self {
    case .chain, .inbox, .join, .packs, .log, .copies, .floors, .parts, .links, .door, .published:
      .owner
    // Each device takes away its own, whose names can't be related to it; losing one costs time.
    case .bells, .wakes, .probes: .anybody
    case .root: .nobody
    }
  }

  /// What an object is, by its key; nil for one of none of these kinds.
  public init?(_ key: ObjectKey) {
    let parts = key.description.split(separator: "/")
    let found = Self.patterns.first { $0.parts.matches(parts, isWhole: $0.kind.isOneObject) }
    guard let found else { return nil }
    self = found.kind
  }

  private static let patterns = allCases.map { kind in
    (kind: kind, parts: kind.path().split(separator: "/"))
  }
}

extension [Substring] {
  /// Whether these begin a key of those parts, and something follows; or are all of it.
  fileprivate func matches(_ key: [Substring], isWhole: Bool) -> Bool {
    guard isWhole ? key.count == count : key.count > count else { return false }
    return zip(self, key).allSatisfy { $0 == "*" || $0 == $1 }
  }
}
