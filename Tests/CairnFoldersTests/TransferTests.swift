import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnFolders
@testable import CairnIdentity
@testable import CairnReplica

/// Files on their way keep nothing else back, in either direction.
@Suite struct TransferTests {
  private let transfers = SteppedTransfers()
  private let world: HostileWorld
  private static let large = 9 << 20

  init() throws { world = try HostileWorld(executor: transfers) }

  private func write(_ name: String, _ bytes: Data) throws {
    try bytes.write(to: URL(filePath: "\(world.folder)/\(name)"))
    world.hint(name)
  }

  private func staged() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: world.folder + "/.cairn/staging")
  }

  private func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(world.folder)/\(name)")
  }

  /// Mallory adds a large file, or gives a file other bytes.
  private func sendLarge(_ byte: UInt8, to known: RecordID? = nil) throws -> RecordID {
    var rest = Self.large
    let content = try world.mallory.ingest { room in
      let count = min(room.count, rest)
      room.prefix(count).initializeMemory(as: UInt8.self, repeating: byte)
      rest -= count
      return count
    }
    var change = try HostileWorld.file("theirs", world.mallory, "")
    change.content = content
    if let known {
      change = RecordChange(
        id: known, act: .update, content: content,
        attributes: Attributes(isExecutable: false, modified: Int64(byte)))
    }
    try world.mallory.save([change], bringing: [])
    return change.id
  }

  @Test func `small files pass a large one that is being sent`() throws {
    try world.settle()
    try write("large", Data(repeating: 1, count: Self.large))
    try write("small", Data("small".utf8))
    try world.settle()
    #expect(transfers.sizes == [5, UInt64(Self.large)])
    #expect(try world.waiting()["large"] == "waits for other files to be transferred")
    transfers.step()
    try world.settle()
    #expect(try world.zoneNames() == ["small"])
    // Changes of the zone come, others go, and what the person does with known files goes.
    try world.play([try HostileWorld.directory("theirs")])
    #expect(exists("theirs"))
    #expect(rename("\(world.folder)/small", "\(world.folder)/renamed") == 0)
    world.hint("small")
    world.hint("renamed")
    try write("later", Data("later".utf8))
    try world.settle()
    transfers.step()
    try world.settle()
    #expect(try world.zoneNames() == ["renamed", "theirs", "later"])
    #expect(transfers.sizes == [UInt64(Self.large)], "it is handed out once")
    transfers.step()
    try world.settle()
    #expect(try world.zoneNames() == ["renamed", "theirs", "later", "large"])
    #expect(world.pending == 0)
  }

  @Test func `more small files than may be on their way at once are sent in turn`() throws {
    try world.settle()
    let count = Transfers.limit + 100
    for number in 0..<count { try write("\(number)", Data([1])) }
    try world.settle()
    while transfers.step() { try world.settle() }
    #expect(try world.zoneNames().count == count)
    #expect(world.pending == 0)
  }

  @Test func `transfers are listed, and one of them is moved to the front`() throws {
    try world.settle()
    let id = try sendLarge(1)
    try write("mine", Data(Crypto.random(Self.large)))
    #expect(mkdir("\(world.folder)/d", 0o777) == 0)
    try write("d/small", Data("small".utf8))
    world.hint("d")
    try world.settle()
    let listed = try world.transfers()
    #expect(listed.map(\.name) == ["d/small", "mine", "theirs"])
    #expect(listed.map(\.way) == [.upload, .upload, .download])
    #expect(listed.map(\.size) == [5, Int64(Self.large), Int64(Self.large)])
    #expect(listed.allSatisfy { $0.done == 0 && $0.reason?.contains("waits for other") == true })
    #expect(try world.hurry("theirs") == 1 && transfers.first == [id])
    #expect(try world.hurry("d") == 1 && transfers.first.count == 2)
    #expect(try world.hurry("nothing") == 0)
    // One of them is interrupted, and continues.
    world.store.fill(afterStoring: 8 << 20)
    while transfers.step() {}
    try world.settle()
    world.store.fill(false)
    try world.wait()
    try settleAll()
    #expect(try world.transfers().isEmpty && world.pending == 0)
  }

  @Test(arguments: [false, true])
  func `a file whose last pack is refused is listed until it is stored`(isChanged: Bool) throws {
    try world.settle()
    if isChanged {
      try write("mine", Data("earlier".utf8))
      try settleAll()
    }
    try write("mine", Data(Crypto.random(Self.large)))
    try world.settle()
    world.store.fill(afterStoring: 8 << 20)
    while transfers.step() {}
    try world.settle()
    let listed = try world.transfers()
    #expect(listed.map(\.name) == ["mine"] && listed.map(\.way) == [.upload])
    #expect(listed.allSatisfy { $0.done > 7 << 20 && $0.done < $0.size && $0.reason != nil })
    world.store.fill(false)
    try world.wait()
    try settleAll()
    #expect(try world.transfers().isEmpty && world.pending == 0)
  }

  @Test func `what was read and waits for its commit is not transferred`() throws {
    try write("mine", Data("earlier".utf8))
    try settleAll()
    world.store.fill(true, part: "/log/")
    try write("mine", Data("later".utf8))
    try settleAll()
    #expect(try world.transfers().isEmpty && world.pending == 1)
  }

  @Test func `small files pass a large one that is being received`() throws {
    try world.settle()
    let id = try sendLarge(1)
    let small = try HostileWorld.file("small", world.mallory, "text")
    try world.mallory.save([small], bringing: [])
    try world.settle()
    #expect(transfers.sizes == [4, UInt64(Self.large)])
    transfers.step()
    try world.settle()
    #expect(exists("small") && !exists("theirs"))
    try write("mine", Data("mine".utf8))
    try world.settle()
    transfers.step()
    try world.settle()
    #expect(try world.zoneNames().contains("mine"))
    // The zone has other bytes by now: nobody sees the ones that were on their way.
    _ = try sendLarge(2, to: id)
    try world.settle()
    transfers.step()
    try world.settle()
    #expect(!exists("theirs"))
    #expect(transfers.sizes == [UInt64(Self.large)])
    transfers.step()
    try world.settle()
    let bytes = try Data(contentsOf: URL(filePath: "\(world.folder)/theirs"))
    #expect(bytes.count == Self.large && bytes.allSatisfy { $0 == 2 })
    #expect(try staged().isEmpty && world.pending == 0)
  }

  @Test func `a fetched file waits beside the sending of what the person writes meanwhile`() throws
  {
    try world.settle()
    let id = try sendLarge(1)
    try settleAll()
    let file = open("\(world.folder)/theirs", O_WRONLY)
    try #require(file >= 0)
    _ = try sendLarge(2, to: id)
    try settleAll()
    #expect(try staged().count == 1 && world.state.transfers.staged[id] != nil)
    #expect(pwrite(file, "mine", 4, 0) == 4)
    world.hint("theirs")
    world.advance(milliseconds: 60_000)
    try world.settle()
    #expect(world.state.transfers.has(id), "the edit is on its way")
    close(file)
    world.hint("theirs")
    try settleAll()
    try world.wait()
    try settleAll()
    let files = try FileManager.default.contentsOfDirectory(atPath: world.folder)
      .filter { $0.hasPrefix("theirs") }
      .map { try Data(contentsOf: URL(filePath: "\(world.folder)/\($0)")).prefix(5) }
    #expect(Set(files) == [Data([2, 2, 2, 2, 2]), Data("mine".utf8) + [1]])
    #expect(try staged().isEmpty && world.pending == 0)
  }

  @Test func `a permission changes what a complete file looks like, and nothing is fetched again`()
    throws
  {
    try world.settle()
    _ = try sendLarge(1)
    try world.settle()
    transfers.step()
    try world.setBob(.readOnly)
    try world.settle()
    #expect(transfers.sizes.isEmpty && exists("theirs"))
    var status = stat()
    try #require(lstat("\(world.folder)/theirs", &status) == 0)
    #expect(status.st_mode & 0o222 == 0)
  }

  @Test func `who is removed meanwhile is shown out at once, and nothing of it stays`() throws {
    try world.settle()
    _ = try sendLarge(1)
    try write("mine", Data(repeating: 1, count: Self.large))
    try world.settle()
    #expect(transfers.sizes == [UInt64(Self.large), UInt64(Self.large)])
    try world.removeBob()
    world.hintZone()
    var turn = MountEngine.Turn.more
    while turn == .more { turn = try world.turn() }
    #expect(turn == .ended(.removed))
    let packs = try world.packs()
    while transfers.step() {}
    #expect(try staged().isEmpty && world.packs() == packs)
  }

  @Test func `a file that changes or goes while it waits is read as it is then`() throws {
    try world.settle()
    try write("edited", Data(repeating: 1, count: Self.large))
    try write("deleted", Data(repeating: 2, count: Self.large))
    try world.settle()
    try write("edited", Data("short".utf8))
    #expect(unlink("\(world.folder)/deleted") == 0)
    world.hint("deleted")
    try world.settle()
    while transfers.step() { try world.settle() }
    try world.wait()
    while transfers.step() { try world.settle() }
    #expect(try world.zoneNames() == ["edited"] && world.pending == 0)
    #expect(try world.zoneText("edited") == "short")
  }

  @Test func `a container that takes nothing is asked again, and other transfers end with it`()
    throws
  {
    try world.settle()
    for number in 1...2 { try write("large\(number)", Data(repeating: 1, count: Self.large)) }
    try world.settle()
    world.store.fill(true)
    while transfers.step() { try world.settle() }
    #expect(world.refusal?.code == .quotaExceeded)
    world.store.fill(false)
    try world.wait()
    while transfers.step() { try world.settle() }
    #expect(try world.zoneNames() == ["large1", "large2"] && world.refusal == nil)
  }

  /// What Bob has after Mallory changed a byte of a large file, and the bytes that he fetched.
  private func receiveChange() throws -> (isRight: Bool, fetched: Int) {
    try world.settle()
    var bytes = Crypto.random(Self.large)
    func content() throws -> Content {
      var rest = bytes[...]
      return try world.mallory.ingest { room in
        let count = min(room.count, rest.count)
        room.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        return count
      }
    }
    var file = try HostileWorld.file("theirs", world.mallory, "")
    file.content = try content()
    try world.mallory.save([file], bringing: [])
    try settleAll()
    let before = world.store.readOfPacks
    bytes[Self.large / 2] ^= 1
    let change = RecordChange(
      id: file.id, act: .update, content: try content(),
      attributes: Attributes(isExecutable: false, modified: 5))
    try world.mallory.save([change], bringing: [])
    try settleAll()
    let found = try Data(contentsOf: URL(filePath: "\(world.folder)/theirs"))
    return (Array(found) == bytes, world.store.readOfPacks - before)
  }

  private func settleAll() throws {
    try world.settle()
    while transfers.step() { try world.settle() }
  }

  @Test func `of a changed file only the changed chunks are fetched`() throws {
    let (isRight, fetched) = try receiveChange()
    #expect(isRight && fetched > 0 && fetched <= 3 << 20, "\(fetched) bytes")
  }

  /// Mallory adds a large file that can't be compressed.
  private func sendRandom() throws -> (id: RecordID, bytes: [UInt8]) {
    let bytes = Crypto.random(Self.large)
    var file = try HostileWorld.file("theirs", world.mallory, "")
    var rest = bytes[...]
    file.content = try world.mallory.ingest { room in
      let count = min(room.count, rest.count)
      room.copyBytes(from: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
    try world.mallory.save([file], bringing: [])
    return (file.id, bytes)
  }

  /// The ways in which a transfer is interrupted.
  enum Stop: CaseIterable { case error, restart, damage }

  @Test(arguments: Stop.allCases)
  func `a large file continues where it was interrupted`(stop: Stop) throws {
    try world.settle()
    let (_, bytes) = try sendRandom()
    try world.settle()
    world.store.leave(afterReading: 6 << 20)
    transfers.step()
    #expect(throws: CloudError.self) { try world.settle() }
    let names = try staged()
    #expect(names.count == 1)
    switch stop {
    case .error:
      // The transfer's own error is told when the container is back.
      world.store.leave(false)
      #expect(throws: CloudError.self) { try world.settle() }
    case .restart: try world.restart()
    case .damage:
      let part = try #require(names.first)
      let path = URL(filePath: "\(world.folder)/.cairn/staging/\(part)")
      let handle = try FileHandle(forWritingTo: path)
      try handle.seek(toOffset: 100)
      try handle.write(contentsOf: Data(repeating: 0, count: 70_000))
      try handle.close()
      try world.restart()
    }
    world.store.leave(false)
    try settleAll()
    try world.wait()
    try settleAll()
    let found = try Data(contentsOf: URL(filePath: "\(world.folder)/theirs"))
    #expect(Array(found) == bytes)
    let twice = world.store.readOfPacks - Self.large
    #expect(twice < 3 << 20, "\(twice) bytes were fetched twice")
    #expect(try staged().isEmpty)
  }

  @Test func `what is there in part of a version that nobody needs is removed`() throws {
    try world.settle()
    let (id, _) = try sendRandom()
    try world.settle()
    world.store.leave(afterReading: 2 << 20)
    transfers.step()
    #expect(throws: CloudError.self) { try world.settle() }
    world.store.leave(false)
    #expect(throws: CloudError.self) { try world.settle() }
    #expect(try staged().count == 1)
    try world.mallory.save([RecordChange(id: id, act: .delete)], bringing: [])
    try world.wait()
    try settleAll()
    #expect(try !exists("theirs") && staged().isEmpty && world.pending == 0)
  }
}
