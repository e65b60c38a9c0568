import CairnStore
import CairnZone

/// The kinds of objects in a container: their keys, and the people who put and delete them
/// (cairn-container(5), KEYS). This is the one table for it: all keys, copies, and the policy for a
/// participant are made from it.
public enum ObjectKind: String, CaseIterable, Sendable {
  case root, chain, inbox, join, drops, packs, log, copies, floors, parts, links, door, published
  case bells, wakes, presence, probes

  /// The people who act on objects of a kind, relative to the person whose folder contains them.
  public enum Doer: Sendable {
    /// Only that person.
    case owner
    /// Any participant.
    case anybody
    /// Nobody.
    case nobody
  }

  /// The folder of all objects of this kind; for a single object, its key.
  /// - Parameters:
  ///   - user: The person whose folder contains it, if any. `*`, the default, makes a pattern.
  ///   - zone: The zone whose folder contains it, if any; likewise.
  /// - Returns: the path, without a slash at its end.
  public func path(
    _ user: some CustomStringConvertible = "*", _ zone: some CustomStringConvertible = "*"
  ) -> String {
    switch self {
    case .root: ContainerFile.key
    case .chain: "\(Self.people)\(user)/log"
    case .inbox: "\(Self.people)\(user)/inbox"
    case .join: "\(Self.people)\(user)/join"
    case .drops: "\(Self.people)\(user)/drops"
    case .packs: "\(Self.people)\(user)/packs"
    case .published: "\(Self.people)\(user)/public"
    case .log: "\(Self.zone(user, zone))/log"
    case .copies: "\(Self.zone(user, zone))/copies"
    case .floors: "\(Self.zone(user, zone))/floors"
    case .parts: "\(Self.zone(user, zone))/parts"
    case .links: "\(Self.zone(user, zone))/links"
    case .door: "\(Self.zone(user, zone))/door"
    case .bells: AskingStore.folder
    case .wakes: Self.wakeObjects
    case .presence: Self.presenceObjects
    case .probes: StoreProbe.folder
    }
  }

  /// The folder of the objects with the addresses of devices for push messages.
  public static let wakeObjects = "wakes"

  /// The folder of the objects that say which files are open on which devices.
  public static let presenceObjects = "presence"

  /// The folder of all people's folders, with a slash at its end.
  public static let people = "users/"

  /// The folder of a person.
  public static func person(_ user: some CustomStringConvertible) -> String { "\(people)\(user)" }

  /// The folder of an owned zone.
  public static func zone(
    _ founder: some CustomStringConvertible, _ zone: some CustomStringConvertible
  ) -> String { "\(people)\(founder)/zones/\(zone)" }

  /// A Boolean value that indicates whether it is a single object, and not a folder.
  public var isOneObject: Bool { self == .root || self == .door }

  /// A Boolean value that indicates whether it is in the folder of a person.
  public var isPersons: Bool { path().hasPrefix(Self.people) }

  /// A Boolean value that indicates whether it contains the bytes of files: at a limited speed, all
  /// other objects pass it.
  public var isBulk: Bool { self == .packs || self == .drops }

  /// The people who put such objects under free keys. Readers decide about the value of an object:
  /// the right to put it does not make it trusted.
  public var putter: Doer {
    switch self {
    // Any reader puts lost entries and packs back, and a zone's owner may not be its founder.
    case .chain, .inbox, .drops, .packs, .log, .copies, .floors, .parts, .links: .anybody
    case .join, .door, .published: .owner
    case .bells, .wakes, .presence, .probes: .anybody
    case .root: .nobody
    }
  }

  /// The people who delete such objects, and replace damaged ones.
  public var deleter: Doer {
    switch self {
    case .chain, .inbox, .join, .drops, .packs, .log, .copies, .floors, .parts, .links, .door,
      .published:
      .owner
    // Each device deletes its own ones, whose names cannot be related to it; losing one costs time.
    case .bells, .wakes, .presence, .probes: .anybody
    case .root: .nobody
    }
  }

  /// The kind of an object, by its key; nil for unknown keys.
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
  /// Returns whether these are the beginning of a key with those parts, or all of it.
  fileprivate func matches(_ key: [Substring], isWhole: Bool) -> Bool {
    guard isWhole ? key.count == count : key.count > count else { return false }
    return zip(self, key).allSatisfy { $0 == "*" || $0 == $1 }
  }
}
