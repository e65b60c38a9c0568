import CairnThreads
import Synchronization

/// Copies what stands in one store into another: only what is missing there, and nothing is ever
/// overwritten. It can be cut off at any moment, and goes on where it was when it is run again;
/// `CopyOrder` says in which order, so that what is there by then is sound. It must not know what
/// the objects mean.
public struct StoreCopy: Sendable {
  /// What is larger is none of the objects that are put by anybody who follows the rules: the
  /// largest are packs. A stranger's file that takes no room would take that much in the copy.
  static let largest = 64 << 20
  /// How many objects are handed out at once.
  private static let portion = 256

  private let source: any ObjectStore
  private let target: any ObjectStore
  private let order: CopyOrder
  private let isChecked: Bool
  private let isCancelled: @Sendable () -> Bool
  private let progress: @Sendable (_ done: Int64, _ total: Int64) -> Void

  /// Nothing is asked yet.
  /// - Parameters:
  ///   - source: What is copied, and only read.
  ///   - target: What it is copied into.
  ///   - order: What of it, and in which order.
  ///   - isChecked: Whether what is there already is read on both sides and compared; otherwise
  ///     its size is.
  ///   - isCancelled: Whether it is to be given up; asked before each object, on any thread.
  ///   - progress: Told how many bytes of how many are seen to, on any thread.
  public init(
    from source: any ObjectStore, to target: any ObjectStore, _ order: CopyOrder,
    isChecked: Bool = false, isCancelled: @escaping @Sendable () -> Bool = { false },
    progress: @escaping @Sendable (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
  ) {
    self.source = source
    self.target = target
    self.order = order
    self.isChecked = isChecked
    self.isCancelled = isCancelled
    self.progress = progress
  }

  /// Copies.
  /// - Returns: what it came to; trouble with single objects, too.
  /// - Throws: why one of the stores can't be used. What was copied by then stays.
  public func run() throws(StoreError) -> CopyReport {
    guard let survey = try CopySurvey.take(of: source, order, isCancelled: isCancelled) else {
      var report = CopyReport()
      report.isCut = true
      return report
    }
    let work = CopyWork(total: survey.bytes)
    work.change { $0.unsettled = survey.unsettled }
    let there = try copyContents(work)
    let isMarked = (survey.objects[.mark] ?? []).contains { there[$0.key] != nil }
    let isNew = !isMarked && !order.isInUse
    work.change { $0.isNew = isNew }
    for stage in CopyOrder.Stage.allCases where stage != .content {
      let objects = survey.objects[stage] ?? []
      if stage.isInRows {
        try copyRows(objects, there, isNew: isNew, work)
      } else {
        try copy(objects.map { [Item($0, there: there[$0.key])] }, work)
      }
    }
    let listed = Set(survey.objects.values.joined().map(\.key))
    work.change { report in
      for (key, size) in there where !listed.contains(key) { report.kept.add(size ?? 0) }
    }
    return work.report
  }

  /// An object, and what the copy has in its place.
  private struct Item {
    let object: ListedObject
    /// Nil: nothing; its size is nil if that can't be told.
    let there: ListedObject?

    init(_ object: ListedObject, there size: Int??) {
      self.object = object
      there = size.map { ListedObject(key: object.key, size: $0) }
    }
  }

  // MARK: What is to be copied

  /// Copies what has no order, while both stores are listed.
  /// - Returns: all else that the copy has.
  private func copyContents(_ work: CopyWork) throws(StoreError) -> [ObjectKey: Int?] {
    var others: [ObjectKey: Int?] = [:]
    var ours = ObjectCursor(source)
    var theirs = ObjectCursor(target)
    var portion: [[Item]] = []
    var there = try theirs.next()
    func pass(_ object: ListedObject) {
      guard let stage = order.stage(object.key) else { return }
      if stage == .content {
        work.change { $0.kept.add(object.size ?? 0) }
      } else {
        others.updateValue(object.size, forKey: object.key)
      }
    }
    while !work.isOver, let object = try ours.next() {
      while let passed = there, passed.key < object.key {
        pass(passed)
        there = try theirs.next()
      }
      guard order.stage(object.key) == .content else { continue }
      let same = there?.key == object.key ? there : nil
      portion.append([Item(object, there: same.map(\.size))])
      if same != nil { there = try theirs.next() }
      if portion.count == Self.portion {
        try copy(portion, work)
        portion = []
      }
    }
    while let passed = there {
      pass(passed)
      there = try theirs.next()
    }
    try copy(portion, work)
    return others
  }

  /// Copies rows beside each other, and what is in one in its order. Into a copy that isn't one yet
  /// it may come in any order.
  private func copyRows(
    _ objects: [ListedObject], _ there: [ObjectKey: Int?], isNew: Bool, _ work: CopyWork
  ) throws(StoreError) {
    let standing = objects.filter { there[$0.key] != nil }
    try copy(standing.map { [Item($0, there: there[$0.key])] }, work)
    let missing = objects.filter { there[$0.key] == nil }
    guard !isNew else { return try copy(missing.map { [Item($0, there: nil)] }, work) }
    let rows = Dictionary(grouping: missing, by: \.key.folder).sorted { $0.key < $1.key }
    try copy(
      rows.map { _, row in
        guard row.count > 1 else { return row.map { Item($0, there: nil) } }
        let sizes = Dictionary(row.map { ($0.key, $0) }) { first, _ in first }
        return order.arrange(row.map(\.key)).compactMap { sizes[$0] }.map { Item($0, there: nil) }
      }, work)
  }

  // MARK: Copying

  /// Copies each list of objects in its order, several lists at the same time.
  private func copy(_ lists: [[Item]], _ work: CopyWork) throws(StoreError) {
    guard !lists.isEmpty else { return }
    let next = Atomic(0)
    // A disk, too, syncs several files at the same time.
    let width = min(lists.count, 16, max(4, source.flight, target.flight))
    Lanes.run(width, meanwhile: {}) {
      while true {
        let number = next.add(1, ordering: .relaxed).oldValue
        guard number < lists.count else { return }
        for item in lists[number] {
          if isCancelled() { work.change { $0.isCut = true } }
          guard !work.isOver else { return }
          do throws(StoreError) { try see(to: item, work) } catch { work.fail(error) }
          work.done(item.object.size ?? 0, progress)
        }
      }
    }
    try work.check()
  }

  private func see(to item: Item, _ work: CopyWork) throws(StoreError) {
    let key = item.object.key
    guard let there = item.there else { return try put(item.object, work) }
    if let size = item.object.size {
      guard there.size == size else {
        return work.change { $0.add(.differs, key, Self.words(size, there)) }
      }
      guard isChecked else { return work.change { $0.there.add(size) } }
    }
    guard let bytes = try read(key, work) else { return }
    guard try isStanding(bytes, key) else {
      return work.change { $0.add(.differs, key, "other bytes stand in the copy") }
    }
    work.change { report in
      report.there.add(bytes.count)
      report.compared.add(bytes.count)
    }
  }

  private func put(_ object: ListedObject, _ work: CopyWork) throws(StoreError) {
    let key = object.key
    guard object.size ?? 0 <= Self.largest else {
      return work.change { $0.add(.unreadable, key, "it is larger than any object may be") }
    }
    guard let bytes = try read(key, work) else { return }
    let outcome: PutOutcome
    do throws(StoreError) { outcome = try target.put(key, bytes) } catch {
      guard error.code == .corrupt else { throw error }
      return work.change { $0.add(.differs, key, error.cause) }
    }
    switch outcome {
    case .stored: work.change { $0.copied.add(bytes.count) }
    // Somebody else copies, too.
    case .exists where try isStanding(bytes, key): work.change { $0.there.add(bytes.count) }
    case .exists:
      work.change { $0.add(.differs, key, "somebody has put other bytes into the copy") }
    }
  }

  /// The object; nil if it is gone, or can't be read, which is noted.
  private func read(_ key: ObjectKey, _ work: CopyWork) throws(StoreError) -> [UInt8]? {
    do throws(StoreError) {
      if let bytes = try source.get(key) { return bytes }
      work.change { $0.gone += 1 }
    } catch {
      guard error.key != nil, error.code == .corrupt || error.code == .denied else { throw error }
      work.change { $0.add(.unreadable, key, error.cause) }
    }
    return nil
  }

  /// Whether the copy has these bytes there.
  private func isStanding(_ bytes: [UInt8], _ key: ObjectKey) throws(StoreError) -> Bool {
    do throws(StoreError) { return try target.get(key) == bytes } catch {
      guard error.key != nil, error.code == .corrupt || error.code == .denied else { throw error }
      return false
    }
  }

  private static func words(_ size: Int, _ there: ListedObject) -> String {
    "it has \(size) bytes, and in the copy "
      + (there.size.map { "\($0)" } ?? "something that is no object")
  }
}

/// What has come of a copy so far, for those who work on it.
private final class CopyWork: Sendable {
  private struct State {
    var report = CopyReport()
    var done: Int64 = 0
    var failure: StoreError?
  }

  private let total: Int64
  private let state = Mutex(State())

  init(total: Int64) { self.total = total }

  var report: CopyReport { state.withLock { $0.report } }

  func change(_ body: (inout CopyReport) -> Void) { state.withLock { body(&$0.report) } }

  /// Whether nobody goes on.
  var isOver: Bool { state.withLock { $0.failure != nil || $0.report.isCut } }

  /// Ends the work of all; the first failure is told.
  func fail(_ error: StoreError) { state.withLock { $0.failure = $0.failure ?? error } }

  func check() throws(StoreError) {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  func done(_ bytes: Int, _ tell: (_ done: Int64, _ total: Int64) -> Void) {
    let sum = state.withLock { state in
      state.done = state.done.adding(saturating: Int64(bytes))
      return state.done
    }
    // What comes while it is copied is more than was counted.
    tell(min(sum, total), total)
  }
}
