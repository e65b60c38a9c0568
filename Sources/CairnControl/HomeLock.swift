import Glibc

/// The lock that makes a daemon the only one of its home. It is held while the value exists, and
/// the kernel releases it however the process ends. The file contains the daemon's process id, and
/// on a second line the path of its socket, because some clients lack the daemon's XDG_RUNTIME_DIR.
public final class HomeLock: Sendable {
  /// The open file that holds the lock.
  public let descriptor: CInt

  /// Locks `home.lock`, whose folder must exist, and writes this process's id to it. Throws
  /// `alreadyRunning` if a daemon of this home is running.
  public init(_ home: Home) throws(ControlError) {
    let file = try Self.open(home)
    guard Self.lock(file) else {
      let number = errno
      let holder = Self.processID(in: file)
      close(file)
      guard number == EAGAIN || number == EACCES else { throw Self.failure(home, number) }
      let who = holder.map { " as process \($0)" } ?? ""
      throw ControlError(
        .alreadyRunning, "A cairnd is already running for this home\(who).",
        remedy: "Use it, or end it with `cairn stop`.", path: .init(home.lock))
    }
    let lines = Array("\(getpid())\n\(home.socket)\n".utf8)
    guard ftruncate(file, 0) == 0, pwrite(file, lines, lines.count, 0) == lines.count else {
      let number = errno
      close(file)
      throw Self.failure(home, number)
    }
    descriptor = file
  }

  /// Takes over the lock that this process held before it became another program. Returns nil, and
  /// closes the descriptor, if it is not the home's lock.
  public init?(_ home: Home, takingOver descriptor: CInt) {
    var (own, standing) = (stat(), stat())
    guard fstat(descriptor, &own) == 0, stat(home.lock, &standing) == 0,
      own.st_dev == standing.st_dev, own.st_ino == standing.st_ino,
      fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, Self.lock(descriptor)
    else {
      Glibc.close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// The process id of the running daemon of this home; nil if there is none.
  public static func holder(of home: Home) -> Int32? { told(by: home, processID) }

  /// The socket of the running daemon of this home; nil if there is none.
  public static func socket(of home: Home) -> String? {
    told(by: home) { file in
      let lines = text(of: file).split(separator: UInt8(ascii: "\n"), maxSplits: 1)
      guard lines.count == 2, lines[1].first == UInt8(ascii: "/"), lines[1].last == 0x0A else {
        return nil
      }
      return String(validating: lines[1].dropLast(), as: UTF8.self)
    }
  }

  /// The content of a running daemon's file. The file of an ended daemon is ignored.
  private static func told<Answer>(by home: Home, _ read: (CInt) -> Answer?) -> Answer? {
    let file = Glibc.open(home.lock, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var other = region(F_WRLCK)
    guard fcntl(file, OpenFileLock.test, &other) == 0, other.l_type == F_WRLCK else { return nil }
    return read(file)
  }

  /// Blocks until no daemon runs for this home.
  public static func waitUntilFree(_ home: Home) {
    let file = Glibc.open(home.lock, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return }
    var shared = region(F_RDLCK)
    while fcntl(file, OpenFileLock.wait, &shared) != 0 && errno == EINTR {}
    close(file)
  }

  /// The fcntl commands for locks of an open file instead of a process (linux/fcntl.h; the Glibc
  /// module hides them). They can be tested without being taken.
  private enum OpenFileLock {
    static let test: CInt = 36
    static let set: CInt = 37
    static let wait: CInt = 38
  }

  private static func region(_ type: CInt) -> flock {
    var region = Glibc.flock()
    region.l_type = Int16(type)
    region.l_whence = Int16(SEEK_SET)
    return region
  }

  /// Takes the lock. Waiting clients hold it shared for a short time. A running daemon holds it
  /// exclusively, and then this fails.
  private static func lock(_ file: CInt) -> Bool {
    var mine = region(F_WRLCK)
    if fcntl(file, OpenFileLock.set, &mine) == 0 { return true }
    let number = errno
    var other = region(F_WRLCK)
    if fcntl(file, OpenFileLock.test, &other) == 0, other.l_type != F_WRLCK {
      while true {
        if fcntl(file, OpenFileLock.wait, &mine) == 0 { return true }
        guard errno == EINTR else { return false }
      }
    }
    errno = number
    return false
  }

  private static func open(_ home: Home) throws(ControlError) -> CInt {
    let file = Glibc.open(home.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure(home, errno) }
    return file
  }

  private static func processID(in file: CInt) -> Int32? {
    Int32(String(decoding: text(of: file).prefix { (0x30...0x39).contains($0) }, as: UTF8.self))
  }

  private static func text(of file: CInt) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 256)
    return Array(bytes[..<max(0, pread(file, &bytes, bytes.count, 0))])
  }

  private static func failure(_ home: Home, _ number: CInt) -> ControlError {
    ControlError(
      number == EACCES || number == EROFS ? .permissionFailure : .internalError,
      "The lock \(home.lock) can't be had: \(String(cString: strerror(number))).",
      remedy: "See that its folder is yours and has room.", path: .init(home.lock))
  }
}
