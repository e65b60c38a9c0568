/// What has to be done next so that all who follow folders of a container hear of what is written
/// there, and others hear of what is written here: ring, ask, look. It owns what was heard and
/// rung; it must not know clocks, threads or stores: times are handed in, in nanoseconds.
struct Asking: Sendable {
  /// What to do.
  enum Act: Equatable, Sendable {
    /// Hang up this device's bell.
    case ring(BellRope.Ring)
    /// List the bells; with it the own ones of an earlier run.
    case ask
    /// Read the bytes of a bell whose name doesn't tell all.
    case read(Bell)
    /// Nothing until that time; nil: until something happens.
    case wait(until: Int64?)
  }

  /// The most bells of one look whose bytes are read.
  static let mostRead = 8

  private var folders = FollowedFolders()
  private var rope: BellRope?
  private var book = BellBook()
  private var plan: AskingPlan
  private var rounds: Rounds
  private var reading: [BellBook.Longer] = []
  /// Hints about what has the common tag, which anybody can ring.
  private var commonHints = Budget(6, period: 20_000_000_000)
  private var owesCommon = false
  /// Whether the system may remember a list of names for seconds, bells among them, so that a name
  /// that is asked for tells more.
  private let isFolder: Bool
  /// Whether the container has to be asked, since it tells nothing by itself.
  private(set) var isAsking: Bool
  /// Whether the bells were looked at since the start, which is to be done once in any case.
  private var hasLooked = false
  /// Whether something may have come that no look at the bells can tell any more.
  private var owesAll = false

  /// - Parameters:
  ///   - owner: Whose bell this device rings; nil: it writes nothing, and none.
  ///   - isAsking: Whether the container tells nothing by itself.
  ///   - isFolder: Whether it is a folder of this machine, if only of a network's.
  ///   - longest: The longest pause between two questions.
  ///   - now: When it begins.
  init(owner: String?, isAsking: Bool, isFolder: Bool, longest: Int64, now: Int64) {
    rope = owner.map { BellRope(owner: $0) }
    self.isAsking = isAsking
    self.isFolder = isFolder
    plan = AskingPlan(longest: longest, isFree: isFolder, now: now)
    // Together with the questions at most two requests in each of the longest pauses. For whoever
    // has no bell nobody has to ring, so they look at everything each time.
    rounds = Rounds(period: owner == nil ? longest / 3 + 1 : longest / 4 * 5 + 1, now: now)
    if isAsking { rope?.announce() }
  }

  // MARK: What happens

  /// Who writes in the folder of a zone rings this tag from now on.
  mutating func agree(on tag: UInt32, for folder: String) { folders.agree(on: tag, for: folder) }

  /// Somebody here follows a folder.
  mutating func follow(_ folder: String) { folders.follow(folder) }

  /// Somebody here follows it no more.
  mutating func unfollow(_ folder: String) { folders.unfollow(folder) }

  /// This device stored an object in a folder.
  /// - Returns: whether there is something to do about it.
  mutating func stored(in folder: String, now: Int64) -> Bool {
    // Before the first look nobody knows whether others have bells.
    guard isAsking || book.hasOthers || !hasLooked else { return false }
    let tag = tag(of: folder) ?? (Self.isCommon(folder) ? Bell.common : nil)
    guard let tag else { return false }
    rope?.pull(tag)
    if isAsking { acted([group(of: folder)], now: now) }
    return true
  }

  /// Something has come to a folder, found by looking there.
  /// - Returns: whether there is something to do about it.
  mutating func found(in folder: String, now: Int64) -> Bool {
    // Elsewhere a bell has told of it before, or it was a look in turn, at its price.
    guard isAsking, isFolder else { return false }
    acted([group(of: folder)], now: now)
    return true
  }

  /// The container turned out not to tell what others write, though it seemed to.
  mutating func beginAsking(now: Int64) {
    guard !isAsking else { return }
    (isAsking, owesAll) = (true, true)
    rope?.announce()
    plan.act(now: now)
  }

  /// Bells may hang there that didn't before; for a container that tells.
  mutating func lookAgain() { hasLooked = false }

  /// The tag that this device rings for a zone's folder; nil for any other.
  func tag(of folder: String) -> UInt32? { folders.tag(of: folder) }

  /// Somebody has told by another way that something may be new under these tags.
  /// - Returns: the groups of folders where something may be new.
  mutating func woken(_ tags: Set<UInt32>, now: Int64) -> Set<String> {
    let groups = groups(rung: tags, now: now)
    if isAsking { acted(groups, now: now) }
    return groups
  }

  /// Whether a folder holds what stands beside zones, where everybody looks for it.
  static func isCommon(_ folder: String) -> Bool {
    let parts = folder.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[0] == "users" && ["log", "inbox", "join"].contains(parts[2])
  }

  /// The name by which a folder is looked at: its own, or that of all that have the common tag.
  func group(of folder: String) -> String { folders.group(of: folder) }

  /// Whether something was written that isn't rung.
  var owesRing: Bool { rope?.hasNews ?? false }

  /// What is still to be rung when it is over; nil if nothing is, or nobody is there to hear it.
  mutating func lastRing(now: Int64) -> BellRope.Ring? {
    guard isAsking || book.hasOthers, !plan.isAway, rope?.due != nil else { return nil }
    return rope?.ring(now: now)
  }

  /// Rings no more.
  /// - Returns: this device's bells that hang there.
  mutating func takeDown() -> Set<Bell> {
    defer { rope = nil }
    return rope?.hanging ?? []
  }

  // MARK: What to do

  /// What is to be done now. A ring begins with that.
  mutating func next(now: Int64) -> Act {
    if let longer = reading.first { return .read(longer.bell) }
    guard hasLooked else { return plan.next <= now ? .ask : .wait(until: plan.next) }
    let due = isAsking || book.hasOthers ? rope?.due : nil
    if let due, due <= now, let ring = rope?.ring(now: now) { return .ring(ring) }
    if isAsking, plan.next <= now { return .ask }
    return .wait(until: [isAsking ? plan.next : nil, due].compactMap { $0 }.min())
  }

  /// A ring has ended.
  mutating func rang(_ ring: BellRope.Ring, isHung: Bool, now: Int64) {
    if isHung { rope?.hung(ring) } else { rope?.failed(ring, again: now + AskingPlan.away) }
  }

  /// The bells were listed.
  /// - Parameters:
  ///   - keys: What stood there.
  ///   - requests: How many requests the store had so far.
  ///   - now: When.
  ///   - chance: A random number.
  /// - Returns: the groups of folders where something may be new.
  mutating func answered(
    _ keys: [ObjectKey], requests: Int, now: Int64, chance: UInt32
  ) -> Set<String> {
    if !hasLooked { rope?.takeOver(keys) }
    hasLooked = true
    let news = book.read(keys, own: rope?.owner)
    guard isAsking else { return [] }
    reading = Array(news.longer.prefix(Self.mostRead))
    var groups = groups(rung: news.tags, now: now)
    acted(groups, now: now)
    if owesAll {
      groups.formUnion(folders.groups)
      plan.act(now: now)
    }
    owesAll = false
    plan.answered(now: now, chance: chance)
    if isFolder { groups.formUnion(folders.expectant(now: now)) }
    if groups.isEmpty && rope != nil { rounds.pay(requests) } else { rounds.forgetPrice() }
    if rounds.next <= now {
      let all = folders.groups
      let next = rounds.look(at: all, now: now, requests: requests)
      groups.formUnion(rope == nil ? all : next.map { [$0] } ?? [])
    }
    return groups
  }

  /// The container doesn't answer.
  /// - Returns: the groups of folders whose followers have to find that out.
  mutating func failed(now: Int64, chance: UInt32) -> Set<String> {
    let wasAway = plan.isAway
    plan.failed(now: now, chance: chance)
    reading = []
    // What came before the first look can't be told from what comes until it succeeds.
    owesAll = owesAll || !hasLooked || plan.isAway
    return isAsking && !wasAway && plan.isAway ? folders.groups : []
  }

  /// The bytes of a bell were read, or couldn't be.
  /// - Returns: the groups of folders where something may be new.
  mutating func read(_ bell: Bell, _ bytes: [UInt8]?, now: Int64) -> Set<String> {
    let age = reading.first { $0.bell == bell }?.age ?? 0
    reading.removeAll { $0.bell == bell }
    let rung = Bell.tags(in: bytes ?? []).filter { $0.age < age }
    let groups = groups(rung: Set(rung.map(\.tag)), now: now)
    acted(groups, now: now)
    return groups
  }

  /// Something was written in these groups, here or elsewhere.
  private mutating func acted(_ groups: Set<String>, now: Int64) {
    guard !groups.isEmpty else { return }
    plan.act(now: now)
    if isFolder { folders.changed(groups, now: now) }
  }

  private mutating func groups(rung: Set<UInt32>, now: Int64) -> Set<String> {
    owesCommon = owesCommon || rung.contains(Bell.common)
    var found = folders.folders(rung: rung)
    if owesCommon, folders.groups.contains(FollowedFolders.common), commonHints.take(now: now) {
      owesCommon = false
      found.insert(FollowedFolders.common)
    }
    return found
  }

  /// How long after a change it may be heard of by now; nil: the container tells.
  func lateness(now: Int64) -> Int64? { isAsking ? plan.lateness(now: now) : nil }
}
