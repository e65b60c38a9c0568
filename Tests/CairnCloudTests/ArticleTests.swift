import CairnCloud
import Foundation
import Testing

/// The articles about the library: their code is compiled here, and does what they say.
@Suite struct ArticleTests {
  /// The lines of the compiled code, without indentation and empty lines.
  private static func compiled() throws -> [String] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    return try ["ArticleSnippets.swift", "../CairnMirrorTests/MirrorSnippets.swift"].flatMap {
      lines(try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
    }
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  /// The blocks of Swift code of all articles, with the name of the article.
  private static func blocks() throws -> [(article: String, code: [String])] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/CairnCloud/CairnCloud.docc")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return try files.filter { $0.pathExtension == "md" }.flatMap { file in
      try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```swift\n")
        .dropFirst()
        .map { (file.lastPathComponent, lines($0.components(separatedBy: "\n```")[0])) }
    }
  }

  @Test func `each block of code in an article is compiled`() throws {
    let compiled = try Self.compiled()
    let blocks = try Self.blocks()
    #expect(blocks.count > 12)
    for block in blocks {
      let isThere = compiled.indices.contains { start in
        compiled[start...].starts(with: block.code)
      }
      #expect(isThere, "\(block.article): \(block.code.joined(separator: "\n"))")
    }
  }

  @Test func `the public interface is the one that is kept in API.txt`() throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/CairnCloud/document")
    let (process, output) = (Process(), Pipe())
    process.executableURL = script
    process.arguments = ["--check", "CairnCloud"]
    process.standardError = output
    try process.run()
    let said = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(String(decoding: said, as: UTF8.self))")
  }

  @Test func `the first steps work`() async throws {
    let cloud = MemoryCloud()
    let ana = try await CloudContainer.open(.memory(cloud), as: .person("ana", home: nil))
    let bob = try await CloudContainer.open(.memory(cloud), as: .person("bob", home: nil))
    let zone = try await ArticleSnippets.save(ana)
    let read = Noted()
    try await ArticleSnippets.read(zone, read)
    #expect(read.lines == ["bread 1", "milk 2"])
    try await ArticleSnippets.share(zone, ana)
    let accepted = Noted()
    try await ArticleSnippets.accept(bob, accepted)
    #expect(accepted.lines == ["Shopping: 2"])
    #expect(try await zone.records(CloudQuery("Thing")).records.count == 3)
    let names = Noted()
    try await ArticleSnippets.changedZones(bob, nil, names)
    #expect(names.lines == ["Shopping"])
    #expect(try await ArticleSnippets.test() == 1)
  }

  @Test func `records are shared, and rights are changed`() async throws {
    let cloud = try Cloud()
    let (ana, bob) = (try await cloud.open("ana"), try await cloud.open("bob"))
    let library = try await ana.privateDatabase.zone(named: "Library")
    let posts = [CloudRecord("Post"), CloudRecord("Post")]
    try await library.modify(saving: posts)
    let trip = try await ArticleSnippets.sharePosts(
      library, [posts[0].id], posts[1].id, bob.me)
    let theirs = try await bob.accept(try #require(try await bob.invitations().first))
    #expect(try await theirs.records(CloudQuery("Post")).records.map(\.id) == [posts[0].id])
    #expect(!theirs.canEdit)
    let people = Noted()
    try await ArticleSnippets.people(of: trip, ana, people)
    #expect(people.lines == ["bob readOnly true"])
    try await ArticleSnippets.changeRights(trip, bob.me)
    #expect(try await trip.share()?.participants.contains { $0.person == bob.me } == false)
  }

  @Test func `links let people in, and everybody reads what is published`() async throws {
    let cloud = try Cloud()
    let (ana, bob) = (try await cloud.open("ana"), try await cloud.open("bob"))
    let trip = try await ana.privateDatabase.zone(named: "Trip")
    try await trip.share(title: "Trip")
    let links = try await ArticleSnippets.makeLinks(trip)
    let printed = Noted()
    try await ArticleSnippets.join(links[1], bob, printed)
    #expect(printed.lines == ["Trip, by \(ana.me)", "\(trip.id)"])
    try await ArticleSnippets.publish(ana)
    let read = Noted()
    try await ArticleSnippets.readPublished(bob, read)
    #expect(read.lines == ["\(ana.me) Bread"])
  }

  @Test func `a conflict is merged, and a counter counts each time`() async throws {
    let cloud = try Cloud()
    let (ana, bob) = try await cloud.shared()
    var note = try #require(try await ana.modify(saving: [CloudRecord("Note")]).first)
    var theirs = try #require(try await bob.record(note.id))
    (note["text"], theirs["color"]) = ("a", "red")
    try await bob.modify(saving: [theirs])
    try await ArticleSnippets.merge(note, ana)
    for zone in [ana, bob] { try await ArticleSnippets.count(note.id, zone) }
    let merged = try await ana.record(note.id)
    #expect(merged?.fields == ["text": "a", "color": "red", "count": 2])
    let versions = Noted()
    try await ArticleSnippets.versions(note.id, ana, versions)
    #expect(versions.lines.map { $0.contains("a") } == [true, true, true, false, false])
  }

  @Test func `changes come once, also after a restart`() async throws {
    let cloud = try Cloud()
    let zone = try await cloud.open("ana").privateDatabase.zone(named: "Notes")
    let file = cloud.folder + "/token"
    for _ in 0..<2 {
      let record = CloudRecord("Note")
      try await zone.modify(saving: [record])
      let applied = Noted()
      try await ArticleSnippets.fetch(zone, file, applied)
      #expect(applied.ids == [record.id])
    }
  }

  @Test func `two tags of one name become the one with the lowest id`() async throws {
    let cloud = try Cloud()
    let zone = try await cloud.open("ana").privateDatabase.zone(named: "Posts")
    let tags = (0..<3).map { _ in
      var tag = CloudRecord("Tag")
      tag["name"] = "sea"
      return tag
    }
    var post = CloudRecord("Post")
    post["tags"] = .list(tags.map { .reference($0.id) })
    try await zone.modify(saving: tags + [post])
    try await ArticleSnippets.mergeTags("sea", zone)
    let lowest = try #require(tags.map(\.id).min())
    #expect(try await zone.records(CloudQuery("Tag")).records.map(\.id) == [lowest])
    #expect(try await zone.record(post.id)?["tags"] == .list([.reference(lowest)]))
  }
}
