import CairnStore
import Glibc
import Synchronization
import Testing

/// The stores that must keep the one contract.
enum TestedStore: String, CaseIterable, CustomTestStringConvertible {
  case directory, memory, bucket, web, asking, traffic, engine

  /// All, or the one that `make engines` tries.
  static let allCases: [TestedStore] =
    TestedEngine() == nil
    ? [.directory, .memory, .bucket, .web, .asking, .traffic] : [.engine]

  /// Those in which an object and a folder of one name refuse each other.
  static let withFolders: [TestedStore] = [.directory, .memory, .asking, .traffic]
  /// The stores that notify of others' writes.
  static let notifying: [TestedStore] = [.directory, .memory, .asking, .traffic]

  var testDescription: String { rawValue }

  /// A fresh store; keep the folder as long as the store is used.
  func make() -> (store: any ObjectStore, folder: TemporaryFolder) {
    let folder = TemporaryFolder()
    switch self {
    case .directory: return (DirectoryStore(root: folder.path), folder)
    case .memory: return (MemoryStore(), folder)
    case .web: return (ShownFolder(folder.path), folder)
    case .asking:
      let owner = String(repeating: "0", count: 32)
      let inner = DirectoryStore(root: folder.path)
      return (
        AskingStore(inner, owner: owner, isTold: true, isFolder: false, longest: 60), folder
      )
    case .traffic:
      let traffic = Traffic(limits: .init(upload: 1 << 33, download: 1 << 33), date: { 0 })
      let line = TrafficStore(DirectoryStore(root: folder.path), traffic, .line)
      return (TrafficStore(line, traffic, .parts).part("one"), folder)
    case .engine:
      do { return (try #require(TestedEngine()).open(), folder) } catch {
        preconditionFailure("no engine: \(error)")
      }
    case .bucket:
      do { return (try TestBucket.shared.location().open(), folder) } catch {
        preconditionFailure("no bucket: \(error)")
      }
    }
  }
}

/// Counts hints, and lets a test wait for one.
final class HintCounter: Sendable {
  private let count = Mutex(0)
  private let pipe: (read: Int32, write: Int32)

  init() {
    var ends: [Int32] = [0, 0]
    precondition(Glibc.pipe(&ends) == 0, "no pipe")
    pipe = (ends[0], ends[1])
  }

  deinit {
    close(pipe.read)
    close(pipe.write)
  }

  var value: Int { count.withLock { $0 } }

  func hint() {
    count.withLock { $0 += 1 }
    var byte: UInt8 = 1
    _ = write(pipe.write, &byte, 1)
  }

  /// Takes one hint; false if none comes in 30 seconds.
  func wait() -> Bool {
    var waiting = pollfd(fd: pipe.read, events: Int16(POLLIN), revents: 0)
    var byte: UInt8 = 0
    return poll(&waiting, 1, 30_000) == 1 && read(pipe.read, &byte, 1) == 1
  }
}

func key(_ text: String) throws -> ObjectKey {
  try #require(ObjectKey(text))
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
