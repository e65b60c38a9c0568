import Testing

@testable import CairnStore

/// A bell's name, the bells in a list of names, and the rope's result for written folders.
struct BellTests {
  private let ana = String(repeating: "a", count: 32)
  private let bob = String(repeating: "b", count: 32)

  /// A bell whose tags were rung one after the other, the last first.
  private func bell(_ owner: String, _ count: UInt64, _ tags: UInt32...) -> Bell {
    Bell(owner: owner, count: count, tags: rung(tags))
  }

  private func rung(_ tags: [UInt32]) -> [Bell.Rung] {
    tags.enumerated().map { Bell.Rung(tag: $1, age: UInt32($0)) }
  }

  @Test(arguments: [[], [7], Array(1...16)] as [[UInt32]])
  func `a name says all of its bell`(_ tags: [UInt32]) throws {
    let bell = Bell(owner: ana, count: .max, tags: rung(tags))
    #expect(Bell(bell.key) == bell)
    #expect(ObjectKey(bell.key.description) == bell.key)
  }

  @Test func `a name has room for the newest tags, the bytes for more`() {
    let many = rung(Array(1...100))
    #expect(Bell(owner: ana, count: 1, tags: many).tags == Array(many.prefix(16)))
    #expect(Bell.tags(in: Bell.bytes(of: many)) == many)
    #expect(Bell.bytes(of: rung(Array(0..<5_000))).count == 8_000)
    #expect(Bell.tags(in: [1, 2, 3]) == [])
    #expect(Bell.tags(in: [0, 0, 1, 2, 0, 0, 0, 3]) == [Bell.Rung(tag: 258, age: 3)])
    let old = Bell(owner: ana, count: 1, tags: [Bell.Rung(tag: 1, age: 1 << 20)])
    #expect(old.tags == [Bell.Rung(tag: 1, age: 0xFFFF)] && Bell(old.key) == old)
  }

  @Test(arguments: [
    "bells/x", "bell/-", "bells/%-0000000000000001-", "bells/%-0000000000000001-00000000000",
    "bells/%-000000000000001", "bells/%-000000000000000g",
    "bells/%-0000000000000001-000000010000-1",
    "bells/x/%-0000000000000001", "bells/%0-0000000000000001", "%-0000000000000001",
  ])
  func `another name is no bell`(_ text: String) throws {
    let name = text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: ana)
    #expect(Bell(try key(name)) == nil)
  }

  @Test func `a name with more tags than fit is no bell`() throws {
    let tags = String(repeating: "000000010000", count: 17)
    #expect(Bell(try key("bells/\(ana)-0000000000000001-\(tags)")) == nil)
  }

  // MARK: The book

  @Test func `the first look tells nothing, and one's own bell never`() {
    var book = BellBook()
    #expect(book.read([bell(ana, 1, 5).key, bell(bob, 9, 6).key], own: ana) == .init())
    #expect(book.hasOthers)
    #expect(book.read([bell(ana, 2, 7).key, bell(bob, 9, 6).key], own: ana) == .init())
    #expect(book.read([bell(ana, 3, 7).key], own: ana) == .init())
    #expect(!book.hasOthers)
  }

  @Test func `what was rung since is told, and nothing that was told before`() {
    var book = BellBook()
    _ = book.read([bell(bob, 3, 1, 2, 3).key], own: ana)
    let second = bell(bob, 5, 5, 4, 1, 2, 3).key
    let news = book.read([second], own: ana)
    #expect(news == .init(tags: [5, 4]))
    // Both exist for a moment; and a device without a bell rings for the first time.
    #expect(book.read([second, bell(bob, 6, 9, 5).key], own: nil).tags == [9])
    let other = String(repeating: "c", count: 32)
    #expect(book.read([bell(bob, 6, 9, 5).key, bell(other, 1, 8).key], own: nil).tags == [8])
  }

  @Test func `one that rang more often than its name can tell has to be read`() {
    var book = BellBook()
    _ = book.read([bell(bob, 3, 1).key], own: ana)
    let long = Bell(owner: bob, count: 20, tags: rung(Array(1...30)))
    let longer = BellBook.Longer(bell: long, age: 17)
    #expect(book.read([long.key], own: ana) == .init(tags: Set(1...16), longer: [longer]))
  }

  @Test func `one that rang the same again and again says so in its name`() {
    var book = BellBook()
    var rope = BellRope(owner: bob)
    for tag: UInt32 in 1...20 { rope.pull(tag) }
    _ = book.read([rope.ring(now: 0).bell.key], own: ana)
    var last = rope.ring(now: 0)
    for _ in 0..<100 {
      rope.pull(5)
      last = rope.ring(now: 0)
    }
    #expect(book.read([last.bell.key], own: ana) == .init(tags: [5]))
  }

  @Test func `a forged name with a high number silences nobody`() {
    var book = BellBook()
    let forged = bell(bob, .max, 99).key
    _ = book.read([bell(bob, 3, 1).key], own: ana)
    _ = book.read([bell(bob, 3, 1).key, forged], own: ana)
    #expect(book.read([bell(bob, 4, 2, 1).key, forged], own: ana) == .init(tags: [2]))
  }

  @Test func `of a flood of names only so many are taken in`() {
    var book = BellBook()
    _ = book.read([], own: ana)
    let flood = (0..<UInt64(BellBook.most + 500)).map { bell(bob, $0 + 1, UInt32($0) + 1).key }
    #expect(book.read(flood, own: ana).tags.count == BellBook.most)
  }

  // MARK: The rope

  @Test func `what is written rings at once, and in a flood once a second, each tag once`() throws {
    var rope = BellRope(owner: ana)
    #expect(rope.due == nil && !rope.hasNews)
    rope.pull(1)
    #expect(try #require(rope.due) <= 0 && rope.hasNews)
    let first = rope.ring(now: 0)
    #expect(first.bell == bell(ana, 1, 1) && first.old.isEmpty)
    rope.hung(first)
    #expect(rope.due == nil && !rope.hasNews)
    for _ in 1..<BellRope.burst {
      rope.pull(1)
      #expect(rope.due == 0)
      rope.hung(rope.ring(now: 0))
    }
    for tag: UInt32 in [2, 3, 2] { rope.pull(tag) }
    #expect(rope.due == BellRope.pause)
    let late = rope.ring(now: BellRope.pause)
    #expect(late.bell == bell(ana, UInt64(BellRope.burst) + 2, 2, 3, 1) && late.old.count == 1)
    #expect(late.bytes == Bell.bytes(of: late.bell.tags))
    rope.pull(4)
    #expect(rope.due == 2 * BellRope.pause)
    // After a pause there may be as many again.
    let later = 100 * BellRope.pause
    for _ in 0..<BellRope.burst {
      rope.pull(5)
      #expect(try #require(rope.due) <= later)
      _ = rope.ring(now: later)
    }
    rope.pull(5)
    #expect(rope.due == later + BellRope.pause)
  }

  @Test func `a ring that failed is rung again with what came meanwhile`() {
    var rope = BellRope(owner: ana)
    rope.pull(1)
    let lost = rope.ring(now: 0)
    rope.failed(lost, again: 50)
    rope.pull(2)
    #expect(rope.due == 50)
    let again = rope.ring(now: 50)
    // The lost one may hang there all the same.
    #expect(again.bell == bell(ana, 3, 2, 1) && again.old == [lost.bell])
    rope.announce()
    let presence = rope.ring(now: 60)
    rope.failed(presence, again: 70)
    #expect(rope.due == 70)
  }

  @Test func `a later run goes on where the last one ended`() {
    var rope = BellRope(owner: ana)
    rope.announce()
    rope.takeOver([bell(ana, 7, 1).key, bell(bob, 90, 1).key, bell(ana, .max, 1).key])
    #expect(rope.due == nil)
    rope.pull(4)
    let ring = rope.ring(now: 0)
    #expect(ring.bell == bell(ana, 8, 4))
    #expect(Set(ring.old) == [bell(ana, 7, 1), bell(ana, .max, 1)])
  }
}
