import CairnZone
import Foundation
import Synchronization
import Testing

@testable import CairnFolders
@testable import CairnIdentity

/// An engine's reports of its present work.
@Suite struct WorkTests {
  private let world: HostileWorld

  init() throws { world = try HostileWorld() }

  private func write(_ name: String, _ bytes: Data) throws {
    try bytes.write(to: URL(filePath: "\(world.folder)/\(name)"))
  }

  private static func noise(_ count: Int) -> Data {
    Data(Crypto.random(count))
  }

  /// Returns everything that the engine reports while the body runs.
  private func told(_ body: () throws -> Void) rethrows -> [Work] {
    let told = Mutex<[Work]>([])
    world.board.onChange { [board = world.board] in
      let work = board.work
      told.withLock { $0.append(work) }
    }
    try body()
    world.board.onChange {}
    return told.withLock { $0 }
  }

  @Test func `a listener's call depth doesn't grow with the number of changes`() {
    let board = WorkBoard()
    let depths = Mutex<[Int]>([])
    board.onChange {
      var here: UInt8 = 0
      // The depth of the stack at this call.
      let depth = withUnsafePointer(to: &here) { Int(bitPattern: $0) }
      depths.withLock { $0.append(depth) }
    }
    for _ in 1...1_000 { board.received(1) }
    let found = depths.withLock { $0 }
    #expect(found.count == 1_000)
    #expect(Set(found).count == 1, "\((found.first ?? 0) - (found.last ?? 0)) bytes deeper")
  }

  @Test func `sent bytes are counted as they go, with the total from the first one on`() throws {
    try write("large", Self.noise(9 << 20))
    for name in ["one", "two"] { try write(name, Data("text".utf8)) }
    let told = try told { try world.lookAgain() }
    #expect(told.contains { $0.looked == 3 })
    let sending = told.filter { $0.sending.bytes.total > 0 }.map(\.sending)
    let all: Int64 = 9_437_192
    #expect(sending.allSatisfy { $0.bytes.total == all }, "\(sending)")
    #expect(Set(sending.map(\.names.total)) == [3])
    let done = sending.map(\.bytes.done)
    #expect(done == done.sorted() && done.last == all)
    #expect(Set(done).count > 2, "a large file is more than one step")
    #expect(world.board.work == Work())
  }

  @Test func `bytes count as sent once the container has them`() throws {
    try write("large", Self.noise(20 << 20))
    let ahead = Mutex<[Int64]>([])
    world.board.onChange { [board = world.board, store = world.store] in
      let (done, stored) = (board.work.sending.bytes.done, Int64(store.storedOfPacks))
      if done > stored { ahead.withLock { $0.append(done - stored) } }
    }
    try world.lookAgain()
    world.board.onChange {}
    #expect(ahead.withLock { $0 } == [])
    #expect(world.store.storedOfPacks >= 20 << 20)
  }

  @Test func `an interrupted upload keeps its progress, and its total doesn't move`() throws {
    let size = 20 << 20
    try write("large", Self.noise(size))
    world.store.fill(afterStoring: 8 << 20)
    let told = try told {
      try world.lookAgain()
      #expect(world.board.work.sending.bytes.done >= 7 << 20)
      #expect(world.refusal != nil)
      world.store.fill(false)
      try world.wait()
    }
    let bytes = told.map(\.sending.bytes).filter { $0.total > 0 }
    let done = bytes.map(\.done)
    #expect(done == done.sorted() && done.last == Int64(size))
    #expect(Set(bytes.map(\.total)) == [Int64(size)])
    #expect(world.store.storedOfPacks < size + 2 << 20, "nothing is stored twice")
    #expect(world.board.work == Work())
  }

  @Test func `a file that changes after an interruption is counted anew`() throws {
    try write("large", Self.noise(20 << 20))
    world.store.fill(afterStoring: 8 << 20)
    try world.lookAgain()
    #expect(world.board.work.sending.bytes.done >= 7 << 20)
    try write("large", Self.noise(10 << 20))
    world.hint("large")
    world.advance(milliseconds: 2_000)
    try world.settle()
    #expect(world.board.work.sending.bytes == Work.Amount(done: 0, pending: 10 << 20))
    world.store.fill(false)
    try world.wait()
    #expect(world.board.work == Work())
  }

  @Test func `an interrupted download keeps its progress, and its total doesn't move`() throws {
    let size = 12 << 20
    let text = String(decoding: Self.noise(size).map { $0 % 64 + 32 }, as: UTF8.self)
    let large = try HostileWorld.file("large", world.mallory, text)
    world.store.leave(afterReading: 6 << 20)
    let told = try told {
      #expect(throws: CloudError.self) { try world.play([large]) }
      #expect(world.board.work.receiving.bytes.done > 1 << 20)
      world.store.leave(false)
      try world.wait()
    }
    let bytes = told.map(\.receiving.bytes).filter { $0.total > 0 }
    let done = bytes.map(\.done)
    #expect(done == done.sorted() && done.last == Int64(size))
    #expect(Set(bytes.map(\.total)) == [Int64(size)])
    #expect(world.board.work == Work())
  }

  @Test func `deletions that wait for a confirmation are no work`() throws {
    for number in 0..<200 { try write("\(number)", Data("x".utf8)) }
    try world.lookAgain()
    for number in 0..<200 { #expect(unlink("\(world.folder)/\(number)") == 0) }
    try world.lookAgain()
    try #require(world.heldDeletions == 200)
    #expect(world.board.work == Work())
  }

  @Test func `a file that the container doesn't take has no part in the estimate`() throws {
    try write("large", Self.noise(9 << 20))
    world.store.fill(true)
    try world.lookAgain()
    let work = world.board.work
    #expect(work.waiting == Work.Waiting(names: 1, bytes: 9 << 20))
    world.store.fill(false)
    try world.wait()
    #expect(world.board.work == Work())
  }

  @Test func `received bytes are counted as they arrive`() throws {
    let text = String(decoding: Self.noise(3 << 20).map { $0 % 64 + 32 }, as: UTF8.self)
    let large = try HostileWorld.file("large", world.mallory, text)
    let told = try told { try world.play([large]) }
    let receiving = told.filter { $0.receiving.bytes.total > 0 }.map(\.receiving)
    #expect(Set(receiving.map(\.bytes.total)) == [3 << 20])
    let done = receiving.map(\.bytes.done)
    #expect(done == done.sorted() && done.last == 3 << 20 && Set(done).count > 3)
    #expect(world.board.work == Work())
  }

  @Test func `bytes that were read in vain are to be read again`() throws {
    try write("huge", Self.noise(9 << 20))
    world.store.fill(true)
    try world.lookAgain()
    let bytes = world.board.work.sending.bytes
    #expect(bytes.done == 0 && bytes.pending == 9 << 20)
    world.store.fill(false)
    try world.wait()
    #expect(world.board.work == Work())
  }

  @Test func `ignored names are counted by rule, each once`() throws {
    func ignored() -> [String] {
      world.ignored.map { rule in
        let file = rule.file.map { String(decoding: $0, as: UTF8.self) } ?? "-"
        return "\(String(decoding: rule.pattern, as: UTF8.self)) \(file) \(rule.count)"
      }
    }
    try write(".cairnignore", Data("*.o\nbuild/\n".utf8))
    for folder in ["build", "sub"] {
      try FileManager.default.createDirectory(
        atPath: "\(world.folder)/\(folder)", withIntermediateDirectories: false)
    }
    try write("sub/.cairnignore", Data("*.tmp\n".utf8))
    let names = ["a.o", "sub/b.o", "build/c", "build/d.o", "sub/e.tmp", "f~", "kept"]
    for name in names { try write(name, Data("x".utf8)) }
    let all = ["*.o .cairnignore 2", "*.tmp sub/.cairnignore 1", "*~ - 1", "build/ .cairnignore 1"]
    for _ in 0..<2 {
      try world.lookAgain()
      #expect(ignored() == all)
    }
    // A notification for one name.
    #expect(unlink("\(world.folder)/sub/b.o") == 0)
    world.hint("sub/b.o")
    try world.settle()
    #expect(ignored().contains("*.o .cairnignore 1"))
    try world.restart()
    try world.settle()
    #expect(ignored().count == 4)
    // A directory's entries go with it, and a rule goes with its file.
    try FileManager.default.removeItem(atPath: "\(world.folder)/sub")
    try write(".cairnignore", Data("*.o\n".utf8))
    try world.lookAgain()
    #expect(ignored() == ["*.o .cairnignore 2", "*~ - 1"])
  }
}
