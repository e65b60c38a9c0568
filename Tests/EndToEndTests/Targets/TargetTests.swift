import CairnControl
import Testing

extension EndToEnd {
  /// A path that a person names is the target: each operation, by its request to the daemon, with
  /// each kind of target.
  @Suite struct TargetTests {
    @Test func `each operation accepts the targets that it declares, and refuses all others`()
      throws
    {
      try TwoPeople.playSharing { people in
        let scene = try TargetScene(people)
        let before = try scene.state()
        for row in TargetTable.rows {
          for (target, outcome) in row.outcomes where outcome == .refused {
            try scene.expectRefused(row, target)
          }
        }
        #expect(try scene.state() == before)
        for row in TargetTable.rows {
          for target in TargetCase.allCases {
            guard let outcome = row.outcomes[target], outcome != .refused, outcome != .none
            else { continue }
            try scene.expect(outcome, row, target)
          }
        }
      }
    }

    @Test func `each row has a result for every target`() {
      for row in TargetTable.rows {
        #expect(Set(row.outcomes.keys) == Set(TargetCase.allCases), "\(row.operation.name)")
        guard let targeted = row.operation as? any TargetedOperation.Type else { continue }
        let kinds = targeted.targets.kinds
        for (target, kind) in [
          (TargetCase.root, Control.TargetKind.folder), (.inside, .inside), (.missing, .missing),
          (.part, .part), (.id, .id), (.received, .folder), (.receivedInside, .inside),
        ] where row.outcomes[target] != TargetOutcome.none {
          #expect(
            kinds.contains(kind) == (row.outcomes[target] != .refused),
            "\(row.operation.name): \(target)")
        }
      }
    }
  }
}

/// Ana's and Bob's folders, which the table names.
private struct TargetScene {
  let people: TwoPeople
  let lib: Folder
  let id: String
  private let clients: (ana: ControlClient, bob: ControlClient)

  init(_ people: TwoPeople) throws {
    self.people = people
    let ana = people.ana
    lib = Folder(people.root.path + "/lib")
    try ana.folder.make("old")
    try ana.folder.write("one", to: "old/file")
    for name: Name in ["", "p1", "p3"] { try lib.make(name) }
    for name: Name in ["p1/file", "p2.jpg", "p3/file"] { try lib.write("in lib", to: name) }
    try ana.cairn("add", lib.path)
    try ana.wait()
    try ana.cairn("share", "create", lib.path + "/p1", lib.path + "/p2.jpg", lib.path + "/p3")
    try people.settle()
    id = try ana.answer(Control.ShareReply.self, "share", "show", ana.folder.path).share.id
    clients = (
      ControlClient(home: try Home(environment: ["CAIRN_HOME": ana.home.path])),
      ControlClient(home: try Home(environment: ["CAIRN_HOME": people.bob.home.path]))
    )
  }

  private func reference(_ target: TargetCase) -> Control.ShareReference {
    let (ana, bob) = (people.ana.folder.path, people.bob.folder.path)
    return switch target {
    case .root: .path(Control.Path(ana))
    case .inside: .path(Control.Path(ana + "/old"))
    case .missing: .path(Control.Path(ana + "/nosuch"))
    case .part: .path(Control.Path(lib.path + "/p1"))
    case .id: .id(id)
    case .received: .path(Control.Path(bob))
    case .receivedInside: .path(Control.Path(bob + "/old"))
    }
  }

  /// Returns the folder around a refused target, as the refusal must name it.
  private func around(_ target: TargetCase) -> String {
    switch target {
    case .part: "one of several parts of the share “p1”, with \(lib.path)/p"
    case .received, .receivedInside: people.bob.folder.path
    default: people.ana.folder.path
    }
  }

  /// Returns a target of its own: a share that nothing else in the table names.
  private func fresh(_ target: TargetCase, _ name: String) throws -> Control.ShareReference {
    let (ana, bob) = (people.ana, people.bob)
    let folder = Folder("\(people.root.path)/\(name)-\(target.rawValue)")
    guard target != .part else {
      let other = Folder(folder.path + "-2")
      for one in [folder, other] { try one.make("") }
      try ana.cairn("share", "create", folder.path, other.path)
      return .path(Control.Path(folder.path))
    }
    try folder.make("")
    let reply = try ana.answer(Control.ShareReply.self, "share", "create", folder.path)
    guard target != .id else { return .id(reply.share.id) }
    guard target.isBobs else { return .path(Control.Path(folder.path)) }
    let link = try ana.cairn("share", "invite", folder.path, "bob").lastLine
    try bob.cairn("share", "accept", link, "--at", folder.path + "-bob", "--wait")
    return .path(Control.Path(folder.path + "-bob"))
  }

  private func failure(
    of operation: any ControlOperation, _ target: TargetCase
  ) -> ControlError? {
    let client = target.isBobs ? clients.bob : clients.ana
    func call(_ operation: some ControlOperation) throws(ControlError) {
      _ = try client.call(operation) { update throws(ControlError) in
        // It would be watched for ever.
        guard case .status = update.update else { return }
        throw ControlError(.operationCancelled, "It was seen.")
      }
    }
    do throws(ControlError) { try call(operation) } catch { return error }
    return nil
  }

  func expectRefused(_ row: TargetRow, _ target: TargetCase) throws {
    let what = "\(row.operation.name): \(target)"
    let reference = reference(target)
    let error = failure(of: row.request(reference), target)
    #expect(error?.code == .invalidArguments, "\(what): \(String(describing: error))")
    guard let error, case .path(let path) = reference else { return }
    #expect(error.path == path && error.confirm == nil, "\(what)")
    #expect(error.message.contains(path.description), "\(what): \(error.message)")
    #expect(error.message.contains(around(target)), "\(what): \(error.message)")
    #expect(!error.remedy.isEmpty, "\(what)")
  }

  func expect(_ outcome: TargetOutcome, _ row: TargetRow, _ target: TargetCase) throws {
    let what = "\(row.operation.name): \(target)"
    let isFresh = row.isDestructive && outcome == .done
    let reference = isFresh ? try fresh(target, row.operation.name) : reference(target)
    let error = failure(of: row.request(reference), target)
    switch outcome {
    case .done: #expect(error == nil, "\(what): \(String(describing: error))")
    case .asked: #expect(error?.confirm == .confirmed, "\(what): \(String(describing: error))")
    case .fails(let code):
      #expect(error?.code == code, "\(what): \(String(describing: error))")
      // The refusal of a target contains these words.
      let words = [" is inside /", "The folder around it", "one of several parts", "is all of"]
      #expect(
        !words.contains { error?.message.contains($0) ?? false },
        "\(what): \(String(describing: error))")
    case .refused, .none: break
    }
    // A paused folder must not stop the others.
    if row.operation == Control.Pause.self {
      #expect(failure(of: Control.Resume(share: reference), target) == nil, "\(what)")
    }
  }

  /// The state that a refusal must leave unchanged.
  struct State: Equatable {
    var trees: [[Name: Folder.Node]]
    var shares: [Control.ShareListReply]
    var zones: [Control.ZonesReply]
    var mounts: [[Control.Path]]
  }

  func state() throws -> State {
    let both = [people.ana, people.bob]
    return State(
      trees: try [people.ana.folder, lib, people.bob.folder].map { try $0.tree() },
      shares: try both.map { try $0.answer(Control.ShareListReply.self, "share", "list") },
      zones: try both.map { try $0.answer(Control.ZonesReply.self, "zones") },
      mounts: try both.map {
        try $0.answer(Control.StatusReply.self, "status").mounts.map(\.path)
      })
  }
}
