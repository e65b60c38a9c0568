import Testing

@testable import CairnFolders

/// The parts to scan: each is returned once.
struct ScanQueueTests {
  private var scanQueue = ScanQueue()
  private let a = Array("a".utf8)
  private let d = Array("d".utf8)

  private mutating func hints(_ now: Int64 = 0) -> ScanQueue.Hints? {
    if case .some(let hints) = scanQueue.take(now) { hints } else { nil }
  }

  @Test mutating func `change notifications are ordered together, each once`() {
    #expect(holds(hints() == nil))
    scanQueue.look(at: [a])
    scanQueue.look(in: FolderHint(d, directory: 7))
    scanQueue.look(below: d)
    #expect(scanQueue.hasNews)
    let expected = ScanQueue.Hints(
      entries: [FolderHint(a)], trees: [FolderHint(d, directory: 7)], renamed: [d])
    #expect(holds(hints() == expected))
    #expect(holds(hints() == nil && scanQueue.isIdle))
  }

  @Test mutating func `a full scan covers every notification and every waiting read`() {
    scanQueue.look(at: [a])
    scanQueue.postpone([d], 0)
    scanQueue.lookEverywhere()
    let order = scanQueue.take(0)
    #expect(holds({ if case .everything = order { true } else { false } }()))
    #expect(scanQueue.isIdle && scanQueue.unread.isQuiet && scanQueue.unread.due == nil)
  }

  @Test mutating func `an unreadable directory is read again, later each time`() {
    var waits: [Int64] = []
    for _ in 0..<4 {
      scanQueue.postpone([d], 0)
      waits.append(scanQueue.unread.due ?? -1)
      #expect(holds(hints((waits.last ?? 0) - 1) == nil))
      #expect(holds(hints(waits.last ?? 0)?.late == [d]))
    }
    #expect(waits == waits.sorted() && Set(waits).count == 4)
  }

  @Test mutating func `a person's request reads it again at once`() {
    scanQueue.postpone([d], 0)
    scanQueue.retryNow()
    #expect(holds(hints(0)?.trees == [FolderHint(d)]))
  }
}
