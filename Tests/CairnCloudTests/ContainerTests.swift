import CairnCloud
import Foundation
import Glibc
import Testing

/// Opening, homes, zones by name, shares and files.
@Suite struct ContainerTests {
  @Test func `a home is found again, also beside another container of the process`() async throws {
    let cloud = try Cloud()
    let container = try await cloud.open("ana", home: "ana")
    let zone = try await container.privateDatabase.zone(named: "Books")
    let again = try await cloud.open("someone", home: "ana")
    #expect(again.me == container.me)
    let same = try await again.privateDatabase.zone(named: "Books")
    #expect(same.id == zone.id)
    for zone in [zone, same, zone] { _ = try await zone.modify(saving: [CloudRecord("Book")]) }
    for zone in [zone, same] { #expect(try await zone.changes().changed.count == 3) }
  }

  @Test func `a home of another process is refused at once`() async throws {
    let cloud = try Cloud()
    let index = cloud.folder + "/ana/index"
    try FileManager.default.createDirectory(atPath: index, withIntermediateDirectories: true)
    let (process, input, output) = (Process(), Pipe(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/flock")
    process.arguments = ["--no-fork", "--nonblock", index + "/lock", "cat"]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: [1])
    #expect(try output.fileHandleForReading.read(upToCount: 1) == Data([1]))
    let error = await #expect(throws: CloudError.self) {
      try await cloud.open("ana", home: "ana")
    }
    #expect(error?.code == .homeInUse && error?.remedy == .endOtherProgram)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    _ = try await cloud.open("ana", home: "ana")
  }

  @Test func `devices that create a zone by name at once create one`() async throws {
    let cloud = try Cloud()
    do { _ = try await cloud.open("ana", home: "0") }
    for number in 1..<3 {
      try FileManager.default.copyItem(
        atPath: cloud.folder + "/0", toPath: cloud.folder + "/\(number)")
    }
    let devices = try await withThrowingTaskGroup(of: CloudContainer.self) { group in
      for number in 0..<3 { group.addTask { try await cloud.open("ana", home: "\(number)") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let zones = try await withThrowingTaskGroup(of: CloudZone.self) { group in
      for device in devices {
        group.addTask { try await device.privateDatabase.zone(named: "Books") }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(zones.map(\.id)).count == 1)
    for (number, zone) in zones.enumerated() {
      var record = CloudRecord("Book")
      record["by"] = .integer(Int64(number))
      _ = try await zone.modify(saving: [record])
    }
    for device in devices {
      let all = try await device.privateDatabase.zones()
      #expect(all.map(\.name) == ["Books"])
      #expect(try await all[0].changes().changed.count == 3)
    }
    let other = try await devices[0].privateDatabase.zone(named: "books")
    #expect(other.id != zones[0].id)
  }

  @Test func `a share is given, changed and taken back`() async throws {
    let cloud = try Cloud()
    let (ana, bob) = (try await cloud.open("ana"), try await cloud.open("bob"))
    let zone = try await ana.privateDatabase.zone(named: "Trip")
    #expect(try await zone.share() == nil)
    #expect(try await zone.share(title: "Our trip").owner == ana.me)
    let person = try #require(try await ana.person("bob"))
    #expect(try await ana.person("nobody") == nil && person == bob.me)
    let stranger = try #require(PersonID(String(repeating: "0", count: "\(person)".count)))
    for container in [ana, bob] {
      #expect(try await container.profile(of: bob.me)?.handle == "bob")
      #expect(try await container.profile(of: stranger) == nil)
    }
    let share = try await zone.invite([person], .readOnly)
    #expect(share.participants.map(\.hasAccepted) == [false])
    let invitation = try #require(try await bob.invitations().first)
    #expect(invitation.title == "Our trip" && invitation.inviter == ana.me)
    let theirs = try await bob.accept(invitation)
    #expect(try await bob.sharedDatabase.zones().map(\.id) == [zone.id])
    #expect(!theirs.canEdit)
    // Another invitation names no permission.
    #expect(try await zone.invite([person]).participants.map(\.permission) == [.readOnly])
    try await zone.setPermission(.readWrite, of: person)
    let now = try #require(try await theirs.share())
    #expect(now.participants.map(\.permission) == [.readWrite] && theirs.canEdit)
    try await zone.remove(person)
    let record = CloudRecord("Note")
    #expect(try await code { _ = try await theirs.modify(saving: [record]) } == .permissionFailure)
    #expect(try await zone.share()?.participants == [])
    #expect(
      try await code { _ = try await bob.sharedDatabase.zone(named: "mine") } == .badDatabase)
  }

  @Test func `records are shared, added to the share, and taken out of it`() async throws {
    let cloud = try Cloud()
    let (ana, bob) = (try await cloud.open("ana"), try await cloud.open("bob"))
    let library = try await ana.privateDatabase.zone(named: "Library")
    let asset = try await library.upload(try cloud.file("picture", [UInt8](0..<200)))
    let posts = [CloudRecord("Post"), CloudRecord("Post")]
    let pictures = posts.map { post in
      var picture = CloudRecord("Picture")
      picture["post"] = .reference(post.id)
      picture["file"] = .asset(asset)
      return picture
    }
    _ = try await library.modify(saving: posts + pictures)
    let share = try await library.share([posts[0].id], title: "Trip")
    _ = try await share.invite([bob.me], .readOnly)
    let theirs = try await bob.accept(try #require(try await bob.invitations().first))
    #expect(
      Set(try await theirs.changes().changed.map(\.id)) == [posts[0].id, pictures[0].id])
    try await library.move([posts[1].id], to: share)
    #expect(try await theirs.changes().changed.count == 4)
    #expect(try await library.changes().changed.isEmpty)
    try await share.move([posts[0].id], to: library)
    #expect(Set(try await library.changes().changed.map(\.id)) == [posts[0].id, pictures[0].id])
    let copy = cloud.folder + "/copy"
    let file = try #require(try await library.record(pictures[0].id)?["file"]?.file)
    try await library.download(file, to: copy)
    #expect(try Data(contentsOf: URL(filePath: copy)) == Data(0..<200))
    var next = try #require(try await library.record(posts[0].id))
    next["title"] = "again"
    _ = try await library.modify(saving: [next])
    #expect(try await library.history(of: next.id).map { $0["title"] } == ["again", nil])
    #expect(
      try await code { try await theirs.move([posts[1].id], to: library) }
        == .zoneNotFound)
    #expect(
      try await code { _ = try await theirs.share([posts[1].id], title: "x") }
        == .serverRejectedRequest)
  }

  @Test func `a file becomes an asset, and the asset a file`() async throws {
    let cloud = try Cloud()
    let (ana, bob) = try await cloud.shared()
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
    let path = try cloud.file("picture", bytes)
    let asset = try await ana.upload(path)
    #expect(asset.size == 3_000_000)
    var photo = CloudRecord("Photo")
    photo["picture"] = .asset(asset)
    _ = try await ana.modify(saving: [photo])
    let found = try #require(try await bob.record(photo.id)?["picture"]?.file)
    let copy = cloud.folder + "/copy"
    try await bob.download(found, to: copy)
    #expect(try Data(contentsOf: URL(filePath: copy)) == Data(bytes))
    #expect(
      try await code { _ = try await ana.upload(cloud.folder + "/none") } == .assetFileNotFound)
  }

  @Test func `a cancelled transfer ends at once, and leaves no file`() async throws {
    let cloud = try Cloud()
    let (ana, _) = try await cloud.shared()
    let path = try cloud.file("large", [UInt8](repeating: 7, count: 4_000_000))
    let asset = try await ana.upload(path)
    var photo = CloudRecord("Photo")
    photo["picture"] = .asset(asset)
    _ = try await ana.modify(saving: [photo])
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    let task = Task { [last = LastOwner { end.finish() }] in
      try await ana.download(asset, to: cloud.folder + "/copy") { _ in
        _ = last
        begin.yield()
        gate.wait()
      }
    }
    for await _ in begun { break }
    task.cancel()
    // The thread of the transfer still waits, and the caller doesn't.
    let error = await #expect(throws: CloudError.self) { try await task.value }
    #expect(error?.code == .operationCancelled)
    gate.signal()
    // The thread owned the function for the progress, and has removed its file.
    for await _ in ended {}
    let left = try FileManager.default.contentsOfDirectory(atPath: cloud.folder)
    #expect(left.filter { $0.hasPrefix("copy") } == [])
  }

  @Test func `nothing blocks a thread of the cooperative pool`() async throws {
    let cloud = try Cloud()
    let zone = try await cloud.open("ana").privateDatabase.zone(named: "Notes")
    let name = try await zone.modify { _ throws(CloudError) in
      FileManager.default.contents(atPath: "/proc/thread-self/comm") ?? Data()
    }
    #expect(name.starts(with: Array("cairn-short".utf8)))
    // Each of the calls waits for a thread, and a task without one goes on.
    let gate = DispatchSemaphore(value: 0)
    let saves = (0..<64).map { _ in
      Task { try await zone.modify { _ throws(CloudError) in gate.wait() } }
    }
    await Task {}.value
    for _ in saves { gate.signal() }
    for save in saves { try await save.value }
  }
}

/// An object that calls a function when nothing refers to it any more.
private final class LastOwner: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  deinit { body() }
}
