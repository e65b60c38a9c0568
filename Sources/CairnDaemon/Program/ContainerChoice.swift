import CairnControl

/// Decides which of several containers a request is about, by the names in it.
struct ContainerChoice: Sendable {
  /// A container that a request may be about.
  struct Candidate: Sendable {
    var name: String
    /// Nil if it isn't open.
    var contents: ContainerContents?
  }

  /// The operations on folders that needn't be mirrored yet.
  private static let creating: Set<String> = [
    Control.Add.name, Control.ShareCreate.name, Control.PublicMount.name,
    Control.PublicExport.name, Control.ProgramAsk.name,
  ]
  /// The operations that answer the same for each container.
  private static let indifferent: Set<String> = [
    Control.Directories.name, Control.DrawCode.name, Control.LogLevel.name,
  ]

  let candidates: [Candidate]

  /// Returns the number of the container of a request.
  /// - Throws: `ControlError` with `.ambiguousContainer` if there could be several.
  func index(for operation: String, _ body: [UInt8]) throws(ControlError) -> Int {
    if Self.indifferent.contains(operation) { return 0 }
    let names = RequestNames(body)
    // Such a list is of all folders, whatever the path is.
    if operation == Control.List.name, names.hasScope {
      throw Control.ambiguousContainer(candidates.map(\.name))
    }
    if let secret = names.token, let found = try only({ $0.hasProgram(secret) }) { return found }
    if let share = names.shareID, let found = try only({ $0.hasZone(share) }) { return found }
    if let found = try only(names.paths) { return found }
    if let zone = names.zone, let found = try only({ $0.hasZone(zone) }) { return found }
    if let box = names.box, let found = try only({ $0.hasDropBox(box) }) { return found }
    if let found = try only(drops: names.drops) { return found }
    for text in names.invitations {
      if let found = try only({ $0.hasInvitation(text) }) { return found }
      if let container = ContainerContents.container(ofLink: text) {
        throw Self.elsewhere(container)
      }
    }
    guard names.areSome, !Self.creating.contains(operation) else {
      throw Control.ambiguousContainer(candidates.map(\.name))
    }
    // No container knows it, and each of them would say so.
    let around = candidates.firstIndex { candidate in
      names.paths.contains { candidate.contents?.hasBelow($0) == true }
    }
    return around ?? candidates.firstIndex { $0.contents != nil } ?? 0
  }

  /// Returns the container that has something; nil if none has it.
  private func only(_ has: (ContainerContents) -> Bool) throws(ControlError) -> Int? {
    try only(candidates.indices.filter { candidates[$0].contents.map(has) ?? false })
  }

  /// Returns the container that has all of the paths that any container has.
  private func only(_ paths: [Control.Path]) throws(ControlError) -> Int? {
    var found: Set<Int> = []
    for path in paths {
      let present = candidates.indices.filter { candidates[$0].contents?.has(path) == true }
      // What a folder was before counts only if it is mirrored nowhere now.
      found.formUnion(
        present.isEmpty
          ? candidates.indices.filter { candidates[$0].contents?.had(path) == true } : present)
    }
    return try only(found.sorted())
  }

  /// Returns the container in whose drop boxes all of these files wait that wait in any.
  private func only(drops: [String]) throws(ControlError) -> Int? {
    guard !drops.isEmpty else { return nil }
    return try only(
      candidates.indices.filter { candidates[$0].contents?.hasAnyDrop(drops) == true })
  }

  private func only(_ found: [Int]) throws(ControlError) -> Int? {
    guard found.count > 1 else { return found.first }
    throw Control.ambiguousContainer(found.map { candidates[$0].name })
  }

  private static func elsewhere(_ container: String) -> ControlError {
    ControlError(
      .badContainer,
      "The link is for the container \(container), and this home has no account there.",
      remedy: "Run `cairn init --container DIR --as NAME --name NAME --handle HANDLE` first.")
  }
}

/// The parts of a request that name a thing in a container. Other members are ignored, and so are
/// members of another type: the operation reports them.
private struct RequestNames: Decodable {
  var token: String?
  var paths: [Control.Path] = []
  var shareID: String?
  var zone: String?
  var invitations: [String] = []
  var box: String?
  var drops: [String] = []
  var hasScope = false

  /// A Boolean value that indicates whether the request names anything.
  var areSome: Bool {
    token != nil || shareID != nil || zone != nil || box != nil || !paths.isEmpty
      || !invitations.isEmpty || !drops.isEmpty
  }

  private enum Key: String, CodingKey {
    case scope, token, path, paths, share, zone, invitation, link, links, box, drops
  }

  init() {}

  init(_ body: [UInt8]) {
    // The operation reports a body that isn't JSON.
    self = (try? ControlJSON.decode(RequestNames.self, from: body)) ?? RequestNames()
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: Key.self)
    func value<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
      // A member of another type names nothing here.
      try? members.decodeIfPresent(type, forKey: key)
    }
    token = value(String.self, .token)
    paths = [value(Control.Path.self, .path)].compactMap(\.self)
    paths += value([Control.Path].self, .paths) ?? []
    zone = value(String.self, .zone)
    box = value(String.self, .box)
    drops = value([String].self, .drops) ?? []
    hasScope = value(String.self, .scope) != nil
    for key in [Key.share, .zone] {
      switch value(Control.ShareReference.self, key) {
      case .path(let path): paths.append(path)
      case .id(let text): shareID = text
      case nil: break
      }
    }
    // A path in the public database isn't one of this machine.
    paths.removeAll { $0.bytes.first != UInt8(ascii: "/") }
    invitations = [value(String.self, .invitation), value(String.self, .link)].compactMap(\.self)
    invitations += value([String].self, .links) ?? []
  }
}
