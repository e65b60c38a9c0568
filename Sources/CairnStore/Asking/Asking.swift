/// The schedule of an asking store: when to write a change marker for other devices, when to poll
/// for their markers, and when to check a folder. It owns the known and the written markers. It
/// must not know clocks, threads or stores: times are arguments, in nanoseconds. A change marker is
/// called a bell in names, and writing one is a ring.
struct Asking: Sendable {
  /// The next act.
  enum Act: Equatable, Sendable {
    /// Write this device's change marker.
    case ring(BellRope.Ring)
    /// List the change markers, including those of an earlier run of this device.
    case ask
    /// Read the bytes of a marker whose name does not contain all topics.
    case read(Bell)
    /// Do nothing until that time; nil: until an event.
    case wait(until: Int64?)
  }

  /// The maximum number of markers that are read after one list.
  static let mostRead = 8

  private var folders = FollowedFolders()
  private var rope: BellRope?
  private var book = BellBook()
  private var plan: AskingPlan
  private var rounds: Rounds
  private var reading: [BellBook.Longer] = []
  /// The budget for hints about the common topic, which anybody can write.
  private var commonHints = Budget(6, period: 20_000_000_000)
  private var owesCommon = false
  /// A Boolean value that indicates whether the system may cache lists of names for seconds, so
  /// that asking for one name gives newer results.
  private let isFolder: Bool
  /// A Boolean value that indicates whether the container must be polled, because it does not
  /// notify.
  private(set) var isAsking: Bool
  /// A Boolean value that indicates whether the markers were listed since the start. They are
  /// always listed once.
  private var hasLooked = false
  /// A Boolean value that indicates whether changes may exist that no list of markers can show.
  private var owesAll = false

  /// Creates a schedule.
  /// - Parameters:
  ///   - owner: The owner of this device's marker; nil if it never writes.
  ///   - isAsking: Whether the container does not notify.
  ///   - isFolder: Whether it is a folder, possibly on a network file system.
  ///   - longest: The longest pause between two polls.
  ///   - now: The time of the start.
  init(owner: String?, isAsking: Bool, isFolder: Bool, longest: Int64, now: Int64) {
    rope = owner.map { BellRope(owner: $0) }
    self.isAsking = isAsking
    self.isFolder = isFolder
    plan = AskingPlan(longest: longest, isFree: isFolder, now: now)
    // Together with polling at most two requests in each of the longest pauses. Nobody writes
    // markers for a device without one, so it checks all folders each time.
    rounds = Rounds(period: owner == nil ? longest / 3 + 1 : longest / 4 * 5 + 1, now: now)
    if isAsking { rope?.announce() }
  }

  // MARK: What happens

  /// Sets the topic that writers in the folder of a zone use from now on.
  mutating func agree(on tag: UInt32, for folder: String) { folders.agree(on: tag, for: folder) }

  /// Adds a follower of a folder.
  mutating func follow(_ folder: String) { folders.follow(folder) }

  /// Removes a follower of a folder.
  mutating func unfollow(_ folder: String) { folders.unfollow(folder) }

  /// Notes that this device stored an object in a folder.
  /// - Returns: whether there is something to do.
  mutating func stored(in folder: String, now: Int64) -> Bool {
    // Before the first list nobody knows whether other devices need markers.
    guard isAsking || book.hasOthers || !hasLooked else { return false }
    let tag = tag(of: folder) ?? (Self.isCommon(folder) ? Bell.common : nil)
    guard let tag else { return false }
    rope?.pull(tag)
    if isAsking { acted([group(of: folder)], now: now) }
    return true
  }

  /// Notes that a check found a change in a folder.
  /// - Returns: whether there is something to do.
  mutating func found(in folder: String, now: Int64) -> Bool {
    // Elsewhere a marker reported it before, or it was a scheduled check with its price.
    guard isAsking, isFolder else { return false }
    acted([group(of: folder)], now: now)
    return true
  }

  /// Starts polling, because the container missed a notification.
  mutating func beginAsking(now: Int64) {
    guard !isAsking else { return }
    (isAsking, owesAll) = (true, true)
    rope?.announce()
    plan.act(now: now)
  }

  /// Lists the markers again, for a container that notifies.
  mutating func lookAgain() { hasLooked = false }

  /// The topic that this device uses for the folder of a zone; nil for other folders.
  func tag(of folder: String) -> UInt32? { folders.tag(of: folder) }

  /// Handles a push message about these topics.
  /// - Returns: the groups of folders with possible changes.
  mutating func woken(_ tags: Set<UInt32>, now: Int64) -> Set<String> {
    let groups = groups(rung: tags, now: now)
    if isAsking { acted(groups, now: now) }
    return groups
  }

  /// A Boolean value that indicates whether a folder is outside zones, where everybody checks it.
  static func isCommon(_ folder: String) -> Bool {
    let parts = folder.split(separator: "/", omittingEmptySubsequences: false)
    let common = ["log", "inbox", "join", "drops"]
    return parts.count == 3 && parts[0] == "users" && common.contains { $0 == parts[2] }
  }

  /// The name under which a folder is checked: its own, or the one for all folders with the common
  /// topic.
  func group(of folder: String) -> String { folders.group(of: folder) }

  /// A Boolean value that indicates whether a change is not in a marker yet.
  var owesRing: Bool { rope?.hasNews ?? false }

  /// The last marker at the end; nil if there is nothing to report, or no device to read it.
  mutating func lastRing(now: Int64) -> BellRope.Ring? {
    guard isAsking || book.hasOthers, !plan.isAway, rope?.due != nil else { return nil }
    return rope?.ring(now: now)
  }

  /// Stops writing markers.
  /// - Returns: this device's markers in the container.
  mutating func takeDown() -> Set<Bell> {
    defer { rope = nil }
    return rope?.hanging ?? []
  }

  // MARK: What to do

  /// The act for now. Starts a ring if the act is one.
  mutating func next(now: Int64) -> Act {
    if let longer = reading.first { return .read(longer.bell) }
    guard hasLooked else { return plan.next <= now ? .ask : .wait(until: plan.next) }
    let due = isAsking || book.hasOthers ? rope?.due : nil
    if let due, due <= now, let ring = rope?.ring(now: now) { return .ring(ring) }
    if isAsking, plan.next <= now { return .ask }
    return .wait(until: [isAsking ? plan.next : nil, due].compactMap { $0 }.min())
  }

  /// Notes the end of a ring.
  mutating func rang(_ ring: BellRope.Ring, isHung: Bool, now: Int64) {
    if isHung { rope?.hung(ring) } else { rope?.failed(ring, again: now + AskingPlan.away) }
  }

  /// Handles a list of markers.
  /// - Parameters:
  ///   - keys: The keys in the folder.
  ///   - requests: The number of requests to the store so far.
  ///   - now: The current time.
  ///   - chance: A random number.
  /// - Returns: the groups of folders with possible changes.
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

  /// Notes that the container does not answer.
  /// - Returns: the groups of folders whose followers must find that out.
  mutating func failed(now: Int64, chance: UInt32) -> Set<String> {
    let wasAway = plan.isAway
    plan.failed(now: now, chance: chance)
    reading = []
    // Changes before the first list cannot be distinguished from those until it succeeds.
    owesAll = owesAll || !hasLooked || plan.isAway
    return isAsking && !wasAway && plan.isAway ? folders.groups : []
  }

  /// Handles the bytes of a marker, or their absence.
  /// - Returns: the groups of folders with possible changes.
  mutating func read(_ bell: Bell, _ bytes: [UInt8]?, now: Int64) -> Set<String> {
    let age = reading.first { $0.bell == bell }?.age ?? 0
    reading.removeAll { $0.bell == bell }
    let rung = Bell.tags(in: bytes ?? []).filter { $0.age < age }
    let groups = groups(rung: Set(rung.map(\.tag)), now: now)
    acted(groups, now: now)
    return groups
  }

  /// Notes a change in these groups, by this device or another.
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

  /// The current maximum delay of a change; nil if the container notifies.
  func lateness(now: Int64) -> Int64? { isAsking ? plan.lateness(now: now) : nil }
}
