/// A disk whose file system doesn't keep inode numbers: it shows none, and no time of birth.
/// Everything is then recognized by its name, kind, size, times and bytes.
struct NamedDisk: Disk {
  let real: any Disk

  init(_ real: any Disk) { self.real = real }

  private func unnumbered(_ result: Int32, _ found: inout FileStat) -> Int32 {
    if result >= 0 { (found.inode, found.birth) = (0, 0) }
    return result
  }

  func status(of file: Int32, _ found: inout FileStat) -> Int32 {
    unnumbered(real.status(of: file, &found), &found)
  }
  func status(of name: [UInt8], in directory: Int32, _ found: inout FileStat) -> Int32 {
    unnumbered(real.status(of: name, in: directory, &found), &found)
  }

  // MARK: As they are

  func openRoot(_ path: [UInt8]) -> Int32 { real.openRoot(path) }
  func open(_ path: [UInt8], beneath directory: Int32, flags: Int32, mode: UInt32) -> Int32 {
    real.open(path, beneath: directory, flags: flags, mode: mode)
  }
  func openNode(_ name: [UInt8], in directory: Int32) -> Int32 {
    real.openNode(name, in: directory)
  }
  func close(_ file: Int32) { real.close(file) }
  func list(_ directory: Int32, _ names: inout [[UInt8]]) -> Int32 {
    real.list(directory, &names)
  }
  func target(of name: [UInt8], in directory: Int32, _ target: inout [UInt8]) -> Int32 {
    real.target(of: name, in: directory, &target)
  }
  func path(of directory: Int32, _ path: inout [UInt8]) -> Int32 {
    real.path(of: directory, &path)
  }
  func mounting(of device: UInt64) -> String? { real.mounting(of: device) }
  func magic(of file: Int32) -> UInt64 { real.magic(of: file) }
  func freeBytes(_ file: Int32, _ count: inout UInt64) -> Int32 { real.freeBytes(file, &count) }
  func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    real.read(file, into: buffer)
  }
  func read(_ file: Int32, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    real.read(file, at: offset, into: buffer)
  }
  func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int { real.write(file, bytes) }
  func skip(_ count: Int64, in file: Int32) -> Int32 { real.skip(count, in: file) }
  func setSize(of file: Int32, _ size: Int64) -> Int32 { real.setSize(of: file, size) }
  func beginWriteOut(_ file: Int32) { real.beginWriteOut(file) }
  func sync(_ file: Int32) -> Int32 { real.sync(file) }
  func syncFileSystem(_ file: Int32) -> Int32 { real.syncFileSystem(file) }
  func probeReadLease(_ file: Int32) -> Int32 { real.probeReadLease(file) }
  func makeDirectory(at path: [UInt8], mode: UInt32) -> Int32 {
    real.makeDirectory(at: path, mode: mode)
  }
  func makeDirectory(_ name: [UInt8], in directory: Int32, mode: UInt32) -> Int32 {
    real.makeDirectory(name, in: directory, mode: mode)
  }
  func makeSymlink(_ name: [UInt8], in directory: Int32, to target: [UInt8]) -> Int32 {
    real.makeSymlink(name, in: directory, to: target)
  }
  func link(
    _ name: [UInt8], in directory: Int32, as other: [UInt8], in otherDirectory: Int32
  ) -> Int32 {
    real.link(name, in: directory, as: other, in: otherDirectory)
  }
  func rename(
    _ name: [UInt8], in directory: Int32, to other: [UInt8], in otherDirectory: Int32,
    _ kind: RenameKind
  ) -> Int32 {
    real.rename(name, in: directory, to: other, in: otherDirectory, kind)
  }
  func remove(_ name: [UInt8], in directory: Int32) -> Int32 { real.remove(name, in: directory) }
  func removeDirectory(_ name: [UInt8], in directory: Int32) -> Int32 {
    real.removeDirectory(name, in: directory)
  }
  func removeDirectory(at path: [UInt8]) -> Int32 { real.removeDirectory(at: path) }
  func setMode(of file: Int32, _ mode: UInt32) -> Int32 { real.setMode(of: file, mode) }
  func setGroup(of file: Int32, _ group: UInt32) -> Int32 { real.setGroup(of: file, group) }
  func attributeNames(of file: Int32, _ names: inout [[UInt8]]) -> Int32 {
    real.attributeNames(of: file, &names)
  }
  func attribute(_ name: [UInt8], of file: Int32, _ value: inout [UInt8]) -> Int32 {
    real.attribute(name, of: file, &value)
  }
  func setAttribute(_ name: [UInt8], of file: Int32, to value: [UInt8]?) -> Int32 {
    real.setAttribute(name, of: file, to: value)
  }
  func setTime(of file: Int32, _ modified: Int64) -> Int32 { real.setTime(of: file, modified) }
  func setTime(of name: [UInt8], in directory: Int32, _ modified: Int64) -> Int32 {
    real.setTime(of: name, in: directory, modified)
  }
}
