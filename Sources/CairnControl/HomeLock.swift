import Glibc

/// The lock that makes a daemon the only one of its home: held as long as the value lives, and let
/// go by the kernel however the process ends. The file also tells the daemon's process id, and on a
/// second line where its socket is: not everybody who asks has the daemon's XDG_RUNTIME_DIR.
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

  /// Takes over the lock that this process held before it became another program. Nil, and closed,
  /// if it isn't the home's.
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

  /// The process id of the daemon that runs for this home, if one does.
  public static func holder(of home: Home) -> Int32? { told(by: home, processID) }

  /// Where the daemon that runs for this home listens, if one does.
  public static func socket(of home: Home) -> String? {
    told(by: home) { file in
      let lines = text(of: file).split(separator: UInt8(ascii: "\n"), maxSplits: 1)
      guard lines.count == 2, lines[1].first == UInt8(ascii: "/"), lines[1].last == 0x0A else {
        return nil
      }
      return String(validating: lines[1].dropLast(), as: UTF8.self)
    }
  }

  /// What a running daemon's file tells; what an ended one left there counts for nothing.
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

  /// fcntl's commands for locks that belong to the open file and not to the process (linux/fcntl.h;
  /// the Glibc module hides them). They can be tested for without being taken.
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

  /// Takes the lock. Those who only wait for it to be free hold it shared for a moment; another
  /// daemon holds it exclusively, and then this fails.
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
