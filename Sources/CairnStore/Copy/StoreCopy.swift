import CairnThreads
import Synchronization

/// A copy of one store into another. It puts only missing objects and overwrites nothing. It can
/// stop at any moment, and continues when it is run again. `CopyOrder` keeps the partial copy
/// sound. It must not know the objects' meaning.
public struct StoreCopy: Sendable {
  /// The size limit. No object by the rules is larger (the largest are packs). A stranger's sparse
  /// file would need its full size in the copy.
  static let largest = 64 << 20
  /// The number of objects in a batch.
  private static let portion = 256

  private let source: any ObjectStore
  private let target: any ObjectStore
  private let order: CopyOrder
  private let isChecked: Bool
  private let isCancelled: @Sendable () -> Bool
  private let progress: @Sendable (_ done: Int64, _ total: Int64) -> Void

  /// Creates a copy without sending a request.
  /// - Parameters:
  ///   - source: The store to read.
  ///   - target: The store to fill.
  ///   - order: The selection and the order.
  ///   - isChecked: Whether existing objects are read on both sides and compared; otherwise only
  ///     their sizes are.
  ///   - isCancelled: Whether to stop; called before each object, on any thread.
  ///   - progress: Receives the finished and the total bytes, on any thread.
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
  /// - Returns: the result, including problems with single objects.
  /// - Throws: the reason if one of the stores cannot be used. Copied objects stay.
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

  /// An object, and its counterpart in the copy.
  private struct Item {
    let object: ListedObject
    /// Nil: it is missing there; its size is nil if that is unknown.
    let there: ListedObject?

    init(_ object: ListedObject, there size: Int??) {
      self.object = object
      there = size.map { ListedObject(key: object.key, size: $0) }
    }
  }

  // MARK: What is to be copied

  /// Copies objects without an order, while both stores are listed.
  /// - Returns: all other objects of the copy.
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

  /// Copies rows concurrently, each in its order. A new copy may receive them in any order.
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

  /// Copies each list of objects in its order, several lists concurrently.
  private func copy(_ lists: [[Item]], _ work: CopyWork) throws(StoreError) {
    guard !lists.isEmpty else { return }
    let next = Atomic(0)
    // A disk also syncs several files concurrently.
    let width = min(lists.count, 16, max(4, source.flight, target.flight))
    ParallelFor.run(width, meanwhile: {}) {
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
    // Another process copies, too.
    case .exists where try isStanding(bytes, key): work.change { $0.there.add(bytes.count) }
    case .exists:
      work.change { $0.add(.differs, key, "somebody has put other bytes into the copy") }
    }
  }

  /// The object; nil if it was deleted or cannot be read, which is noted.
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

  /// Returns whether the copy has these bytes there.
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

/// The shared progress of a copy.
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

  /// A Boolean value that indicates whether all work should stop.
  var isOver: Bool { state.withLock { $0.failure != nil || $0.report.isCut } }

  /// Stops all work. The first error is reported.
  func fail(_ error: StoreError) { state.withLock { $0.failure = $0.failure ?? error } }

  func check() throws(StoreError) {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  func done(_ bytes: Int, _ tell: (_ done: Int64, _ total: Int64) -> Void) {
    let sum = state.withLock { state in
      state.done = state.done.adding(saturating: Int64(bytes))
      return state.done
    }
    // Objects that are added during the copy exceed the total.
    tell(min(sum, total), total)
  }
}
