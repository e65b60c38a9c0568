/// Which bells hung in the container at the last look, and so what was rung since. It must not know
/// who asks, when, or what a tag stands for.
struct BellBook: Sendable {
  /// The most names of one look that are taken in; what is behind them isn't heard.
  static let most = 2_000

  /// What was rung since the last look.
  struct News: Equatable, Sendable {
    /// The tags that the names tell.
    var tags: Set<UInt32> = []
    /// Bells that rang more tags than their names have room for: their bytes say the rest.
    var longer: [Longer] = []
  }

  /// A bell whose bytes are to be read.
  struct Longer: Equatable, Sendable {
    let bell: Bell
    /// Tags that are younger than that are news.
    let age: UInt64
  }

  private var seen: Set<Bell>?
  /// Whether others had bells at the last look.
  private(set) var hasOthers = false

  /// Takes in the names of one look. The first look tells nothing: whoever begins to listen looks
  /// at everything.
  /// - Parameters:
  ///   - keys: What stood in the folder.
  ///   - own: Who asks, whose bells are no news.
  /// - Returns: what was rung since the look before.
  mutating func read(_ keys: [ObjectKey], own: String?) -> News {
    let bells = Set(keys.prefix(Self.most).compactMap { Bell($0) }.filter { $0.owner != own })
    hasOthers = !bells.isEmpty
    defer { seen = bells }
    guard let seen else { return News() }
    // A name of somebody else's making, with a number that is too high, silences nobody: what
    // counts is that a name is new, and which one of its owner's comes before it.
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
