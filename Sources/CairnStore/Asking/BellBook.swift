/// The change markers at the last list, and so the changes since then. It must not know the reader,
/// the time, or the meaning of a topic.
struct BellBook: Sendable {
  /// The maximum number of names that are read of one list. Later names are ignored.
  static let most = 2_000

  /// The changes since the last list.
  struct News: Equatable, Sendable {
    /// The topics in the names.
    var tags: Set<UInt32> = []
    /// Markers with more topics than their names can hold. Their bytes contain the rest.
    var longer: [Longer] = []
  }

  /// A marker whose bytes must be read.
  struct Longer: Equatable, Sendable {
    let bell: Bell
    /// Topics below this age are new.
    let age: UInt64
  }

  private var seen: Set<Bell>?
  /// A Boolean value that indicates whether other devices had markers at the last list.
  private(set) var hasOthers = false

  /// Handles the names of one list. The first list reports nothing, because a new listener checks
  /// everything.
  /// - Parameters:
  ///   - keys: The keys in the folder.
  ///   - own: The owner of the reader's own markers, which are ignored.
  /// - Returns: the changes since the list before.
  mutating func read(_ keys: [ObjectKey], own: String?) -> News {
    let bells = Set(keys.prefix(Self.most).compactMap { Bell($0) }.filter { $0.owner != own })
    hasOthers = !bells.isEmpty
    defer { seen = bells }
    guard let seen else { return News() }
    // A forged name with too high a number must silence nobody. Only new names count, and for each
    // its predecessor by the same owner.
    let new = bells.subtracting(seen)
    let before = Dictionary(grouping: seen.union(new), by: \.owner)
    var news = News()
    for bell in new {
      let last = before[bell.owner, default: []].map(\.count).filter { $0 < bell.count }.max()
      let age = bell.count - (last ?? 0)
      let rung = bell.tags.filter { $0.age < age }
      news.tags.formUnion(rung.map(\.tag))
      if rung.count == Bell.inName { news.longer.append(Longer(bell: bell, age: age)) }
    }
    news.longer.sort { $0.bell.key < $1.bell.key }
    return news
  }
}
