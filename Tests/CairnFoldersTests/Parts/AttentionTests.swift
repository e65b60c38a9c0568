import Testing

@testable import CairnFolders

/// The parts to scan: each is returned once.
struct AttentionTests {
  private var attention = Attention()
  private let a = Array("a".utf8)
  private let d = Array("d".utf8)

  private mutating func hints(_ now: Int64 = 0) -> Attention.Hints? {
    if case .some(let hints) = attention.take(now) { hints } else { nil }
  }

  @Test mutating func `hints are ordered together, and once`() {
    #expect(holds(hints() == nil))
    attention.look(at: [a])
    attention.look(in: FolderHint(d, directory: 7))
    attention.look(below: d)
    #expect(attention.hasNews)
    let expected = Attention.Hints(
      entries: [FolderHint(a)], trees: [FolderHint(d, directory: 7)], renamed: [d])
    #expect(holds(hints() == expected))
    #expect(holds(hints() == nil && attention.isIdle))
  }

  @Test mutating func `a look at everything covers every hint, and what waits to be read`() {
    attention.look(at: [a])
    attention.postpone([d], 0)
    attention.lookEverywhere()
    let order = attention.take(0)
    #expect(holds({ if case .everything = order { true } else { false } }()))
    #expect(attention.isIdle && attention.unread.isQuiet && attention.unread.due == nil)
  }

  @Test mutating func `a directory that couldn't be read is read again, later each time`() {
    var waits: [Int64] = []
    for _ in 0..<4 {
      attention.postpone([d], 0)
      waits.append(attention.unread.due ?? -1)
      #expect(holds(hints((waits.last ?? 0) - 1) == nil))
      #expect(holds(hints(waits.last ?? 0)?.late == [d]))
    }
    #expect(waits == waits.sorted() && Set(waits).count == 4)
  }

  @Test mutating func `a word of the person has it read again at once`() {
    attention.postpone([d], 0)
    attention.retryNow()
    #expect(holds(hints(0)?.trees == [FolderHint(d)]))
  }
}
