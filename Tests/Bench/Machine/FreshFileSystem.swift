import BenchFigures
import CairnSystem
import Glibc

/// A journaled file system of the benchmark's own, made anew for each run. It is an image file on a
/// loop device, mounted where no other process sees it, and it disappears with this program.
final class FreshFileSystem {
  /// The folder where it is mounted.
  let folder: String
  private let image: String
  private let bytes: Int
  private let bytesPerInode: Int?

  /// Marks this program when it runs in a mount namespace of its own.
  private static let mark = "CAIRN_BENCH_APART"
  private static let programs = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"]

  /// Begins this program once more in a mount namespace of its own, if it may have one. Returns if
  /// it has one already, or may not.
  static func enter() throws {
    guard getenv(mark) == nil, let unshare = path(of: "unshare") else { return }
    let words = [unshare, "-m", "--propagation", "private"]
    guard (try? Child(words + ["true"], isQuiet: true).end("unshare")) != nil else { return }
    var buffer = [CChar](repeating: 0, count: 4_096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    guard length > 0 else { throw Child.Trouble(description: "can't read /proc/self/exe") }
    let program = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    setenv(mark, "1", 1)
    let arguments = words + [program] + CommandLine.arguments.dropFirst()
    let pointers = arguments.map { strdup($0) } + [nil]
    execv(unshare, pointers)
    throw Child.Trouble(description: "can't start \(unshare)")
  }

  /// Makes a file system of that many gigabytes, with as many inodes as mkfs.ext4 thinks right if
  /// nothing is said. Throws the reason if this program may not have one.
  init(gigabytes: Int, bytesPerInode: Int?, below parent: String) throws {
    guard getenv(Self.mark) != nil else {
      throw Child.Trouble(description: "only root has a mount namespace of its own")
    }
    for program in ["mkfs.ext4", "losetup", "mount", "umount"] where Self.path(of: program) == nil {
      throw Child.Trouble(description: "\(program) isn't installed")
    }
    folder = try freshFolder(below: parent)
    image = folder + ".ext4"
    bytes = gigabytes << 30
    self.bytesPerInode = bytesPerInode
    do { try renew() } catch {
      remove()
      throw error
    }
  }

  /// Makes the file system anew, without any file.
  func renew() throws {
    Self.detach(folder)
    let file = open(image, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0, ftruncate(file, bytes) == 0, close(file) == 0 else {
      throw Child.Trouble(description: "can't make the image \(image)")
    }
    // A mounted image needs no name. So nothing of it stays, however this program ends.
    defer { unlink(image) }
    // Otherwise the kernel writes inode tables during the first minutes.
    var words = ["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"]
    if let bytesPerInode { words += ["-i", "\(bytesPerInode)"] }
    try Self.run(words + [image])
    let device = try attach()
    // Once it is mounted, it is detached together with the file system.
    defer { _ = try? Self.run(["losetup", "-d", device]) }
    try Self.run(["mount", "-t", "ext4", device, folder])
  }

  /// Unmounts it and removes its folder.
  func remove() {
    Self.detach(folder)
    rmdir(folder)
    unlink(image)
    Processes.shared.forget(folder)
  }

  /// Unmounts what is mounted at a folder, even if files are still open.
  static func detach(_ folder: String) {
    guard let parent = folder.lastIndex(of: "/"),
      device(of: folder) != device(of: String(folder[..<parent]))
    else { return }
    if (try? run(["umount", folder])) == nil { _ = try? run(["umount", "-l", folder]) }
  }

  /// Returns the loop device of the image. Without the page cache between, a write to the file
  /// system is a write to the disk below it.
  private func attach() throws -> String {
    let answer = image + ".device"
    defer { unlink(answer) }
    let plain = ["losetup", "-f", "--show"]
    for words in [plain + ["--direct-io=on"], plain] {
      guard (try? Self.run(words + [image], output: answer)) != nil else { continue }
      if let device = text(of: answer).split(separator: "\n").first { return String(device) }
    }
    throw Child.Trouble(description: "no loop device is permitted here")
  }

  private static func device(of path: String) -> UInt? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_dev : nil
  }

  /// Runs a program of the system that may be in a folder for administrators.
  private static func run(_ words: [String], output: String? = nil) throws {
    guard let name = words.first, let path = path(of: name) else { return }
    try Child([path] + words.dropFirst(), output: output, isQuiet: true)
      .end(words.joined(separator: " "))
  }

  private static func path(of program: String) -> String? {
    programs.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
  }
}

/// Makes everything durable that was written to the file system of a path.
func syncFileSystem(_ path: String) throws {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw Child.Trouble(description: "can't open \(path)") }
  defer { close(file) }
  guard cairn_sync_fs(file) >= 0 else {
    throw Child.Trouble(description: "can't make \(path) durable")
  }
}

/// Descriptions for people of the machine and of a file system.
enum Description {
  /// The file system that a folder is on: its type, and whether it has a journal.
  static func fileSystem(of folder: String) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    guard realpath(folder, &buffer) != nil else { return "an unknown file system" }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let path = String(decoding: bytes, as: UTF8.self)
    guard let found = MountedFileSystem(at: path, in: text(of: "/proc/self/mountinfo")) else {
      return "an unknown file system"
    }
    let device = found.source.split(separator: "/").last ?? ""
    let task = text(of: "/sys/fs/ext4/\(device)/journal_task")
    return found.phrase(hasJournal: task.isEmpty ? nil : !task.contains("none"))
  }

  /// The processors and the kernel.
  static var machine: String {
    let model = text(of: "/proc/cpuinfo").split(separator: "\n").first {
      $0.hasPrefix("model name")
    }
    let name = model?.split(separator: ":").last?.split(separator: " ").joined(separator: " ")
    let kernel = text(of: "/proc/sys/kernel/osrelease").split(separator: "\n").first ?? "?"
    let count = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    return "\(count) x \(name ?? "an unknown processor"), Linux \(kernel)"
  }
}
