import CairnFolders
import CairnSystem
import Glibc
import Synchronization

/// The real file system. One path in it can be made to fail or to lie.
final class FailingDisk: Disk {
  /// The kind of failure at the path.
  enum Fault: Sendable {
    /// The directory can't be opened.
    case opening(errno: Int32)
    /// Listing the directory ends after its first name.
    case listing(errno: Int32)
    /// The entry's status can't be read.
    case stating(errno: Int32)
    /// The directory's names can't be made durable.
    case syncing(errno: Int32)
    /// The file's bytes are altered, and nothing else about it shows that.
    case altered
    /// Each read of the file gives only a few bytes.
    case short
  }

  /// The limits of the file system.
  struct Limits: Sendable {
    /// The oldest time. Earlier times become this one.
    var oldest = Int64.min
    /// No file can be executable.
    var hasNoExecutables = false
    /// Setting a time fails.
    var hasNoTimes = false
    /// Extended attributes aren't supported.
    var hasNoAttributes = false
    /// Symlinks aren't supported.
    var hasNoSymlinks = false
    /// Hard links and extended attributes aren't supported: the error number that says so, or zero.
    var refusal: Int32 = 0
    /// Setting a time succeeds and sets nothing: of directories, and of files.
    var dropsDirectoryTimes = false
    var dropsTimes = false
    /// A rename drops the fraction of a second from the time of a file, as by encfs.
    var dropsFractions = false
    /// The time of a symbolic link is set on its target, as by sshfs.
    var followsLinks = false
    /// The meaning of an inode number.
    var inodes = Inodes.kept
    /// Names that differ in the case of letters are one name.
    var foldsNames = false
  }

  /// The meaning of an inode number.
  enum Inodes: Sendable {
    /// It is the same under every name.
    case kept
    /// It is made from the path: a rename changes it, below a directory, too.
    case byPath
    /// It is another one each time, as after the kernel has forgotten the name.
    case forgotten
  }

  private let lastInode = Atomic<UInt64>(1 << 40)

  /// The status with the inode number that the limits give.
  private func limited(_ found: inout FileStat, _ path: [UInt8]) {
    switch limits.inodes {
    case .kept: return
    case .byPath:
      found.inode = path.reduce(14_695_981_039_346_656_037) {
        ($0 ^ UInt64($1)) &* 1_099_511_628_211
      }
    case .forgotten: found.inode = lastInode.add(1, ordering: .relaxed).newValue
    }
    found.birth = 0
  }

  func magic(of file: Int32) -> UInt64 {
    limits.inodes == .kept && !limits.followsLinks && !limits.dropsFractions
      && limits.refusal == 0
      ? real.magic(of: file) : 0x6573_5546
  }

  private let real = SystemDisk()
  private let limits: Limits
  /// The directories that show earlier entries.
  private let views = Mutex<StaleViews?>(nil)
  /// A Boolean value that indicates whether two names can be swapped in one step.
  private let swaps: Bool
  /// A Boolean value that indicates whether a rename that fails was done all the same.
  private let losesAnswers: Bool
  /// A Boolean value that indicates whether a rename can be asked to fail if the new name is taken.
  private let refusesTakenNames: Bool
  private let visitor = Mutex<(name: [UInt8], act: @Sendable () -> Void)?>(nil)
  private let follower = Mutex<(name: [UInt8], act: @Sendable () -> Void)?>(nil)
  private let successor = Mutex<(name: [UInt8], act: @Sendable () -> Void)?>(nil)
  private let refused = Mutex<(name: [UInt8], errno: Int32)?>(nil)
  private let unanswered = Mutex<(name: [UInt8], passing: Int)?>(nil)
  private let luck = Mutex<(share: UInt64, seed: UInt64)?>(nil)
  private let planned = Mutex<(path: [UInt8], fault: Fault)?>(nil)
  private let lost = Mutex<(path: [UInt8], errno: Int32, times: Int)?>(nil)
  private let reader = Mutex<(count: Int, act: @Sendable () -> Void)?>(nil)
  private let mountings = Mutex<Int?>(nil)
  /// The number of calls that open, list or describe something.
  let looks = Atomic(0)
  /// The number of calls for names and descriptors, and the renames among them.
  let calls = Atomic(0)
  let renames = Atomic(0)
  /// The numbers of calls that make one file, or the whole file system, durable.
  let syncs = Atomic(0)
  let wholeSyncs = Atomic(0)
  /// The number of written bytes.
  let written = Atomic(0)
  /// The number of reads of files in the kept folder.
  let keptReads = Atomic(0)

  init(
    swaps: Bool = true, refusesTakenNames: Bool = true, losesAnswers: Bool = false,
    limits: Limits = Limits()
  ) {
    self.losesAnswers = losesAnswers
    self.limits = limits
    self.swaps = swaps
    self.refusesTakenNames = refusesTakenNames
  }

  /// Lets directories show their earlier entries for a while after each step, from now on.
  func show(_ views: StaleViews) { self.views.withLock { $0 = views } }

  private var stale: StaleViews? { views.withLock { $0 } }

  /// Plans a failure at an absolute path, from now on.
  func fail(_ path: String, _ fault: Fault) {
    planned.withLock { $0 = (Array(path.utf8), fault) }
  }

  /// Lets the opening of a folder by its absolute path fail that many times. Meanwhile the kernel
  /// knows no name for it, as after a server that didn't answer.
  func loseRoot(_ path: String, errno: Int32, times: Int = .max) {
    lost.withLock { $0 = (Array(path.utf8), errno, times) }
  }

  func heal() {
    planned.withLock { $0 = nil }
    lost.withLock { $0 = nil }
  }

  /// Runs the body once, right before Cairn renames an entry of that name, or to that name.
  func beforeRename(of name: String, _ act: @escaping @Sendable () -> Void) {
    visitor.withLock { $0 = (Array(name.utf8), act) }
  }

  /// Runs the body once, after that many bytes were written.
  func after(bytes count: Int, _ act: @escaping @Sendable () -> Void) {
    reader.withLock { $0 = (count, act) }
  }

  /// Runs the body once, right after Cairn renamed or linked an entry to that name.
  func afterRename(to name: String, _ act: @escaping @Sendable () -> Void) {
    successor.withLock { $0 = (Array(name.utf8), act) }
  }

  /// Runs the body once, right after Cairn renamed an entry of that name.
  func afterRename(of name: String, _ act: @escaping @Sendable () -> Void) {
    follower.withLock { $0 = (Array(name.utf8), act) }
  }

  /// Lets the next rename of an entry of that name, or to that name, fail.
  func refuseRename(of name: String, errno reason: Int32) {
    refused.withLock { $0 = (Array(name.utf8), reason) }
  }

  /// Lets the answer of one rename of an entry of that name, or to that name, get lost: it is done,
  /// and seems to fail. That many renames succeed before it.
  func loseAnswer(of name: String, passing count: Int) {
    unanswered.withLock { $0 = (Array(name.utf8), count) }
  }

  private func isUnanswered(_ names: [[UInt8]]) -> Bool {
    unanswered.withLock { planned in
      guard let (name, passing) = planned, names.contains(name) else { return false }
      planned = passing > 0 ? (name, passing - 1) : nil
      return passing == 0
    }
  }

  /// Lets that many of a hundred renames fail, drawn by a seed. Nil ends the failures.
  func refuseRenames(_ share: Int?, seed: UInt64 = 1) {
    luck.withLock { $0 = share.map { (UInt64($0), seed) } }
  }

  private func isUnlucky() -> Bool {
    luck.withLock { luck in
      guard let (share, seed) = luck else { return false }
      let next = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      luck = (share, next)
      return (next >> 33) % 100 < share
    }
  }

  /// Sets the reported number of mounts of the file system; nil: it doesn't report one.
  func isMounted(_ count: Int?) { mountings.withLock { $0 = count } }

  func mounting(of device: UInt64) -> String? {
    mountings.withLock { $0.map { "\(device).\($0)" } }
  }

  /// Returns the planned failure of an open file or directory.
  private func fault(at file: Int32) -> Fault? {
    guard let planned = planned.withLock({ $0 }) else { return nil }
    var path: [UInt8] = []
    guard real.path(of: file, &path) >= 0, path == planned.path else { return nil }
    return planned.fault
  }

  func open(_ path: [UInt8], beneath directory: Int32, flags: Int32, mode: UInt32) -> Int32 {
    looks.add(1, ordering: .relaxed)
    calls.add(1, ordering: .relaxed)
    let mode = limits.hasNoExecutables ? mode & ~0o111 : mode
    if let shown = stale?.file(path, beneath: directory), flags & O_CREAT == 0 {
      let file = Glibc.open(shown, flags)
      return file < 0 ? -errno : file
    }
    let file = real.open(path, beneath: directory, flags: flags, mode: mode)
    guard file >= 0, case .opening(let reason) = fault(at: file) else { return file }
    real.close(file)
    return -reason
  }

  func list(_ directory: Int32, _ names: inout [[UInt8]]) -> Int32 {
    looks.add(1, ordering: .relaxed)
    calls.add(1, ordering: .relaxed)
    if let shown = stale?.list(directory) {
      names += shown
      return 0
    }
    guard case .listing(let reason) = fault(at: directory) else {
      return real.list(directory, &names)
    }
    var all: [[UInt8]] = []
    _ = real.list(directory, &all)
    names += all.sorted { $0.lexicographicallyPrecedes($1) }.prefix(1)
    return -reason
  }

  /// Returns the name under which the disk has an entry.
  private func known(_ name: [UInt8], in directory: Int32) -> [UInt8] {
    guard limits.foldsNames else { return name }
    func folded(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self).lowercased() }
    var all: [[UInt8]] = []
    _ = real.list(directory, &all)
    return all.contains(name) ? name : all.first { folded($0) == folded(name) } ?? name
  }

  func status(of name: [UInt8], in directory: Int32, _ found: inout FileStat) -> Int32 {
    looks.add(1, ordering: .relaxed)
    calls.add(1, ordering: .relaxed)
    let name = known(name, in: directory)
    if let shown = stale?.status(of: name, in: directory) {
      guard let shown else { return -ENOENT }
      found = shown
      return 0
    }
    if let planned = planned.withLock({ $0 }), case .stating(let reason) = planned.fault {
      var path: [UInt8] = []
      if real.path(of: directory, &path) >= 0, path + Array("/".utf8) + name == planned.path {
        return -reason
      }
    }
    let result = real.status(of: name, in: directory, &found)
    if result >= 0, limits.inodes != .kept {
      var path: [UInt8] = []
      _ = real.path(of: directory, &path)
      limited(&found, path + Array("/".utf8) + name)
    }
    return result
  }

  func read(
    _ file: Int32, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    let count = real.read(file, at: offset, into: buffer)
    if count > 0, case .altered = fault(at: file) { buffer[0] ^= 1 }
    return count
  }

  func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var buffer = buffer
    if case .short = fault(at: file) {
      buffer = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(5))
    }
    let count = real.read(file, into: buffer)
    if count > 0, case .altered = fault(at: file) { buffer[0] ^= 1 }
    var path: [UInt8] = []
    if count > 0, real.path(of: file, &path) >= 0,
      String(decoding: path, as: UTF8.self).contains("/.cairn/displaced/")
    {
      keptReads.add(1, ordering: .relaxed)
    }
    return count
  }

  // MARK: Unchanged calls

  func openRoot(_ path: [UInt8]) -> Int32 {
    let reason = lost.withLock { lost -> Int32? in
      guard let (root, errno, times) = lost, root == path else { return nil }
      lost = times > 1 ? (root, errno, times - 1) : nil
      return errno
    }
    return reason.map { -$0 } ?? real.openRoot(path)
  }
  func openNode(_ name: [UInt8], in directory: Int32) -> Int32 {
    real.openNode(name, in: directory)
  }
  func close(_ file: Int32) {
    calls.add(1, ordering: .relaxed)
    real.close(file)
  }
  func status(of file: Int32, _ found: inout FileStat) -> Int32 {
    calls.add(1, ordering: .relaxed)
    let result = real.status(of: file, &found)
    if result >= 0, limits.inodes != .kept {
      var path: [UInt8] = []
      _ = real.path(of: file, &path)
      limited(&found, path)
    }
    return result
  }
  func target(of name: [UInt8], in directory: Int32, _ target: inout [UInt8]) -> Int32 {
    real.target(of: name, in: directory, &target)
  }
  func path(of directory: Int32, _ path: inout [UInt8]) -> Int32 {
    let result = real.path(of: directory, &path)
    if result >= 0, lost.withLock({ $0?.path == path }) { path += Array(" (deleted)".utf8) }
    return result
  }
  func freeBytes(_ file: Int32, _ count: inout UInt64) -> Int32 { real.freeBytes(file, &count) }
  func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    let (total, _) = written.add(bytes.count, ordering: .relaxed)
    let act = reader.withLock { reader -> (@Sendable () -> Void)? in
      guard let (count, act) = reader, total >= count else { return nil }
      reader = nil
      return act
    }
    act?()
    return real.write(file, bytes)
  }
  func skip(_ count: Int64, in file: Int32) -> Int32 { real.skip(count, in: file) }
  func setSize(of file: Int32, _ size: Int64) -> Int32 { real.setSize(of: file, size) }
  func beginWriteOut(_ file: Int32) { real.beginWriteOut(file) }
  func sync(_ file: Int32) -> Int32 {
    syncs.add(1, ordering: .relaxed)
    if case .syncing(let reason) = fault(at: file) { return -reason }
    return real.sync(file)
  }
  func syncFileSystem(_ file: Int32) -> Int32 {
    wholeSyncs.add(1, ordering: .relaxed)
    return real.syncFileSystem(file)
  }
  func probeReadLease(_ file: Int32) -> Int32 {
    calls.add(1, ordering: .relaxed)
    return real.probeReadLease(file)
  }
  func makeDirectory(at path: [UInt8], mode: UInt32) -> Int32 {
    real.makeDirectory(at: path, mode: mode)
  }
  func makeDirectory(_ name: [UInt8], in directory: Int32, mode: UInt32) -> Int32 {
    real.makeDirectory(name, in: directory, mode: mode)
  }
  func makeSymlink(_ name: [UInt8], in directory: Int32, to target: [UInt8]) -> Int32 {
    limits.hasNoSymlinks ? -EPERM : real.makeSymlink(name, in: directory, to: target)
  }
  func link(
    _ name: [UInt8], in directory: Int32, as other: [UInt8], in otherDirectory: Int32
  ) -> Int32 {
    stale?.keep(otherDirectory)
    guard limits.refusal == 0 else { return -limits.refusal }
    let result = real.link(name, in: directory, as: other, in: otherDirectory)
    if result >= 0 { letSuccessorAct(at: other) }
    return result
  }
  func rename(
    _ name: [UInt8], in directory: Int32, to other: [UInt8], in otherDirectory: Int32,
    _ kind: RenameKind
  ) -> Int32 {
    let act = visitor.withLock { visitor -> (@Sendable () -> Void)? in
      guard visitor?.name == name || visitor?.name == other else { return nil }
      defer { visitor = nil }
      return visitor?.act
    }
    act?()
    calls.add(1, ordering: .relaxed)
    renames.add(1, ordering: .relaxed)
    let reason = refused.withLock { refused -> Int32? in
      guard refused?.name == name || refused?.name == other else { return nil }
      defer { refused = nil }
      return refused?.errno
    }
    if let reason { return -reason }
    let isUnlucky = isUnlucky()
    if isUnlucky, !losesAnswers { return -EIO }
    let isRefused = isUnanswered([name, other]) || isUnlucky
    if kind == .swapping, !swaps { return -EINVAL }
    if kind == .toFreeName, !refusesTakenNames { return -EINVAL }
    let (name, other) = (known(name, in: directory), known(other, in: otherDirectory))
    stale?.keep(directory)
    stale?.keep(otherDirectory)
    let result = real.rename(name, in: directory, to: other, in: otherDirectory, kind)
    if result >= 0, limits.dropsFractions {
      var found = FileStat()
      _ = real.status(of: other, in: otherDirectory, &found)
      let fraction = found.modified % 1_000_000_000
      _ = real.setTime(of: other, in: otherDirectory, found.modified - fraction)
    }
    if result >= 0 { letSuccessorAct(at: other) }
    if result >= 0 { Self.act(follower, name) }
    return isRefused ? -EIO : result
  }
  private func letSuccessorAct(at name: [UInt8]) { Self.act(successor, name) }
  private static func act(
    _ planned: borrowing Mutex<(name: [UInt8], act: @Sendable () -> Void)?>, _ name: [UInt8]
  ) {
    let act = planned.withLock { planned -> (@Sendable () -> Void)? in
      guard planned?.name == name else { return nil }
      defer { planned = nil }
      return planned?.act
    }
    act?()
  }
  func remove(_ name: [UInt8], in directory: Int32) -> Int32 {
    calls.add(1, ordering: .relaxed)
    stale?.keep(directory)
    return real.remove(name, in: directory)
  }
  func removeDirectory(_ name: [UInt8], in directory: Int32) -> Int32 {
    calls.add(1, ordering: .relaxed)
    return real.removeDirectory(name, in: directory)
  }
  func removeDirectory(at path: [UInt8]) -> Int32 { real.removeDirectory(at: path) }
  func setMode(of file: Int32, _ mode: UInt32) -> Int32 {
    guard !limits.hasNoExecutables || mode & 0o111 == 0 else { return -EPERM }
    return real.setMode(of: file, mode)
  }
  func setGroup(of file: Int32, _ group: UInt32) -> Int32 { real.setGroup(of: file, group) }
  func attributeNames(of file: Int32, _ names: inout [[UInt8]]) -> Int32 {
    guard limits.refusal == 0 else { return -limits.refusal }
    return limits.hasNoAttributes ? -ENOTSUP : real.attributeNames(of: file, &names)
  }
  func attribute(_ name: [UInt8], of file: Int32, _ value: inout [UInt8]) -> Int32 {
    limits.hasNoAttributes ? -ENOTSUP : real.attribute(name, of: file, &value)
  }
  func setAttribute(_ name: [UInt8], of file: Int32, to value: [UInt8]?) -> Int32 {
    limits.hasNoAttributes ? -ENOTSUP : real.setAttribute(name, of: file, to: value)
  }
  func setTime(of file: Int32, _ modified: Int64) -> Int32 {
    if limits.dropsTimes { return 0 }
    return limits.hasNoTimes ? -EPERM : real.setTime(of: file, max(modified, limits.oldest))
  }
  func setTime(of name: [UInt8], in directory: Int32, _ modified: Int64) -> Int32 {
    var found = FileStat()
    _ = real.status(of: name, in: directory, &found)
    if limits.followsLinks, found.kind == .symlink {
      let target = openat(directory, String(decoding: name, as: UTF8.self), O_RDONLY | O_CLOEXEC)
      guard target >= 0 else { return -errno }
      defer { Glibc.close(target) }
      return real.setTime(of: target, modified)
    }
    if found.kind == .directory ? limits.dropsDirectoryTimes : limits.dropsTimes { return 0 }
    return limits.hasNoTimes
      ? -EPERM : real.setTime(of: name, in: directory, max(modified, limits.oldest))
  }
}
