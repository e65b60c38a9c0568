import CairnControl
import CairnThreads
import Glibc

/// The bytes of files that were read, in files of a folder, up to a limit. The file that was not
/// used for the longest time is removed first. An open file is never removed. Threads that need the
/// same range wait for one fetch.
final class ViewCache: Sendable {
  private struct File {
    /// The open file; -1 while nobody has it open.
    var descriptor: CInt
    var size: Int64
    var present: ByteRanges
    var fetching: [Range<Int64>] = []
    var opens = 0
    /// A Boolean value that indicates whether the file has the name of a whole file.
    var isNamed = false
    /// A Boolean value that indicates whether the file is being removed.
    var isGoing = false
    /// The time of the last use, as a number that grows with each use.
    var used: UInt64
    /// The number of bytes to fetch at once, and the end of the last fetched range.
    var window = ViewCache.smallest
    var end: Int64 = 0

    var isWhole: Bool { present.gap(in: 0..<size) == nil }
  }

  private struct State {
    var files: [String: File] = [:]
    var uses: UInt64 = 0
  }

  /// The smallest and the largest number of bytes that are fetched at once. A program that reads on
  /// gets more each time.
  static let (smallest, largest): (Int64, Int64) = (128 << 10, 16 << 20)
  /// The ending of the name of a file that is not whole.
  private static let partial = ".part"

  /// The folder.
  let folder: String
  /// The name of the folder in requests.
  let name: String
  private let limit: Int64
  private let source: any ViewSource
  private let sync: @Sendable (CInt) -> CInt
  private let state: Monitor<State>

  /// Creates a cache in an existing folder. Whole files of earlier runs stay.
  /// - Parameters:
  ///   - folder: The absolute path of the folder.
  ///   - limit: The limit in bytes of all cached files. Open files count, and are never removed.
  ///   - source: The source of the bytes.
  ///   - sync: A function that writes the bytes of a descriptor to the disk, as fdatasync(2).
  init(
    folder: String, limit: Int64, source: any ViewSource,
    sync: @escaping @Sendable (CInt) -> CInt = { fdatasync($0) }
  ) {
    (self.folder, self.limit, self.source, self.sync) = (folder, limit, source, sync)
    name = folder.split(separator: "/").last.map { String($0) } ?? ""
    state = Monitor(State(files: Self.found(in: folder)))
    removeOldest()
  }

  /// The number of bytes in the cache.
  var bytes: Int64 {
    state.change { state in state.files.values.reduce(0) { $0 + $1.present.count } }
  }

  // MARK: Files

  /// Opens a content, once more if it is open. Nothing is fetched.
  func open(_ content: String, size: Int64) throws(SystemError) {
    let failure: CInt? = state.wait(until: nil) { state in
      // A file that is being removed is made again afterwards.
      guard state.files[content]?.isGoing != true else { return nil }
      state.uses += 1
      var file =
        state.files[content].flatMap { $0.size == size ? $0 : nil }
        ?? File(descriptor: -1, size: size, present: ByteRanges(), used: 0)
      if file.descriptor < 0 {
        file.descriptor = Glibc.open(
          path(content, file), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file.descriptor >= 0 else { return errno }
      }
      file.opens += 1
      file.used = state.uses
      state.files[content] = file
      return 0
    }
    if let failure, failure != 0 { throw SystemError(failure) }
  }

  /// Closes a content that was opened. A whole file that nobody has open gets its name.
  func close(_ content: String) {
    // The file stays open until it has its name.
    let unnamed: CInt? = state.change { state in
      guard let file = state.files[content], file.opens == 1, file.isWhole, !file.isNamed,
        file.size > 0
      else {
        Self.release(&state, content)
        return nil
      }
      return file.descriptor
    }
    if let unnamed {
      let isNamed = name(content, unnamed)
      state.change { state in
        if isNamed { state.files[content]?.isNamed = true }
        Self.release(&state, content)
      }
    }
    removeOldest()
  }

  /// Counts one open of a content less.
  private static func release(_ state: inout State, _ content: String) {
    guard var file = state.files[content] else { return }
    state.uses += 1
    file.used = state.uses
    file.opens -= 1
    if file.opens == 0 {
      Glibc.close(file.descriptor)
      file.descriptor = -1
    }
    state.files[content] = file
  }

  /// Gives a file the name of a whole file, once its bytes are on the disk: after a power cut, the
  /// name alone says that they are. Without the name, the file is fetched again after a restart.
  private func name(_ content: String, _ descriptor: CInt) -> Bool {
    sync(descriptor) == 0 && rename(path(content, Self.partial), path(content, "")) == 0
  }

  /// Returns the descriptor of an open content, once a range of its bytes is there. What is missing
  /// is fetched.
  /// - Throws: `ControlError` if the bytes can't be fetched.
  func descriptor(
    of content: String, in zone: String, with range: Range<Int64>
  ) throws(ControlError) -> CInt {
    while true {
      switch state.wait(until: nil, for: { Self.step(&$0, content, range) }) {
      case .there(let descriptor)?: return descriptor
      case .fetch(let wanted)?: try fetch(content, in: zone, wanted)
      case nil: preconditionFailure("a wait without a deadline ends with a result")
      }
    }
  }

  private enum Step {
    case there(CInt)
    case fetch(Range<Int64>)
  }

  /// The next step for a range; nil while another thread fetches its first missing byte.
  private static func step(
    _ state: inout State, _ content: String, _ range: Range<Int64>
  ) -> Step? {
    guard var file = state.files[content], file.opens > 0 else {
      preconditionFailure("\(content) is read, and isn't open")
    }
    let range = range.clamped(to: 0..<file.size)
    guard let gap = file.present.gap(in: range) else { return .there(file.descriptor) }
    guard !file.fetching.contains(where: { $0.contains(gap.lowerBound) }) else { return nil }
    file.window = gap.lowerBound == file.end ? min(file.window * 2, largest) : smallest
    let end = min(max(gap.upperBound, gap.lowerBound + file.window), file.size)
    // As far as bytes are missing that nobody fetches.
    let free = file.present.gap(in: gap.lowerBound..<end) ?? gap
    let others = file.fetching.map(\.lowerBound).filter { $0 > gap.lowerBound }
    let wanted = gap.lowerBound..<min(free.upperBound, others.min() ?? end)
    file.fetching.append(wanted)
    state.files[content] = file
    return .fetch(wanted)
  }

  private func fetch(
    _ content: String, in zone: String, _ wanted: Range<Int64>
  ) throws(ControlError) {
    let file = "\(name)/\(content)\(Self.partial)"
    let result: Result<Range<Int64>, ControlError>
    do {
      result = .success(try source.read(zone: zone, content: content, into: file, wanted))
    } catch {
      result = .failure(error)
    }
    let isThere = state.change { state in
      state.files[content]?.fetching.removeAll { $0 == wanted }
      if case .success(let range) = result, let size = state.files[content]?.size {
        state.files[content]?.present.insert(range.clamped(to: 0..<size))
        state.files[content]?.end = range.upperBound
      }
      // Another thread's fetch may have contained the range.
      return state.files[content]?.present.gap(in: wanted) == nil
    }
    guard !isThere else { return removeOldest() }
    guard try result.get().contains(wanted.lowerBound) else {
      throw ControlError(
        .assetNotAvailable, "The content is shorter than its entry says.",
        remedy: "Run `cairn verify`.")
    }
    removeOldest()
  }

  // MARK: The limit

  /// Removes the files that nobody uses, those first that were not used for the longest time, until
  /// the rest fits.
  private func removeOldest() {
    let going: [(content: String, path: String)] = state.change { state in
      let kept = state.files.filter { !$0.value.isGoing }
      var bytes = kept.values.reduce(0) { $0 + $1.present.count }
      var going: [(content: String, path: String)] = []
      guard bytes > limit else { return going }
      let idle = kept.filter { $0.value.opens == 0 }
      for (content, file) in idle.sorted(by: { $0.value.used < $1.value.used }) {
        going.append((content, path(content, file)))
        state.files[content]?.isGoing = true
        bytes -= file.present.count
        if bytes <= limit { break }
      }
      return going
    }
    guard !going.isEmpty else { return }
    for file in going { unlink(file.path) }
    state.change { state in for file in going { state.files[file.content] = nil } }
  }

  private func path(_ content: String, _ file: File) -> String {
    path(content, file.isNamed ? "" : Self.partial)
  }

  private func path(_ content: String, _ ending: String) -> String {
    "\(folder)/\(content)\(ending)"
  }

  /// Returns the whole files in a folder, the oldest first, and removes the others.
  private static func found(in folder: String) -> [String: File] {
    var whole: [(name: String, size: Int64, time: Int)] = []
    for name in ViewFolder.names(in: folder) {
      var status = stat()
      guard lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      if name.hasSuffix(partial) {
        unlink("\(folder)/\(name)")
      } else if name.count == 64, name.allSatisfy({ $0.isHexDigit }) {
        whole.append((name, Int64(status.st_size), status.st_mtim.tv_sec))
      }
    }
    var files: [String: File] = [:]
    for (place, file) in whole.sorted(by: { $0.time < $1.time }).enumerated() {
      var present = ByteRanges()
      present.insert(0..<file.size)
      files[file.name] = File(
        descriptor: -1, size: file.size, present: present, isNamed: true, used: UInt64(place))
    }
    return files
  }
}
