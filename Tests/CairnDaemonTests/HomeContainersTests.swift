import CairnControl
import Foundation
import Testing

@testable import CairnDaemon

/// The containers of a home, by their configurations.
struct HomeContainersTests {
  /// A home in a fresh folder, which is removed with the test.
  private final class Trial {
    let home: Home

    init() throws {
      let folder = "/tmp/cairn-containers-\(UUID().uuidString.prefix(8))"
      home = try Home(environment: ["CAIRN_HOME": folder])
    }

    deinit {
      // A folder that is left over only takes room.
      try? FileManager.default.removeItem(atPath: home.root ?? "")
    }

    var known: HomeContainers { HomeContainers(home) }

    /// Adds a container, as `cairn init --as` does.
    func add(_ name: String?, id: String) throws {
      let place = try known.place(for: name)
      try known.checkNew(id, at: place)
      try place.makeFolders(withKeys: true)
      let line = name.map { "name = \"\($0)\"\n" } ?? ""
      let text = "[container]\npath = \"/srv/\(id)\"\nid = \"\(id)\"\n" + line
      try Data(text.utf8).write(to: URL(filePath: place.configuration))
    }

    func rename(_ name: String, to other: String) throws {
      let place = try #require(known.all.first { $0.name == name })
      try ConfigurationEdit.write(
        [.init("container", "name", .text(other))], to: place.home.configuration)
    }

    func remove(_ name: String) throws {
      let place = try #require(known.all.first { $0.name == name }).home
      try FileManager.default.moveItem(
        atPath: place.configuration, toPath: place.removedConfiguration)
    }
  }

  @Test func `the first container is the home, and further ones have folders of their own`()
    throws
  {
    let trial = try Trial()
    #expect(trial.known.all.isEmpty && !trial.home.hasContainer)
    try trial.add(nil, id: "a1")
    try trial.add("office", id: "b2")
    #expect(trial.known.all.map(\.name) == ["default", "office"])
    let root = try #require(trial.home.root)
    #expect(
      trial.known.all.map(\.home.configuration)
        == [root + "/cairn.conf", root + "/containers/office/cairn.conf"])
    let work = trial.known.all[1].home
    #expect(work.keys == root + "/containers/office/keys")
    #expect(work.mounts == root + "/containers/office/mounts.json")
    // The daemon has one lock, one socket and one log.
    #expect(work.lock == trial.home.lock && work.socket == trial.home.socket)
    #expect(work.log == trial.home.log && work.views == trial.home.views)
    #expect(throws: ControlError.self) { try trial.add("office", id: "c3") }
    #expect(throws: ControlError.self) { try trial.known.checkNew("b2", at: trial.home) }
    try trial.known.checkNew("c3", at: trial.known.place(for: "home"))
  }

  @Test func `a first container may have a name from the beginning`() throws {
    let trial = try Trial()
    try trial.add("family", id: "a1")
    #expect(trial.known.all.map(\.name) == ["family"])
    #expect(trial.known.all[0].home == trial.home)
  }

  @Test func `a renamed container keeps its folder, and its old name is free`() throws {
    let trial = try Trial()
    try trial.add(nil, id: "a1")
    try trial.add("office", id: "b2")
    try trial.rename("office", to: "job")
    try trial.add("office", id: "c3")
    #expect(trial.known.all.map(\.name) == ["default", "job", "office"])
    #expect(trial.known.all[2].home.configuration.hasSuffix("/containers/office-2/cairn.conf"))
  }

  @Test func `a removed container comes back to its keys, whichever it was`() throws {
    let trial = try Trial()
    try trial.add("home", id: "a1")
    try trial.add("office", id: "b2")
    try trial.rename("office", to: "job")
    for name in ["home", "job"] {
      let before = try #require(trial.known.all.first { $0.name == name }).home
      try trial.remove(name)
      #expect(trial.known.all.map(\.name) == [name == "home" ? "job" : "home"])
      #expect(trial.home.hasContainer)
      // Another container doesn't take its place.
      #expect(try trial.known.place(for: "new") != before)
      #expect(try trial.known.place(for: name) == before)
      try trial.add(name, id: name == "home" ? "a1" : "b2")
    }
  }

  @Test(arguments: ["home", "office"], ["c3", nil])
  func `another container never gets the keys of a removed one`(
    name: String, id: String?
  ) throws {
    let trial = try Trial()
    try trial.add("home", id: "a1")
    try trial.add("office", id: "b2")
    try trial.remove(name)
    let known = trial.known
    // Without a name, the place is that of the first container.
    let places = [try known.place(for: name)] + (name == "home" ? [try known.place(for: nil)] : [])
    for place in places {
      let error = #expect(throws: ControlError.self) { try known.checkNew(id, at: place) }
      #expect(error?.code == .alreadyExists && error?.message.contains(name) == true)
      try known.checkNew(name == "home" ? "a1" : "b2", at: place)
    }
    // Nobody knows whose keys are beside an unreadable file.
    try Data("[".utf8).write(to: URL(filePath: places[0].removedConfiguration))
    #expect(throws: ControlError.self) { try known.checkNew(id, at: places[0]) }
    try known.checkNew(id, at: known.place(for: "new"))
  }

  @Test func `the last container of a home stays, also without a restart`() throws {
    let trial = try Trial()
    try trial.add("home", id: "a1")
    try trial.add("office", id: "b2")
    let members = trial.known.all.map { HomeOperations.Member(entry: $0) }
    let operations = HomeOperations(home: trial.home) { members }
    _ = try operations.remove(Control.ContainerRemove(container: "home"))
    for name in ["home", "office"] {
      #expect(throws: ControlError.self) {
        try operations.remove(Control.ContainerRemove(container: name))
      }
    }
    #expect(throws: ControlError.self) {
      try operations.rename(Control.ContainerRename(container: "home", to: "other"))
    }
    #expect(trial.known.all.map(\.name) == ["office"])
    // The name of a removed container is free.
    _ = try operations.rename(Control.ContainerRename(container: "office", to: "home"))
    #expect(trial.known.all.map(\.name) == ["home"])
  }

  @Test func `a name that an edited file gives twice is replaced by the id`() throws {
    let trial = try Trial()
    try trial.add(nil, id: "a1")
    try trial.add("office", id: "b2")
    try trial.rename("default", to: "office")
    #expect(trial.known.all.map(\.name) == ["office", "b2"])
  }

  @Test(arguments: ["", "Work", "a b", "../x", "-x", "a/b", String(repeating: "a", count: 33)])
  func `a name that could be a path or an option is refused`(name: String) throws {
    let trial = try Trial()
    #expect(throws: ControlError.self) { try trial.known.place(for: name) }
    let environment = ["CAIRN_HOME": "/x", "CAIRN_CONTAINER": name]
    guard !name.isEmpty else { return }
    #expect(throws: ControlError.self) { try Home(environment: environment) }
  }
}
