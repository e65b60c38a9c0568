import CairnSystem
import Glibc

/// A person's programs in one folder. Each reads an entry before it removes it, in the same step of
/// the system. The entry there a moment before may be another's.
final class SoakWriter {
  let folder: Folder
  /// A folder beside the mirrored one, where programs create and delete files.
  private let desk: Folder
  private let mark: String
  private var count = 0
  private var held: CInt = -1

  init(_ folder: Folder, desk: Folder, mark: String) throws {
    self.folder = folder
    self.desk = desk
    self.mark = mark
    try desk.make("")
  }

  /// Performs a step as far as it is possible now. A name that is taken, or missing, is no problem.
  func perform(_ act: SoakScript.Act, at step: Int, _ ledger: inout SoakLedger) {
    do {
      switch act {
      case .replace(let name, let size): try replace(name, bytes(size, step), step, &ledger)
      case .overwrite(let name, let size): try overwrite(name, bytes(size, step), step, &ledger)
      case .hold(let name):
        letGo()
        held = folder.descriptor(name, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW)
      case .grow(let size): try grow(by: bytes(size, step), step, &ledger)
      case .letGo: letGo()
      case .store(let name, let offset): try store(name, at: offset, step, &ledger)
      case .link(let name, let other): folder.giveSecondName(other, to: name)
      case .symlink(let name, let target):
        if !folder.exists(name) { try folder.link(name, to: target) }
      case .move(let name, let other): try move(name, to: other, &ledger)
      case .remove(let name): try remove(name, &ledger)
      case .makeDirectory(let name): try folder.make(name)
      case .build(let name): try build(name, step, &ledger)
      case .setMode(let name, let isExecutable):
        guard case .file = try folder.node(name).kind else { return }
        try folder.change(mode: isExecutable ? 0o755 : 0o644, of: name)
      case .breathe, .kill, .pause, .wake, .loseIndex, .setPermission: break
      }
    } catch {
      // The name is taken, or doesn't exist (any more).
    }
  }

  func letGo() {
    if held >= 0 { close(held) }
    held = -1
  }

  // MARK: Files

  /// Returns bytes that nobody writes twice.
  private func bytes(_ size: Int, _ step: Int) -> [UInt8] {
    guard size > 0 else { return [] }
    count += 1
    let text = Array("\(mark) \(step) \(count) ".utf8)
    return text + CrashAct.bytes(step * 1_000 + count, max(0, size - text.count))
  }

  private func replace(
    _ name: Name, _ content: [UInt8], _ step: Int, _ ledger: inout SoakLedger
  ) throws {
    count += 1
    let made: Name = "made \(count)"
    try desk.write(content, to: made)
    ledger.wrote(content, at: step)
    if desk.carry(made, to: name, in: folder, cairn_rename_noreplace) { return }
    ledger.destroyed(content)
    guard case .file = try folder.node(name).kind,
      desk.carry(made, to: name, in: folder, cairn_rename_exchange)
    else { return }
    ledger.wrote(content, at: step)
    try destroy(made, &ledger)
  }

  private func overwrite(
    _ name: Name, _ content: [UInt8], _ step: Int, _ ledger: inout SoakLedger
  ) throws {
    let file = folder.descriptor(name, O_RDWR | O_CREAT | O_NOFOLLOW)
    guard file >= 0 else { return }
    defer { close(file) }
    ledger.destroyed(Self.content(of: file))
    ledger.wrote(content, at: step)
    ftruncate(file, 0)
    Self.write(content, to: file)
  }

  private func grow(
    by bytes: [UInt8], _ step: Int, _ ledger: inout SoakLedger
  ) throws {
    guard held >= 0 else { return }
    let before = Self.content(of: held)
    ledger.destroyed(before)
    ledger.wrote(before + bytes, at: step)
    Self.write(bytes, to: held)
  }

  private func store(
    _ name: Name, at offset: Int, _ step: Int, _ ledger: inout SoakLedger
  ) throws {
    let file = folder.descriptor(name, O_RDWR | O_NOFOLLOW)
    guard file >= 0 else { return }
    defer { close(file) }
    var content = Self.content(of: file)
    let new = bytes(24, step)
    guard content.count > new.count else { return }
    let start = mmap(nil, content.count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    guard let start, start != MAP_FAILED else { return }
    defer { munmap(start, content.count) }
    ledger.destroyed(content)
    let place = offset % (content.count - new.count)
    content.replaceSubrange(place..<place + new.count, with: new)
    ledger.wrote(content, at: step)
    start.advanced(by: place).copyMemory(from: new, byteCount: new.count)
  }

  // MARK: Names

  private func move(_ name: Name, to other: Name, _ ledger: inout SoakLedger) throws {
    if folder.carry(name, to: other, in: folder, cairn_rename_noreplace) { return }
    guard name != other, case .file = try folder.node(name).kind,
      case .file = try folder.node(other).kind
    else { return }
    try remove(other, &ledger)
    _ = folder.carry(name, to: other, in: folder, cairn_rename_noreplace)
  }

  private func remove(_ name: Name, _ ledger: inout SoakLedger) throws {
    count += 1
    let taken: Name = "taken \(count)"
    guard folder.carry(name, to: taken, in: desk, cairn_rename_noreplace) else { return }
    try destroy(taken, &ledger)
  }

  private func build(_ name: Name, _ step: Int, _ ledger: inout SoakLedger) throws {
    for directory in [name, name / "e0"] where !folder.exists(directory) {
      try folder.make(directory)
    }
    for number in 0..<3 {
      for file: Name in [name / "f\(number)", name / "e0" / "f\(number)"] {
        let descriptor = folder.descriptor(file, O_RDWR | O_CREAT | O_EXCL)
        guard descriptor >= 0 else { continue }
        let content = bytes(200, step)
        ledger.wrote(content, at: step)
        Self.write(content, to: descriptor)
        close(descriptor)
      }
    }
  }

  /// Removes something on the desk.
  private func destroy(_ name: Name, _ ledger: inout SoakLedger) throws {
    let node = try desk.node(name)
    if node.kind == .directory {
      for inner in try desk.names(name) { try destroy(name / inner, &ledger) }
    }
    // A program that has it open can't be writing into the mirrored folder any more.
    if held >= 0, try desk.inode(name) == Self.inode(of: held) { letGo() }
    if case .file(let content) = node.kind { ledger.destroyed(content) }
    try desk.remove(name)
  }

  // MARK: Open files

  private static func content(of file: CInt) -> [UInt8] {
    var status = stat()
    guard fstat(file, &status) == 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
      count = max(0, pread(file, buffer.baseAddress, buffer.count, 0))
    }
  }

  private static func inode(of file: CInt) -> UInt {
    var status = stat()
    return fstat(file, &status) == 0 ? UInt(status.st_ino) : 0
  }

  private static func write(_ bytes: [UInt8], to file: CInt) {
    precondition(bytes.isEmpty || Glibc.write(file, bytes, bytes.count) == bytes.count)
  }
}

extension Folder {
  typealias Renaming = (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>) -> CInt

  /// Returns a descriptor, or a negative number if there is none.
  func descriptor(_ name: Name, _ flags: CInt) -> CInt {
    at(name) { Glibc.open($0, flags | O_CLOEXEC, 0o644) }
  }

  /// Gives a file a second name, if that is free.
  func giveSecondName(_ other: Name, to name: Name) {
    _ = at(name) { name in at(other) { Glibc.link(name, $0) } }
  }

  /// Moves something here or into another folder. Returns false if that isn't possible.
  func carry(_ name: Name, to other: Name, in folder: Folder, _ rename: Renaming) -> Bool {
    at(name) { name in folder.at(other) { rename(AT_FDCWD, name, AT_FDCWD, $0) } } >= 0
  }
}
