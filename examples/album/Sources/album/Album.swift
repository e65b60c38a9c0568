import CairnCloud
import Foundation

/// The albums of one person: the library, and the shares that they own or have joined. A post has
/// a title and refers to tags. A picture refers to its post, and a thumbnail to its picture.
struct Album {
  let cloud: CloudContainer
  /// The zone of everything that this person shares with nobody.
  let library: CloudZone

  init(_ cloud: CloudContainer) async throws {
    self.cloud = cloud
    library = try await cloud.privateDatabase.zone(named: "Library")
  }

  /// All zones, the library first.
  func zones() async throws -> [CloudZone] {
    let own = try await cloud.privateDatabase.zones().filter { $0.id != library.id }
    let shared = try await cloud.sharedDatabase.zones()
    return [library] + (own + shared).sorted { $0.name < $1.name }
  }

  static let posts = CloudQuery("Post", sort: [CloudQuery.Sort("made")])

  /// The posts with these titles, and their zones.
  func find(_ titles: [String]) async throws -> [(zone: CloudZone, post: CloudRecord)] {
    var found: [String: (CloudZone, CloudRecord)] = [:]
    for zone in try await zones() {
      for post in try await zone.records(Self.posts).records {
        if let title = post["title"]?.string { found[title] = (zone, post) }
      }
    }
    return titles.map { title in
      found[title] ?? { Main.stop("there is no post “\(title)”: see `album posts`") }()
    }
  }

  // MARK: Posts

  func add(_ file: String, title: String, tags: [String]) async throws {
    var post = CloudRecord("Post")
    post["title"] = .text(title)
    post["made"] = .date(Int64(Date().timeIntervalSince1970 * 1_000_000_000))
    let pictures = try await pictures(file, of: post.id, in: library)
    _ = try await library.modify(saving: [post] + pictures)
    for name in tags { try await tag([title], name) }
  }

  func addPicture(_ file: String, to title: String) async throws {
    let (zone, post) = try await find([title])[0]
    guard zone.canEdit else { Main.stop("you can only view “\(zone.name)”: ask its owner") }
    _ = try await zone.modify(saving: try await pictures(file, of: post.id, in: zone))
  }

  /// A picture, and its thumbnail if there is a program that makes one.
  private func pictures(
    _ file: String, of post: RecordID, in zone: CloudZone
  ) async throws -> [CloudRecord] {
    var picture = CloudRecord("Picture")
    picture["post"] = .reference(post)
    picture["kind"] = .text(URL(filePath: file).pathExtension)
    picture["file"] = .asset(try await zone.upload(file))
    guard let small = try thumbnail(of: file) else { return [picture] }
    defer { unlink(small) }
    var thumbnail = CloudRecord("Thumbnail")
    thumbnail["picture"] = .reference(picture.id)
    thumbnail["file"] = .asset(try await zone.upload(small))
    return [picture, thumbnail]
  }

  private func thumbnail(of file: String) throws -> String? {
    let command =
      ProcessInfo.processInfo.environment["ALBUM_THUMBNAIL"]
      ?? #"convert "$1" -thumbnail 320x320 "$2""#
    let small = NSTemporaryDirectory() + "\(UUID()).\(URL(filePath: file).pathExtension)"
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command, "thumbnail", file, small]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? small : nil
  }

  func lines() async throws -> [String] {
    var lines: [String] = []
    for zone in try await zones() {
      let names = try await tagNames(of: zone)
      for post in try await zone.records(Self.posts).records {
        let tags = (post["tags"]?.values ?? []).compactMap { $0.record.flatMap { names[$0] } }
        let place = zone.id == library.id ? "" : "  [\(zone.name)]"
        lines.append(
          (post["title"]?.string ?? "") + place + tags.sorted().map { "  #\($0)" }.joined())
      }
    }
    return lines
  }

  // MARK: Tags

  func tagNames(of zone: CloudZone) async throws -> [RecordID: String] {
    let tags = try await zone.records(CloudQuery("Tag")).records
    return Dictionary(uniqueKeysWithValues: tags.map { ($0.id, $0["name"]?.string ?? "") })
  }

  func tag(_ titles: [String], _ name: String) async throws {
    for (zone, post) in try await find(titles) {
      try await zone.modify { draft throws(CloudError) in
        guard var post = try draft.record(post.id) else { return }
        let known = try draft.records(CloudQuery("Tag", where: .field("name", .equal, .text(name))))
        var tag = known.first ?? CloudRecord("Tag")
        tag["name"] = .text(name)
        var tags = post["tags"]?.values ?? []
        if !tags.contains(.reference(tag.id)) { tags.append(.reference(tag.id)) }
        post["tags"] = .list(tags)
        draft.save(tag)
        draft.save(post)
      }
    }
  }

  /// Makes tags of one name one tag, that with the lowest id: everybody who does this decides the
  /// same. Two people may have created one each, or posts came with theirs.
  func mergeTags(in zone: CloudZone) async throws {
    guard zone.canEdit else { return }
    try await zone.modify { draft throws(CloudError) in
      let tags = try draft.records(CloudQuery("Tag"))
      var (kept, replaced): ([String: RecordID], [RecordID: RecordID]) = ([:], [:])
      for tag in tags {  // In the order of their ids.
        let name = tag["name"]?.string ?? ""
        if let first = kept[name] { replaced[tag.id] = first } else { kept[name] = tag.id }
      }
      guard !replaced.isEmpty else { return }
      for var post in try draft.records(Self.posts) {
        let ids = (post["tags"]?.values ?? []).compactMap(\.record).map { replaced[$0] ?? $0 }
        let unique = ids.enumerated().filter { ids.firstIndex(of: $1) == $0 }
        post["tags"] = .list(unique.map { .reference($1) })
        if !post.changedKeys.isEmpty { draft.save(post) }
      }
      for id in replaced.keys { draft.delete(id) }
    }
  }
}
