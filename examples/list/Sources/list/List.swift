// A shopping list that several people share. README.md has a story to type.
import CairnCloud
import Foundation

@main struct List {
  static let usage = """
    list add WHAT…       put things on the list
    list done WHAT…      cross them off
    list show            print the list
    list watch           print each change as it comes, until you press Ctrl-C
    list share HANDLE    let somebody else read and write the list
    list join            accept the invitation to somebody's list

    The list is kept by your cairnd, which asks you once. Without a cairnd: LIST_CLOUD is a
    directory that all people can reach, LIST_NAME your short name there.
    """

  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch let error as CloudError where error.code == .notAuthenticated {
      stop("\(error.message): run `cairn program allow list`")
    } catch let error as CloudError {
      stop("\(error.message) (\(error.code.rawValue))")
    } catch {
      stop("\(error)")
    }
  }

  static func stop(_ message: String) -> Never {
    FileHandle.standardError.write(Data("list: \(message)\n".utf8))
    exit(1)
  }

  static func run(_ words: [String]) async throws {
    let variables = ProcessInfo.processInfo.environment
    guard let command = words.first else { return print(usage) }
    let container: CloudContainer
    if let cloud = variables["LIST_CLOUD"], let name = variables["LIST_NAME"] {
      let home = variables["LIST_HOME"] ?? NSHomeDirectory() + "/.list"
      container = try await CloudContainer.open(.directory(cloud), as: .person(name, home: home))
    } else {
      container = try await CloudContainer.open(Program("list", zones: ["List"], sharing: true))
    }
    let things = Array(words.dropFirst())
    switch command {
    case "add": try await add(things, to: list(container))
    case "done": try await remove(things, from: list(container))
    case "show": for thing in try await names(list(container)) { print(thing) }
    case "watch": try await watch(list(container))
    case "share": try await share(list(container), with: things, container)
    case "join": try await join(container)
    default: print(usage)
    }
  }

  /// The list of this person: somebody else's, if they joined one.
  static func list(_ container: CloudContainer) async throws -> CloudZone {
    if let shared = try await container.sharedDatabase.zones().first { return shared }
    return try await container.privateDatabase.zone(named: "List")
  }

  static let all = CloudQuery("Thing", sort: [CloudQuery.Sort("name")])

  static func names(_ list: CloudZone) async throws -> [String] {
    try await list.records(all).records.compactMap { $0["name"]?.string }
  }

  /// Two people may add milk at the same time, so this reads and writes as one step.
  static func add(_ things: [String], to list: CloudZone) async throws {
    try await list.modify { draft throws(CloudError) in
      let known = try draft.records(all).compactMap { $0["name"]?.string }
      for thing in things where !known.contains(thing) {
        var record = CloudRecord("Thing")
        record["name"] = .text(thing)
        draft.save(record)
      }
    }
  }

  static func remove(_ things: [String], from list: CloudZone) async throws {
    try await list.modify { draft throws(CloudError) in
      for record in try draft.records(all) {
        if let name = record["name"]?.string, things.contains(name) { draft.delete(record.id) }
      }
    }
  }

  static func watch(_ list: CloudZone) async throws {
    var known: [RecordID: String] = [:]
    for try await changes in list.events() {
      for id in changes.deleted.map(\.id) {
        if let name = known.removeValue(forKey: id) { print("- \(name)") }
      }
      for record in changes.changed {
        guard let name = record["name"]?.string else { continue }
        if known.updateValue(name, forKey: record.id) == nil { print("+ \(name)") }
      }
      fflush(nil)
    }
  }

  static func share(
    _ list: CloudZone, with handles: [String], _ container: CloudContainer
  ) async throws {
    for handle in handles {
      guard let person = try await container.person(handle) else {
        stop("nobody here is called \(handle): let them run `list show` once")
      }
      _ = try await list.share(title: "Shopping list")
      _ = try await list.invite([person])
      print("\(handle) can run `list join` now.")
    }
  }

  static func join(_ container: CloudContainer) async throws {
    guard let invitation = try await container.invitations().first else {
      stop("nobody has invited you yet")
    }
    let list = try await container.accept(invitation)
    print("You are on “\(invitation.title)”: \(try await names(list).count) things.")
  }
}
