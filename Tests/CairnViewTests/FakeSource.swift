import CairnControl
import CairnThreads
import Glibc

@testable import CairnView

/// A zone with one directory of numbered files, in memory. It counts the requests.
final class FakeSource: ViewSource {
  struct State {
    var entries: [Control.ViewEntry] = []
    var lists = 0
    var finds = 0
    var reads: [Range<Int64>] = []
    var failure: ControlError?
    var puts: [(request: Control.ViewPut, bytes: [UInt8])] = []
    var changes: [Control.ViewChange] = []
    var putFailure: ControlError?
    /// The number of reads that wait until it is raised; nil: none waits.
    var isHeld = false
    var waiting = 0
    /// The first bytes of reads that wait until they are removed.
    var held: Set<Int64> = []
    /// The range that each read writes; nil: the wanted one.
    var chunk: Range<Int64>?
    /// The number of puts that began, and whether they wait.
    var putting = 0
    var isPutHeld = false
  }

  let folder: String
  let state = Monitor(State())

  /// The written files with their bytes, and the other changes.
  var puts: [(request: Control.ViewPut, bytes: [UInt8])] { state.change { $0.puts } }
  var changes: [Control.ViewChange] { state.change { $0.changes } }

  /// Creates a zone whose bytes are written into files below a folder.
  init(_ folder: String) { self.folder = folder }

  static func file(_ number: Int, size: Int64 = 3, content: Int? = nil) -> Control.ViewEntry {
    Control.ViewEntry(
      name: Control.Path(String(1_000_000 + number)), zone: "z", record: String(number),
      kind: .file, size: size, modified: Control.Time(nanoseconds: 0), executable: false,
      content: Self.content(content ?? number))
  }

  static let root = Control.ViewEntry(
    name: Control.Path(""), zone: "z", record: "root", kind: .directory, size: 0,
    modified: Control.Time(nanoseconds: 0), executable: false)

  /// An id of a content.
  static func content(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  func find(
    zone: String, record: String, name: [UInt8]?
  ) throws(ControlError) -> Control.ViewEntry {
    let (found, failure) = state.change { state in
      state.finds += 1
      let found = state.entries.first { name == nil ? $0.record == record : $0.name.bytes == name }
      return (name == nil && record == "root" ? Self.root : found, state.failure)
    }
    if let failure { throw failure }
    guard let found else { throw ControlError(.unknownItem, "gone") }
    return found
  }

  func list(
    zone: String, record: String, after: [UInt8]?, limit: Int
  ) throws(ControlError) -> (entries: [Control.ViewEntry], next: [UInt8]?) {
    let (rest, failure) = state.change { state in
      state.lists += 1
      let rest = state.entries.drop { entry in
        guard let after else { return false }
        return !after.lexicographicallyPrecedes(entry.name.bytes)
      }
      return (rest, state.failure)
    }
    if let failure { throw failure }
    let part = Array(rest.prefix(limit))
    return (part, part.count < limit ? nil : part.last?.name.bytes)
  }

  func read(
    zone: String, content: String, into file: String, _ range: Range<Int64>
  ) throws(ControlError) -> Range<Int64> {
    let failure: ControlError? = state.change { state in
      state.reads.append(range)
      state.waiting += 1
      return state.failure
    }
    if let failure { throw failure }
    _ = state.wait(until: nil) { $0.isHeld || $0.held.contains(range.lowerBound) ? nil : true }
    let range = state.change { $0.chunk } ?? range
    let target = open("\(folder)/\(file)", O_WRONLY)
    guard target >= 0 else { throw ControlError(.internalError, "no file \(file)") }
    defer { close(target) }
    let bytes = range.map { UInt8(truncatingIfNeeded: $0) }
    guard pwrite(target, bytes, bytes.count, off_t(range.lowerBound)) == bytes.count else {
      throw ControlError(.internalError, "\(file) can't be written")
    }
    return range
  }

  func put(_ request: Control.ViewPut) throws(ControlError) -> Control.ViewPutReply {
    if let failure = state.change({ $0.putFailure }) { throw failure }
    let file = open("\(folder)/\(request.file)", O_RDONLY)
    guard file >= 0 else { throw ControlError(.internalError, "no file \(request.file)") }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 1_000)
    let count = Glibc.read(file, &bytes, bytes.count)
    bytes.removeLast(bytes.count - max(0, count))
    let sent = bytes
    state.change { $0.putting += 1 }
    _ = state.wait(until: nil) { $0.isPutHeld ? nil : true }
    return state.change { state in
      state.puts.append((request, sent))
      let number = state.puts.count
      let entry = Control.ViewEntry(
        name: request.name, zone: "z", record: request.record ?? "put \(number)", kind: .file,
        size: Int64(bytes.count), modified: request.modified, executable: request.executable,
        content: Self.content(1_000 + number))
      state.entries.removeAll { $0.record == entry.record }
      state.entries.append(entry)
      return Control.ViewPutReply(entry: entry, conflict: false)
    }
  }

  func change(_ request: Control.ViewChange) throws(ControlError) -> Control.ViewEntry? {
    state.change { state in
      state.changes.append(request)
      guard let place = state.entries.firstIndex(where: { $0.record == request.record }) else {
        return nil
      }
      guard request.act != .delete else {
        state.entries.remove(at: place)
        return nil
      }
      if let name = request.name { state.entries[place].name = name }
      return state.entries[place]
    }
  }
}

/// A temporary folder with a view's cache below it.
struct CacheFolder {
  let path: String
  var view: String { path + "/view" }
  var rescue: String { path + "/rescue" }

  static func play(_ body: (CacheFolder) throws -> Void) throws {
    var template = Array("/tmp/cairn-view-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError(errno) }
    let folder = CacheFolder(
      path: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    guard mkdir(folder.view, 0o700) == 0 else { throw SystemError(errno) }
    defer {
      for name in folder.names { unlink("\(folder.view)/\(name)") }
      for name in folder.rescued { unlink("\(folder.rescue)/\(name)") }
      rmdir(folder.rescue)
      unlink(folder.rescue + ".origin.json")
      rmdir(folder.view)
      rmdir(folder.path)
    }
    try body(folder)
  }

  /// The names in the view's folder, and in the rescue folder, sorted.
  var names: [String] { ViewFolder.names(in: view).sorted() }
  var rescued: [String] { ViewFolder.names(in: rescue).sorted() }
}
