import CairnControl
import CairnThreads
import Glibc

/// The bytes of files that were read, in files of a folder, up to a limit. The file that was not
/// used for the longest time is removed first. An open file is never removed, and no byte is
/// fetched twice at the same time.
final class ViewCache: Sendable {
  private struct File {
    /// The open file; -1 while nobody has it open.
    var descriptor: CInt
    var size: Int64
    var present: ByteRanges
    var fetching: [Range<Int64>] = []
    var opens = 0
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
  private let state: Monitor<State>

  /// Creates a cache in an existing folder. Whole files of earlier runs stay.
  /// - Parameters:
  ///   - folder: The absolute path of the folder.
  ///   - limit: The largest number of bytes of files that nobody has open.
  ///   - source: The source of the bytes.
  init(folder: String, limit: Int64, source: any ViewSource) {
    (self.folder, self.limit, self.source) = (folder, limit, source)
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
    let failure: CInt? = state.change { state in
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
      return nil
    }
    if let failure { throw SystemError(failure) }
  }

  /// Closes a content that was opened.
  func close(_ content: String) {
    state.change { state in
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
    removeOldest()
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
    state.change { state in
      state.files[content]?.fetching.removeAll { $0 == wanted }
      guard case .success(let range) = result, var file = state.files[content] else { return }
      file.present.insert(range.clamped(to: 0..<file.size))
      file.end = range.upperBound
      if file.isWhole {
        // Without the new name, it is fetched again after a restart.
        _ = rename(path(content, Self.partial), path(content, ""))
      }
      state.files[content] = file
    }
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
    state.change { state in
      var bytes = state.files.values.reduce(0) { $0 + $1.present.count }
      guard bytes > limit else { return }
      let idle = state.files.filter { $0.value.opens == 0 && $0.value.fetching.isEmpty }
      for (content, file) in idle.sorted(by: { $0.value.used < $1.value.used }) {
        unlink(path(content, file))
        state.files[content] = nil
        bytes -= file.present.count
        if bytes <= limit { return }
      }
    }
  }

  private func path(_ content: String, _ file: File) -> String {
    path(content, file.isWhole && file.size > 0 ? "" : Self.partial)
  }

  private func path(_ content: String, _ ending: String) -> String {
    "\(folder)/\(content)\(ending)"
  }

  /// Returns the whole files in a folder, the oldest first, and removes the others.
  private static func found(in folder: String) -> [String: File] {
    guard let directory = opendir(folder) else { return [:] }
    defer { closedir(directory) }
    var whole: [(name: String, size: Int64, time: Int)] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
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
        descriptor: -1, size: file.size, present: present, used: UInt64(place))
    }
    return files
  }
}
