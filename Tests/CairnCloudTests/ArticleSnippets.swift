import CairnCloud
import Foundation
import Testing

// The code of the articles in CairnCloud.docc. ArticleTests compares it with them, and runs most of
// it.

struct Thing: Codable, Identifiable {
  var id = RecordID.random()
  var name: String
  var count = 1
}

/// Notes what an article prints or applies.
final class Noted {
  private(set) var lines: [String] = []
  private(set) var ids: [RecordID] = []

  func callAsFunction(_ items: Any...) {
    lines.append(items.map { "\($0)" }.joined(separator: " "))
  }

  func callAsFunction(_ changes: ZoneChanges) { ids += changes.changed.map(\.id) }
}

enum ArticleSnippets {
  static func open() async throws -> CloudContainer {
    let name = CommandLine.arguments.dropFirst().first ?? "ana"
    let container = try await CloudContainer.open(
      .directory("/tmp/list-cloud"), as: .person(name, home: "/tmp/list-\(name)"))
    return container
  }

  static func openAsProgram() async throws -> CloudContainer {
    let container = try await CloudContainer.open(
      Program("Album", zones: ["Photos"], sharing: true), waits: true)
    return container
  }

  static func save(_ container: CloudContainer) async throws -> CloudZone {
    let zone = try await container.privateDatabase.zone(named: "Shopping")
    var milk = CloudRecord("Thing")
    milk["name"] = "milk"
    milk["count"] = 2
    try await zone.modify(saving: [milk])
    let bread = Thing(name: "bread")
    try await zone.modify(saving: [CloudRecord("Thing", encoding: bread)])
    return zone
  }

  static func read(_ zone: CloudZone, _ print: Noted) async throws {
    let page = try await zone.records(CloudQuery("Thing", sort: [.init("name")]), limit: 20)
    for record in page.records {
      let thing = try record.decode(Thing.self)
      print(thing.name, thing.count)
    }
  }

  static func share(_ zone: CloudZone, _ container: CloudContainer) async throws {
    if let bob = try await container.person("bob"), bob != container.me {
      try await zone.share(title: "Shopping")
      try await zone.invite([bob], .readWrite)
    }
  }

  static func accept(_ container: CloudContainer, _ print: Noted) async throws {
    for invitation in try await container.invitations() {
      let shared = try await container.accept(invitation)
      print("\(invitation.title): \(try await shared.records(CloudQuery("Thing")).records.count)")
    }
    for shared in try await container.sharedDatabase.zones() {
      let tea = Thing(name: "tea")
      try await shared.modify(saving: [CloudRecord("Thing", encoding: tea)])
    }
  }

  static func follow(_ zone: CloudZone) async throws {
    for try await changes in zone.events() {
      for record in changes.changed { print("+", record["name"]?.string ?? "") }
      for deletion in changes.deleted { print("-", deletion.id) }
    }
  }

  static func sharePosts(
    _ library: CloudZone, _ posts: [RecordID], _ post: RecordID, _ bob: PersonID
  ) async throws -> CloudZone {
    let trip = try await library.share(posts, title: "Trip")
    try await trip.invite([bob], .readOnly)
    try await library.move([post], to: trip)
    try await trip.move([post], to: library)
    return trip
  }

  static func makeLinks(_ trip: CloudZone) async throws -> [String] {
    let link = try await trip.oneTimeLink(.readOnly)
    try await trip.setPublicPermission(.readWrite)
    let open = try await trip.link()
    return [link, open]
  }

  static func join(_ link: String, _ container: CloudContainer, _ print: Noted) async throws {
    let offer = try await container.invitation(link: link)
    print("\(offer.title), by \(offer.inviter)")
    let zone = try await container.accept(link: link)
    print(zone.id)
  }

  static func publish(_ container: CloudContainer) async throws {
    let mine = try await container.publicDatabase.zone(of: container.me)
    var recipe = CloudRecord("Recipe")
    recipe["name"] = "Bread"
    try await mine.modify(saving: [recipe])
  }

  static func readPublished(_ container: CloudContainer, _ print: Noted) async throws {
    for zone in try await container.publicDatabase.zones() {
      for record in try await zone.records(CloudQuery("Recipe")).records {
        print(zone.owner, record["name"]?.string ?? "")
      }
    }
  }

  static func people(
    of trip: CloudZone, _ container: CloudContainer, _ print: Noted
  ) async throws {
    for participant in try await trip.share()?.participants ?? [] {
      if let person = try await container.profile(of: participant.person) {
        print(person.name, participant.permission, participant.hasAccepted)
      }
    }
  }

  static func changeRights(_ trip: CloudZone, _ bob: PersonID) async throws {
    try await trip.setPermission(.readWrite, of: bob)
    try await trip.remove(bob)
  }

  static func merge(_ note: CloudRecord, _ zone: CloudZone) async throws {
    do {
      try await zone.modify(saving: [note])
    } catch {
      guard error.code == .serverRecordChanged else { throw error }
      for conflict in error.conflicts {
        guard var merged = conflict.server else { continue }
        for key in conflict.client.changedKeys { merged[key] = conflict.client[key] }
        try await zone.modify(saving: [merged])
      }
    }
  }

  static func count(_ id: RecordID, _ zone: CloudZone) async throws {
    try await zone.modify { draft throws(CloudError) in
      guard var counter = try draft.record(id) else { return }
      counter["count"] = .integer((counter["count"]?.int ?? 0) + 1)
      draft.save(counter)
    }
  }

  static func fetch(
    _ zone: CloudZone, _ file: String, _ apply: Noted
  ) async throws {
    let stored = (try? String(contentsOfFile: file, encoding: .utf8)).map { ZoneToken(text: $0) }
    var changes = try await zone.changes(since: stored)
    apply(changes)
    while changes.moreComing {
      changes = try await zone.changes(since: changes.token)
      apply(changes)
    }
    try changes.token.text.write(toFile: file, atomically: true, encoding: .utf8)
  }

  static func changedZones(
    _ container: CloudContainer, _ token: DatabaseToken?, _ print: Noted
  ) async throws {
    let changes = try await container.sharedDatabase.changes(since: token)
    for id in changes.changed {
      if let zone = try await container.sharedDatabase.zone(id) { print(zone.name) }
    }
  }

  static func versions(
    _ id: RecordID, _ zone: CloudZone, _ print: Noted
  ) async throws {
    for version in try await zone.history(of: id) {
      print(version.changed?.position ?? 0, version["text"]?.string ?? "")
    }
  }

  static func mergeTags(_ name: String, _ zone: CloudZone) async throws {
    try await zone.modify { draft throws(CloudError) in
      let tags = try draft.records(CloudQuery("Tag", where: .field("name", .equal, .text(name))))
      guard let kept = tags.map(\.id).min() else { return }
      for tag in tags where tag.id != kept {
        let users = CloudQuery("Post", where: .contains("tags", .reference(tag.id)))
        for var post in try draft.records(users) {
          let rest = (post["tags"]?.values ?? []).filter { $0.record != tag.id }
          post["tags"] = .list(rest.filter { $0.record != kept } + [.reference(kept)])
          draft.save(post)
        }
        draft.delete(tag.id)
      }
    }
  }

  static func test() async throws -> Int {
    let cloud = MemoryCloud()
    let ana = try await CloudContainer.open(.memory(cloud), as: .person("ana", home: nil))
    let bob = try await CloudContainer.open(.memory(cloud), as: .person("bob", home: nil))
    let zone = try await ana.privateDatabase.zone(named: "Trip")
    try await zone.share(title: "Trip")
    try await zone.invite([bob.me], .readWrite)
    let invitation = try await bob.invitations()[0]
    let theirs = try await bob.accept(invitation)
    try await theirs.modify(saving: [CloudRecord("Post")])
    let posts = try await zone.records(CloudQuery("Post")).records
    return posts.count
  }
}
