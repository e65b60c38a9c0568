import CairnContainer
import CairnIdentity
import CairnReplica
import CairnStore
import CairnThreads
import CairnZone
import Glibc
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import CairnControl
@testable import CairnDaemon

/// A person with a container in memory, and the daemon's part for programs behind a socket. It can
/// restart, and lose answers.
final class ProgramDesk: Sendable {
  private struct State {
    var server: ControlServer?
    var table: ProgramTable
  }

  let container: Container
  let folder: String
  let home: Home
  /// The number of answers that are lost from now on.
  let lost = Atomic<Int>(0)
  private let store: MemoryStore
  private let state: Mutex<State>

  /// - Parameters:
  ///   - handle: The handle of the person.
  ///   - other: Another person, whose container is used.
  /// - Throws: The error of the system or the engine.
  init(_ handle: String = "ana", beside other: ProgramDesk? = nil) throws {
    store = other?.store ?? MemoryStore()
    var template = Array("/tmp/cairn-programs-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ControlError(.internalError, "There is no temporary folder.")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    home = try Home(environment: ["CAIRN_HOME": folder])
    mkdir(home.index, 0o700)
    let root = try Container.make(in: store, note: "")
    let account = try IdentityLog.begin(
      handle: handle, name: handle, deviceName: "desk", time: 0, in: root.trail
    ).account
    try People(store: store, of: root).publish(account)
    container = try Container(
      store: store, id: root.id, account: account, indexes: IndexFiles(inMemory: {}))
    try container.publishProfile()
    state = Mutex(State(table: ProgramTable(home)))
    try start()
  }

  /// The programs, as the running daemon knows them.
  var table: ProgramTable { state.withLock { $0.table } }

  /// Creates a zone of the person.
  /// - Returns: Its id.
  func makeZone(named name: String) throws -> String {
    try container.privateDatabase.createZone(named: name).id.description
  }

  /// Creates a folder in a zone, as a mirrored folder has it.
  /// - Returns: The id of its record.
  func makeFolder(in zone: String) throws -> String {
    let (zone, id) = (try self.zone(zone), RecordID.random())
    let name = try #require(FileName("photos"))
    let record = RecordChange(
      id: id, act: .create(.directory), place: Place(parent: .root, name: name))
    _ = try zone.commit([record], expecting: zone.header.sequence)
    return id.description
  }

  /// Returns the number of folders in a zone.
  func folders(in zone: String) throws -> Int {
    let zone = try self.zone(zone)
    try zone.pull()
    return try zone.read { try $0.summary() }.directories
  }

  private func zone(_ text: String) throws -> Zone {
    let id = try #require(ZoneID(hexadecimal: text))
    return try #require(try container.zone(id))
  }

  func start() throws {
    let table = ProgramTable(home)
    var routes = ControlRoutes()
    ProgramOperations(
      container: container, home: home, table: table, attempts: try ProgramAttempts(home)
    ).add(to: &routes)
    let server = try ControlServer(
      home: home, responder: Losing(routes: routes, desk: self))
    try server.start()
    state.withLock { $0 = State(server: server, table: table) }
  }

  func stop() { state.withLock { $0.server.take() }?.stop() }

  /// Removes the folder.
  func close() throws {
    stop()
    for name in ["/index/uploads", "/index", "/secrets"] { try empty(folder + name) }
    try empty(folder)
  }

  private func empty(_ folder: String) throws {
    guard let entries = opendir(folder) else { return }
    var names: [String] = []
    while let entry = readdir(entries) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    closedir(entries)
    for name in names where name != "." && name != ".." { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  /// The routes of a daemon that ends before it answers, if the desk says so.
  private struct Losing: ControlResponder {
    let routes: ControlRoutes
    let desk: ProgramDesk

    func work(for operation: String) -> ControlWork? { routes.work(for: operation) }

    func respond(to operation: String, body: [UInt8], stream: ResponseStream) {
      let isChange = operation != Control.ProgramAsk.name
      guard isChange, desk.lost.load(ordering: .relaxed) > 0 else {
        return routes.respond(to: operation, body: body, stream: stream)
      }
      desk.lost.subtract(1, ordering: .relaxed)
      // Nobody reads the answer.
      let unread = ResponseStream(channel: EmbeddedChannel(), keepAlive: false)
      routes.respond(to: operation, body: body, stream: unread)
      stream.fail(ControlError(.interrupted, "The daemon ended."))
    }
  }
}
