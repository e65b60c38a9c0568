import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnFolders
@testable import CairnIdentity
@testable import CairnReplica

/// A container that accepts no objects delays only the changes that need it.
@Suite struct FullContainerTests {
  private let world: HostileWorld

  init() throws { world = try HostileWorld() }

  private func write(_ name: String, _ bytes: Data) throws {
    try bytes.write(to: URL(filePath: "\(world.folder)/\(name)"))
  }

  private func inZone(_ name: String) throws -> Bool {
    try world.mallory.pull()
    let name = try #require(FileName(name))
    return try world.mallory.read { try $0.child(of: .root, named: name) != nil }
  }

  @Test func `others' changes arrive, and waiting changes go when there is room again`() throws {
    try write("small", Data("six by".utf8))
    world.store.fill(true)
    try world.lookAgain()
    #expect(world.refusal?.code == .quotaExceeded)
    let hers = try HostileWorld.file("hers", world.mallory, "her text")
    world.store.fill(false)
    try world.mallory.save([hers], bringing: [])
    world.store.fill(true)
    try world.settle()
    #expect(try world.tree()["hers"] == "her text")
    #expect(try !inZone("small"))
    world.store.fill(false)
    try world.wait()
    #expect(try inZone("small"))
    #expect(world.refusal == nil)
  }

  @Test func `every announced sending has an end, with any result`() throws {
    /// Returns the number of attempts, if each ended in that way.
    func times(_ end: String) -> Int? {
      let told = world.happenings().compactMap { happening in
        switch happening {
        case .sending: "begin"
        case .sent: "sent"
        case .notSent: "not sent"
        default: String?.none
        }
      }
      let count = told.count / 2
      return told == Array(repeating: ["begin", end], count: count).flatMap { $0 } ? count : nil
    }
    try write("first", Data("text".utf8))
    world.store.fill(true)
    try world.lookAgain()
    #expect(try #require(times("not sent")) >= 1)
    world.store.fill(false)
    try world.wait()
    #expect(times("sent") == 1)
    // The answer is lost, and another person's entry may have the position.
    world.store.leave(atPutOf: "/log/", storing: false)
    try write("second", Data("text".utf8))
    world.hint("second")
    #expect(throws: CloudError.self) { try world.settle() }
    #expect(try #require(times("not sent")) >= 1)
    world.store.leave(false)
    try world.wait()
    #expect(times("sent") == 1)
  }

  @Test func `changes while the container is away are counted, and sent when it is back`()
    throws
  {
    try write("known", Data("old".utf8))
    try world.lookAgain()
    world.store.leave(true)
    // An old look is repeated before anything is put.
    try world.bob.exclusively { $0.looks.forgetEnd() }
    // The first change is about to be sent when the container goes away.
    try write("known", Data("edited".utf8))
    world.hint("known")
    #expect(throws: CloudError.self) {
      while case .more = try world.turn() {}
    }
    for number in 1...7 { try write("new \(number)", Data("text".utf8)) }
    for number in 1...7 { world.hint("new \(number)") }
    #expect(throws: CloudError.self) { try world.settle() }
    #expect(world.pending == 8)
    world.store.leave(false)
    try world.settle()
    #expect(world.pending == 0)
    #expect(try (1...7).allSatisfy { try inZone("new \($0)") })
    #expect(try world.waiting().isEmpty)
  }

  @Test(arguments: [true, false])
  func `changes after an entry with an unknown result are counted, too`(
    isStored: Bool
  ) throws {
    for name in ["known", "moved", "deleted", "same"] { try write(name, Data("old".utf8)) }
    try world.lookAgain()
    world.store.leave(atPutOf: "/log/", storing: isStored)
    try write("known", Data("edited".utf8))
    world.hint("known")
    #expect(throws: CloudError.self) { try world.settle() }
    #expect(world.pending == 1)
    // Only its bytes differ: the same record again, and no second one.
    try write("known", Data("edited again".utf8))
    for number in 1...7 { try write("new \(number)", Data("text".utf8)) }
    try write(".new.swp", Data("an editor's".utf8))
    #expect(rename("\(world.folder)/moved", "\(world.folder)/elsewhere") == 0)
    #expect(unlink("\(world.folder)/deleted") == 0)
    let names = ["known", "same", ".new.swp", "moved", "elsewhere", "deleted", "never there"]
    for name in names + (1...7).map({ "new \($0)" }) { world.hint(name) }
    for _ in 1...2 {
      #expect(throws: CloudError.self) { try world.settle() }
      #expect(world.pending == 10, "an edit, seven files, one renamed, one deleted")
    }
    world.store.leave(false)
    try world.settle()
    // A missing file is looked for everywhere before it counts as deleted.
    try world.wait()
    #expect(world.pending == 0)
    #expect(try (1...7).allSatisfy { try inZone("new \($0)") })
    #expect(try inZone("elsewhere") && !inZone("moved") && !inZone("deleted"))
    #expect(try world.tree()["known"] == "edited again")
    #expect(try world.tree().keys.allSatisfy { !$0.contains("conflict") })
  }

  /// A stranger's folder may stand where this person's packs go, or something that is no folder.
  @Test(arguments: [StoreError.Code.denied, .corrupt, .unsupported])
  func `a pack that can't be stored doesn't hold back what needs none`(
    code: StoreError.Code
  ) throws {
    try write("old", Data("text".utf8))
    try world.lookAgain()
    world.store.fill(true, as: code, part: "/packs/")
    var noise = SystemRandomNumberGenerator()
    try write("large", Data((0..<200_000).map { _ in UInt8.random(in: 0...255, using: &noise) }))
    for number in 1...20 {
      let bytes = (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &noise) }
      try write("small \(number)", Data(bytes))
    }
    #expect(rename("\(world.folder)/old", "\(world.folder)/renamed") == 0)
    world.hintEverything()
    try world.settle()
    for _ in 0..<20 { try world.wait() }
    #expect(try inZone("renamed") && !inZone("old"))
    #expect(try (1...20).allSatisfy { try inZone("small \($0)") })
    #expect(try !inZone("large"))
    #expect(try world.waiting().keys.sorted() == ["large"])
    #expect(world.refusal != nil)
    world.store.fill(false)
    for _ in 0..<4 { try world.wait() }
    #expect(try inZone("large"))
    #expect(world.refusal == nil && world.pending == 0)
  }

  @Test(arguments: [true, false])
  func `a folder is scanned while a commit has no answer, and changes are sent later`(
    isStored: Bool
  ) throws {
    for name in ["known", "moved", "deleted"] { try write(name, Data("old".utf8)) }
    try world.lookAgain()
    world.store.leave(atPutOf: "/log/", storing: isStored)
    for name in ["known", "new", "short"] { try write(name, Data("edited".utf8)) }
    world.hintEverything()
    #expect(throws: CloudError.self) { try world.settle() }
    // Nobody names these changes: the whole folder is scanned.
    try write("known", Data("edited again".utf8))
    try write("new", Data("edited again, too".utf8))
    #expect(unlink("\(world.folder)/short") == 0)
    #expect(rename("\(world.folder)/moved", "\(world.folder)/elsewhere") == 0)
    for number in 1...7 { try write("other \(number)", Data("text".utf8)) }
    world.hintEverything()
    #expect(throws: CloudError.self) { try world.settle() }
    #expect(world.pending >= 10, "two edits, seven files, one renamed")
    #expect(try world.waiting().keys.contains("other 7"))
    world.store.leave(false)
    try world.settle()
    try world.wait()
    #expect(world.pending == 0)
    #expect(try (1...7).allSatisfy { try inZone("other \($0)") })
    #expect(try inZone("elsewhere") && !inZone("moved") && !inZone("short"))
    #expect(try world.zoneText("known") == "edited again")
    #expect(try world.zoneText("new") == "edited again, too")
    #expect(try world.tree().keys.allSatisfy { !$0.contains("conflict") })
    #expect(try world.tree().count == 11)
  }

  @Test(arguments: [StoreError.Code.denied, .full])
  func `changes that couldn't be written are sent within a minute`(
    code: StoreError.Code
  ) throws {
    for name in ["edited", "renamed", "deleted"] { try write(name, Data("old".utf8)) }
    try world.lookAgain()
    world.store.fill(true, as: code)
    try write("edited", Data("edited".utf8))
    try write("new", Data("new".utf8))
    #expect(rename("\(world.folder)/renamed", "\(world.folder)/elsewhere") == 0)
    #expect(unlink("\(world.folder)/deleted") == 0)
    for _ in 0..<5 { try world.lookAgain() }
    #expect(try world.refusal != nil && inZone("deleted") && !inZone("new"))
    world.store.fill(false)
    try world.wait()
    #expect(try inZone("new") && inZone("elsewhere") && inZone("edited"))
    #expect(try !inZone("deleted") && !inZone("renamed"))
    #expect(world.pending == 0 && world.refusal == nil)
  }

  @Test func `a file that doesn't fit delays nothing once it is gone`() throws {
    // The file is larger than a pack, so one pack is stored before the commit.
    try write("huge", Data((0..<(9 << 20)).map { _ in UInt8.random(in: 0...255) }))
    world.store.fill(true)
    try world.lookAgain()
    #expect(world.refusal != nil)
    #expect(unlink("\(world.folder)/huge") == 0)
    try world.lookAgain()
    #expect(world.refusal == nil, "nothing is to be sent any more")
    world.store.fill(false)
    try write("small", Data("six by".utf8))
    try world.lookAgain()
    #expect(try inZone("small") && !inZone("huge"))
  }
}
