import Glibc

/// A folder of a test on the real disk, and the actions of a person's programs in it. Names may be
/// any bytes. Each call throws `Trouble` with errno's own words.
struct Folder: Sendable {
  let path: String

  struct Trouble: Error, CustomStringConvertible {
    let description: String
  }

  /// The entry at one name. Two folders are the same if these are.
  struct Node: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case file([UInt8])
      case directory
      case symlink([UInt8])
      case other
    }

    var kind: Kind
    /// Permission bits; 0 for a symlink, which has none.
    var mode: UInt32
    /// Nanoseconds since 1970.
    var modified: Int
  }

  init(_ path: String) { self.path = path }

  // MARK: Reading

  /// Returns everything below, by name, without the `.cairn` at the root.
  func tree() throws -> [Name: Node] {
    var tree: [Name: Node] = [:]
    var open = try names("").filter { $0 != ".cairn" }
    while let name = open.popLast() {
      let node = try self.node(name)
      tree[name] = node
      if node.kind == .directory { open += try names(name).map { name / $0 } }
    }
    return tree
  }

  /// Returns the names of all entries below `name` that aren't directories.
  func files(below name: Name = "") throws -> [Name] {
    var found: [Name] = []
    var open = try names(name).map { name.bytes.isEmpty ? $0 : name / $0 }
    while let name = open.popLast() {
      if try node(name).kind == .directory {
        open += try names(name).map { name / $0 }
      } else {
        found.append(name)
      }
    }
    return found
  }

  func node(_ name: Name) throws -> Node {
    let status = try status(name)
    let modified = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
    var mode = UInt32(status.st_mode) & 0o7777
    let kind: Node.Kind
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .file(try read(name))
    case S_IFDIR: kind = .directory
    case S_IFLNK:
      var target = [UInt8](repeating: 0, count: 4096)
      let count = target.withUnsafeMutableBytes { bytes in
        bytes.withMemoryRebound(to: CChar.self) { text in
          at(name) { path in text.baseAddress.map { readlink(path, $0, text.count) } ?? -1 }
        }
      }
      try check(count, "readlink", name)
      kind = .symlink(Array(target[..<count]))
      mode = 0
    default: kind = .other
    }
    return Node(kind: kind, mode: mode, modified: modified)
  }

  func exists(_ name: Name) -> Bool {
    var status = stat()
    return at(name) { lstat($0, &status) } == 0
  }

  func isFolder(_ name: Name) -> Bool {
    var status = stat()
    return at(name) { lstat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  func inode(_ name: Name) throws -> UInt { try UInt(status(name).st_ino) }

  func read(_ name: Name) throws -> [UInt8] {
    let file = at(name) { open($0, O_RDONLY | O_CLOEXEC) }
    try check(Int(file), "open", name)
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(file, &buffer, buffer.count)
      try check(count, "read", name)
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  func text(_ name: Name) throws -> String { String(decoding: try read(name), as: UTF8.self) }

  func names(_ name: Name) throws -> [Name] {
    guard let stream = at(name, { opendir($0) }) else { throw trouble("opendir", name) }
    defer { closedir(stream) }
    var names: [Name] = []
    while let entry = readdir(stream) {
      let found = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if found != Array(".".utf8), found != Array("..".utf8) { names.append(Name(found)) }
    }
    return names
  }

  // MARK: Changing

  func make(_ name: Name) throws { try check(Int(at(name) { mkdir($0, 0o755) }), "mkdir", name) }

  /// Creates the file, or overwrites it in place.
  func write(_ text: String, to name: Name) throws { try write(Array(text.utf8), to: name) }

  func write(_ bytes: [UInt8], to name: Name, flags: CInt = O_TRUNC) throws {
    let file = at(name) { open($0, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0o644) }
    try check(Int(file), "open", name)
    defer { close(file) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      try check(count, "write", name)
      rest = rest.dropFirst(count)
    }
  }

  func append(_ text: String, to name: Name) throws {
    try write(Array(text.utf8), to: name, flags: O_APPEND)
  }

  /// Changes one byte in the middle of a file.
  func flip(_ name: Name, at offset: Int? = nil) throws {
    var bytes = try read(name)
    bytes[offset ?? bytes.count / 2] ^= 0x10
    try check(Int(at(name) { chmod($0, 0o600) }), "chmod", name)
    try write(bytes, to: name)
  }

  func truncate(_ name: Name, to length: Int) throws {
    try check(Int(at(name) { Glibc.truncate($0, length) }), "truncate", name)
  }

  func move(_ old: Name, to new: Name) throws {
    try check(Int(at(old) { old in at(new) { rename(old, $0) } }), "rename", old)
  }

  func hardLink(_ old: Name, to new: Name) throws {
    try check(Int(at(old) { old in at(new) { Glibc.link(old, $0) } }), "link", old)
  }

  func remove(_ name: Name) throws {
    if try node(name).kind == .directory {
      for inner in try names(name) { try remove(name / inner) }
      try check(Int(at(name) { rmdir($0) }), "rmdir", name)
    } else {
      try check(Int(at(name) { unlink($0) }), "unlink", name)
    }
  }

  func link(_ name: Name, to target: Name) throws {
    let result = (target.bytes + [0]).withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { target in
        at(name) { path in target.baseAddress.map { symlink($0, path) } ?? -1 }
      }
    }
    try check(Int(result), "symlink", name)
  }

  func pipe(_ name: Name) throws { try check(Int(at(name) { mkfifo($0, 0o644) }), "mkfifo", name) }

  /// Binds a Unix socket there. Its file stays after the descriptor is closed.
  func socket(_ name: Name) throws {
    let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8) + [0x2F] + name.bytes
    precondition(bytes.count < MemoryLayout.size(ofValue: address.sun_path), "path too long")
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try check(Int(result), "bind", name)
  }

  func change(mode: UInt32, of name: Name) throws {
    try check(Int(at(name) { chmod($0, mode) }), "chmod", name)
  }

  func touch(_ name: Name, seconds: Int, nanoseconds: Int) throws {
    let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    let result = at(name) { utimensat(AT_FDCWD, $0, [time, time], AT_SYMLINK_NOFOLLOW) }
    try check(Int(result), "utimensat", name)
  }

  // MARK: The system

  private func status(_ name: Name) throws -> stat {
    var status = stat()
    try check(Int(at(name) { lstat($0, &status) }), "lstat", name)
    return status
  }

  func at<Result>(_ name: Name, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
    let bytes = Array(path.utf8) + [0x2F] + name.bytes + [0]
    return bytes.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { text in
      guard let start = text.baseAddress else { preconditionFailure("a path has bytes") }
      return body(start)
    }
  }

  private func check(_ result: Int, _ call: String, _ name: Name) throws {
    guard result >= 0 else { throw trouble(call, name) }
  }

  private func trouble(_ call: String, _ name: Name) -> Trouble {
    Trouble(description: "\(call) \(name) in \(path): \(String(cString: strerror(errno)))")
  }
}
