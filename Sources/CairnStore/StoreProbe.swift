import CairnSystem
import CairnThreads
import Glibc
import Synchronization

/// Tests the features of a store before anybody trusts it, for `cairn init` and `cairn doctor`. It
/// owns only the objects that it creates, and removes them again.
public enum StoreProbe {
  /// The folder for test objects.
  public static let folder = "probe"
  /// The default number of writers that race for a key.
  public static let writers = 8
  /// The number of keys in the race.
  public static let keys = 10
  /// The number of concurrent races: over a network, a race takes as long as its answers.
  private static let racesAtOnce = 2

  /// Tests the file system of this folder by using it in `tmp` beneath it. Throws if the folder
  /// cannot be reached or written at all. Missing features are in the result.
  public static func run(root: String) throws(StoreError) -> StoreTraits {
    let store = DirectoryStore(root: root)
    let rootFolder = try store.openRoot()
    let modes = try SharedModes(of: rootFolder, path: root)
    let staging = try store.openStaging(rootFolder, modes, for: nil)
    let name = StagedObject.randomName()
    guard mkdirat(staging.raw, name, 0o700) == 0 else {
      throw .system(errno, "make a folder", root: root)
    }
    defer { unlinkat(staging.raw, name, Int32(AT_REMOVEDIR)) }
    let raw = Descriptor.openBeneath(staging.raw, name, O_RDONLY | O_DIRECTORY)
    guard raw >= 0 else { throw .system(-raw, "open a folder", root: root) }
    let bench = ProbeBench(folder: raw)
    defer { bench.clear() }
    var type: UInt64 = 0
    let typed = cairn_statfs_type(raw, &type)
    let fileSystem = FileSystemName(magic: typed == 0 ? type : 0)
    let isDurable = try bench.syncs(root: root)
    let links = bench.race(writers: writers, keys: keys, by: .link)
    let renames = bench.race(writers: writers, keys: keys, by: .renameNoReplace)
    return StoreTraits(
      findings: [
        StoreTraits.Finding(
          "link", works: links, note: "puts a file only if it isn't there, atomically"),
        StoreTraits.Finding(
          "rename-noreplace", works: renames, note: "does the same by renaming"),
        StoreTraits.Finding("fsync", works: isDurable, note: "makes files durable"),
      ],
      allowsManyWriters: links || renames, isDurable: isDurable,
      // A network file system does not report changes by other machines.
      notifies: fileSystem.isLocal && bench.notices(), fileSystem: fileSystem.description)
  }

  /// Inspects the folder's file system without writing: its name, and whether others' changes are
  /// reported at once. A file system that is mounted read-only reports none, because its writers
  /// are elsewhere.
  public static func look(root: String) throws(StoreError) -> (fileSystem: String, notifies: Bool) {
    let folder = try DirectoryStore(root: root, isTidied: false).openRoot()
    var type: UInt64 = 0
    let typed = cairn_statfs_type(folder.raw, &type)
    let fileSystem = FileSystemName(magic: typed == 0 ? type : 0)
    var status = statvfs()
    let isReadOnly = fstatvfs(folder.raw, &status) != 0 || status.f_flag & UInt(ST_RDONLY) != 0
    return (fileSystem.description, fileSystem.isLocal && !isReadOnly)
  }

  /// Proves the contract on any store: the same key twice, a race, the bytes, the list. Throws
  /// `.unsupported` with the reason if several writers cannot trust it, and the store's own errors.
  /// Its objects, under `probe/`, are removed again.
  public static func check(
    _ store: some ObjectStore, writers: Int = StoreProbe.writers, keys: Int = StoreProbe.keys
  ) throws(StoreError) {
    let prefix = "\(folder)/\(StagedObject.randomName())-"
    let names = try (0...keys).map { (index) throws(StoreError) in
      try key(prefix + String(index))
    }
    let outcome = Result { () throws(StoreError) in
      try twice(store, names[0])
      let raced = Array(names.dropFirst())
      var winners: [Int] = []
      for first in stride(from: 0, to: raced.count, by: racesAtOnce) {
        winners += try race(store, raced[first...].prefix(racesAtOnce), writers)
      }
      try kept(store, raced, by: winners)
      try listed(store, prefix, names)
    }
    try store.delete(each: names)
    try outcome.get()
  }

  private static func key(_ text: String) throws(StoreError) -> ObjectKey {
    guard let key = ObjectKey(text) else {
      throw distrust(nil, "cannot be tried: \(text) is no key")
    }
    return key
  }

  private static func distrust(_ key: ObjectKey?, _ what: String) -> StoreError {
    StoreError(
      code: .unsupported, key: key,
      cause: "This store \(what), so several writers cannot share it safely. Use another one.")
  }

  private static func twice(_ store: some ObjectStore, _ key: ObjectKey) throws(StoreError) {
    let first = [UInt8]("first".utf8)
    // A proxy may send a request twice, and give the answer to the second one.
    if try store.put(key, first) == .exists, try store.get(key) != first {
      throw distrust(key, "says that a new object was there before")
    }
    guard try store.put(key, [UInt8]("second".utf8)) == .exists else {
      throw distrust(key, "stores a second object under a key that is taken")
    }
    guard try store.get(key) == first, try store.size(of: key) == first.count,
      try store.get(key, range: 1..<3) == Array(first[1..<3])
    else { throw distrust(key, "does not give back the bytes that were stored") }
  }

  /// Races for keys.
  /// - Returns: the winner of each key.
  private static func race(
    _ store: some ObjectStore, _ keys: ArraySlice<ObjectKey>, _ writers: Int
  ) throws(StoreError) -> [Int] {
    let keys = Array(keys)
    typealias Answer = (writer: Int, outcome: Result<PutOutcome, StoreError>)
    let answers = Mutex([[Answer]](repeating: [], count: keys.count))
    PosixThread.race(writers * keys.count) { number in
      let (writer, key) = number.quotientAndRemainder(dividingBy: keys.count)
      let outcome = Result { () throws(StoreError) in try store.put(keys[key], entry(writer)) }
      answers.withLock { $0[key].append((writer, outcome)) }
    }
    var winners: [Int] = []
    for (key, answers) in zip(keys, answers.withLock { $0 }) {
      var won: [Int] = []
      for answer in answers where try answer.outcome.get() == .stored { won.append(answer.writer) }
      // A request that was sent twice has the second answer. The bytes tell whose is stored.
      if won.isEmpty, let bytes = try store.get(key) {
        won = (0..<writers).filter { entry($0) == bytes }
      }
      guard won.count == 1 else {
        throw distrust(key, "let \(won.count) of \(writers) racing writers win one key")
      }
      winners += won
    }
    return winners
  }

  /// Returns whether each key has exactly the bytes of its winner.
  private static func kept(
    _ store: some ObjectStore, _ keys: [ObjectKey], by winners: [Int]
  ) throws(StoreError) {
    let found = store.get(each: keys, range: 0..<entry(0).count + 1)
    for (key, (answer, winner)) in zip(keys, zip(found, winners)) {
      guard try answer.get() == entry(winner) else {
        throw distrust(key, "does not hold the bytes of the writer that won")
      }
    }
  }

  private static func entry(_ writer: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: writer), count: 512)
  }

  private static func listed(
    _ store: some ObjectStore, _ prefix: String, _ names: [ObjectKey]
  ) throws(StoreError) {
    guard try store.list(prefix, after: nil, limit: names.count + 1) == names.sorted() else {
      throw distrust(nil, "does not list what was stored")
    }
  }
}
