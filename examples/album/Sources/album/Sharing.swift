import CairnCloud

/// All of the album's sharing.
extension Album {
  /// The share of this person with a name.
  private func own(_ name: String) async throws -> CloudZone? {
    try await cloud.privateDatabase.zones().first { $0.name == name && $0.id != library.id }
  }

  /// Shares posts under a name, or adds them to the share of that name. Their pictures and
  /// thumbnails move along, and their tags are copied.
  func share(_ titles: [String], as name: String) async throws {
    let share = try await own(name)
    // After an interruption some may be there already.
    let ids = try await find(titles).filter { $0.zone.id != share?.id }.map { zone, post in
      guard zone.id == library.id else {
        Main.stop("“\(post["title"]?.string ?? "")” is in “\(zone.name)” already")
      }
      return post.id
    }
    if let share {
      if !ids.isEmpty { try await library.move(ids, to: share) }
      try await mergeTags(in: share)
    } else {
      _ = try await library.share(ids, title: name)
    }
  }

  func invite(_ handle: String, to name: String, _ permission: Share.Permission) async throws {
    guard let person = try await cloud.person(handle) else {
      Main.stop("nobody here is called \(handle): let them run `album posts` once")
    }
    guard let share = try await own(name) else { Main.stop("you have no share “\(name)”") }
    _ = try await share.invite([person], permission)
  }

  /// Takes posts out of shares. Other people see them no more.
  func takeOut(_ titles: [String]) async throws {
    for (zone, post) in try await find(titles) where zone.id != library.id {
      try await zone.move([post.id], to: library)
    }
    try await mergeTags(in: library)
  }

  /// Accepts all invitations.
  func join() async throws -> [String] {
    var titles: [String] = []
    for invitation in try await cloud.invitations() {
      _ = try await cloud.accept(invitation)
      titles.append(invitation.title)
    }
    for zone in try await cloud.sharedDatabase.zones() { try await mergeTags(in: zone) }
    return titles
  }
}
