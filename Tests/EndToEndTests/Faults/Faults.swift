import Glibc

/// A test's control of the system calls of one person's daemon: the page that it shares with
/// `libCairnFaults.so` (Tests/Faults), which counts them and lets one of them fail.
final class Faults {
  /// The effect on the selected call.
  enum Act: Hashable, CustomStringConvertible {
    /// The daemon ends before the call, as by a power cut that keeps what was written.
    case kill
    /// The call does nothing and fails.
    case fail(errno: Int32)

    /// All acts that `make crash FAULTS=…` accepts.
    static let all: [(name: String, act: Act)] = [
      ("kill", .kill), ("EIO", .fail(errno: EIO)), ("ENOSPC", .fail(errno: ENOSPC)),
      ("EDQUOT", .fail(errno: EDQUOT)), ("EMFILE", .fail(errno: EMFILE)),
    ]

    var description: String { Self.all.first { $0.act == self }?.name ?? "nothing" }
  }

  /// The counted calls. The number of calls of one sort is about the same each time; that of all
  /// calls is not.
  enum Calls: String, CaseIterable {
    /// Calls that create, rename and remove names, and set times and modes.
    case names
    /// Calls that write, and make durable.
    case contents
    /// SQLite's calls on the index.
    case index
    /// Calls that open a file or directory.
    case opening

    /// The bits of `cairn_fault_kind`.
    fileprivate var kinds: Int {
      switch self {
      case .names: 4 | 8 | 16 | 32 | 128
      case .contents: 1 | 2 | 64
      case .index: 512
      case .opening: 256
      }
    }

    /// Returns whether such a call can fail in that way. Only opening fails with too many open
    /// files.
    func has(_ act: Act) -> Bool { (act == .fail(errno: EMFILE)) == (self == .opening) }
  }

  /// The places of the numbers in `struct cairn_faults`.
  private enum Field: Int {
    case kinds, nth, act, count, fired, seconds
  }

  private static let (size, call, path, folder) = (4096, 64, 128, 2048)
  let environment: [String]
  private let page: UnsafeMutableRawPointer

  /// Creates a page for the daemons of one home. The fault can affect their calls on files in the
  /// test's folder.
  init(_ home: String, in root: Folder) throws {
    let name: Name = "\(home).faults"
    try root.write([UInt8](repeating: 0, count: Self.size), to: name)
    let file = open(root.path + "/\(home).faults", O_RDWR | O_CLOEXEC)
    defer { close(file) }
    let start = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    guard let start, start != MAP_FAILED else {
      throw Folder.Trouble(description: "mmap \(name): \(String(cString: strerror(errno)))")
    }
    page = start
    let library = try Program.built("libCairnFaults.so")
    environment = ["LD_PRELOAD=\(library)", "CAIRN_FAULTS=\(root.path)/\(home).faults"]
    let text = Array((root.path + "/").utf8)
    page.advanced(by: Self.folder).copyMemory(from: text, byteCount: text.count)
  }

  deinit { munmap(page, Self.size) }

  private subscript(_ field: Field) -> Int {
    get { page.load(fromByteOffset: field.rawValue * 8, as: Int.self) }
    set { page.storeBytes(of: newValue, toByteOffset: field.rawValue * 8, as: Int.self) }
  }

  /// Arms the fault for the `number`th call. It happens once, and later calls succeed again.
  func arm(_ act: Act, _ calls: Calls, at number: Int) {
    self[.kinds] = 0
    self[.nth] = number
    switch act {
    case .kill: self[.act] = -1
    case .fail(let errno): self[.act] = Int(errno)
    }
    self[.count] = 0
    self[.fired] = 0
    self[.kinds] = calls.kinds
  }

  /// Ends the fault.
  func disarm() { self[.kinds] = 0 }

  /// A Boolean value that indicates whether the fault has happened.
  var hasFired: Bool { self[.fired] != 0 }

  /// The number of calls since the start of counting.
  var count: Int { self[.count] }

  /// The affected call and its file.
  var place: String {
    let call = page.advanced(by: Self.call).assumingMemoryBound(to: CChar.self)
    let path = page.advanced(by: Self.path).assumingMemoryBound(to: CChar.self)
    return "\(String(cString: call)) \(String(cString: path))"
  }

  /// Returns whether the failed call was about to remove that file, in any folder.
  func isAbout(_ name: Name) -> Bool {
    let end = "/" + String(decoding: name.bytes, as: UTF8.self)
    return self[.act] > 0 && place.hasPrefix("unlinkat ") && place.hasSuffix(end)
  }

  /// The difference between the daemon's date and ours, in seconds.
  var seconds: Int {
    get { self[.seconds] }
    set { self[.seconds] = newValue }
  }
}
