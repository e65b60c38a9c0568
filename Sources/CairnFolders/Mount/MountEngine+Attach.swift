import CairnCloud
import CairnPlan
public import CairnZone
import Glibc

extension MountEngine {
  /// The mark at a folder's root that says which zone, or part of one, it mirrors.
  static let markerName: FileNameBytes = Array("zone".utf8)
  /// The mark while it is written.
  private static let unfinishedName: FileNameBytes = Array("zone.new".utf8)
  /// Beside the mark of a folder that was never attached.
  private static let newName: FileNameBytes = Array("new".utf8)

  /// Opens the folder and makes sure that it is the one that mirrors this zone.
  /// - Throws: `FolderError` with `.detached` if the folder isn't the one: then nothing in it or in
  ///   the zone is taken for deleted, and nothing is written.
  public func attach() throws {
    let root = try openRoot()
    let stat = try FileStat.of(root)
    try checkMark(root)
    var offLimits = settings.offLimits
    offLimits.look(on: disk)
    if let reason = offLimits.reason(of: stat) { throw FolderError(.detached, path, reason) }
    let staging = try Staging(root: root, name: stagingName, token: settings.token)
    let (mount, isCopy) = try register(stat)
    let began = try takeUpNew(root, mount)
    try keepReturned(staging, mount)
    try staging.sweep()
    let scanner = Scanner(
      root: root, rootStat: stat, index: index, mount: mount, only: only, offLimits: offLimits,
      isMirror: { [weak self] in try self?.isMirror($0, $1) ?? false },
      now: { [clock] in clock.now })
    // The journal says what was meant; this is another folder perhaps, or was away.
    portion = .written
    // Lost until the rest is known, too.
    folder = .lost(
      MountRoot.Attached(
        mount: mount, root: root, staging: staging, scanner: scanner, identity: stat,
        isCopy: isCopy, began: began))
    index.neighbours.attached(
      mount,
      Neighbours.Folder(
        path: path, mark: Array(part.description.utf8), staging: stagingName,
        device: stat.device))
    try takeUpNotes(staging, scanner)
    try leaveOutReferences()
    references.areDue = true
    report.load(rescued: try rescuedFiles(staging), conflicts: try conflictCopies())
    folder.find()
  }

  /// Takes up what the index and the folder remember of the last run.
  private func takeUpNotes(_ staging: Staging, _ scanner: Scanner) throws {
    kept.load(staging, clock.now)
    let (isCompared, shown, hasLocal) = try index.read(mount) {
      (try $0.isCompared, try $0.isShownReadOnly, try $0.dirtyCounts.local > 0)
    }
    exchange.mayHaveSent = hasLocal
    permission.shown = shown
    folder.note { $0.isCompared = isCompared }
    try takeUpHeld()
    try takeUpRun()
    try takeUpJournal(staging, scanner)
    try takeUpParked(staging)
    // Once more by the first turn, or nobody would say what came there since.
    attention.needsParked = true
  }

  /// Puts the mark of a zone on a folder that becomes its mirror.
  /// - Throws: `FolderError` with `.exists` if the folder carries the mark of another zone.
  public static func claim(
    _ path: [UInt8], for part: ZonePart, isFile: Bool = false, on disk: any Disk = SystemDisk()
  ) throws {
    let folder = Staging.folder(of: part, isFile: isFile)
    let root = try Descriptor.openRoot(path, on: disk)
    let own = Array(part.description.utf8)
    if let marker = try marker(in: root, folder) {
      guard marker == own else {
        throw FolderError(.exists, path, "the folder mirrors something else already")
      }
      return
    }
    // The folder that is mirrored keeps its time.
    let modified = try FileStat.of(root).modified
    try Staging.make(root, folder)
    _ = try root.openDirectory([folder]).open([newName], flags: O_WRONLY | O_CREAT, mode: 0o600)
    try writeMarker(own, in: root, folder)
    try root.setTime(modified, path: path)
  }

  /// Takes the mark off a folder that isn't going to be a mirror after all.
  public static func unclaim(
    _ path: [UInt8], for part: ZonePart, isFile: Bool = false, on disk: any Disk = SystemDisk()
  ) throws {
    let root = try Descriptor.openRoot(path, on: disk)
    let modified = try FileStat.of(root).modified
    try takeOwnFolders(from: root, folder: Staging.folder(of: part, isFile: isFile))
    try root.setTime(modified, path: path)
  }

  /// What a folder mirrors, by the mark that it carries.
  public static func mark(
    on path: [UInt8], of disk: any Disk = SystemDisk()
  ) throws -> ZonePart? {
    try marker(in: Descriptor.openRoot(path, on: disk), Staging.folder)
      .flatMap { ZonePart(String(decoding: $0, as: UTF8.self)) }
  }

  /// Reads from where on in the log this device's changes can have been made in this folder. Of a
  /// new one nobody knows before the log was read: the index may be lost.
  private func takeUpNew(_ root: Descriptor, _ mount: Int64) throws -> UInt64? {
    let isNew = try FileStat.at(root.openDirectory([stagingName]), Self.newName) != nil
    return isNew ? nil : try index.read(mount) { try $0.began }
  }

  /// Notes the end of the log as where a new folder begins: what stands in it is no later edit of
  /// what the device changed in another before.
  func noteBeginning() throws {
    guard let attached = folder.attached, attached.began == nil else { return }
    let root = attached.root
    let sequence = zone.header.sequence
    try index.write(mount) { try $0.setBegan(sequence) }
    let own = try root.openDirectory([stagingName])
    if try FileStat.at(own, Self.newName) != nil { try own.remove(Self.newName) }
    folder.note { $0.began = sequence }
  }

  func conflictCopies() throws -> [[UInt8]] {
    try index.read(mount) { tree in
      try tree.idsOfConflictCopies().compactMap { try tree.path(of: $0) }.map { joined($0) }
    }
  }

  /// Forgets all that the index has about this mount: the folder isn't mirrored any more.
  public func forget() throws {
    try showOwnFiles()
    if let number = try index.number(of: part) { try index.forget(number) }
  }

  /// Takes the mark and the staging folders away; what was rescued stays. The folder isn't attached
  /// any more then, even if one of them couldn't be removed.
  public func detach() throws {
    guard let root else { return }
    index.neighbours.detached(mount)
    // Before the folders go: should one of them stay, the others can't be used any more.
    folder = .unattached
    try Self.takeOwnFolders(from: root, folder: stagingName)
  }

  static func takeOwnFolders(
    from root: Descriptor, folder: FileNameBytes
  ) throws(FolderError) {
    let own = try root.openDirectory([folder])
    for name in [markerName, unfinishedName, newName] {
      try expectGone(own.disk.remove(name, in: own.number), name)
    }
    for name in ["staging", "kept", "parked", "rescue", "notes"] {
      // A folder with something in it stays: it holds what a person may want back.
      let name = Array(name.utf8)
      try expectGone(own.disk.removeDirectory(name, in: own.number), name)
    }
    try expectGone(root.disk.removeDirectory(folder, in: root.number), folder)
  }

  /// Throws what may pass by itself. Otherwise what wasn't removed stays where it is: somebody uses
  /// it, or has put something into it.
  static func expectGone(_ result: Int32, _ path: [UInt8]) throws(FolderError) {
    guard result < 0 else { return }
    let error = FolderError(-result, path, "remove")
    switch error.code {
    case .failed, .full, .tooMany: throw error
    default: return
    }
  }

  /// What the directory at these names mirrors, by the mark that it carries.
  static func mark(in root: Descriptor, _ names: [FileNameBytes]) throws -> ZonePart? {
    try marker(in: root, names + [Staging.folder])
      .flatMap { ZonePart(String(decoding: $0, as: UTF8.self)) }
  }

  static func marker(
    in root: Descriptor, _ folder: FileNameBytes = Staging.folder
  ) throws -> [UInt8]? {
    try marker(in: root, [folder])
  }

  private static func marker(in root: Descriptor, _ folder: [FileNameBytes]) throws -> [UInt8]? {
    do throws(FolderError) {
      let file = try root.openFile(folder + [markerName])
      let bytes = try file.read(upTo: 100, as: "read the mark")
      // An empty one is what a power cut leaves of a mark that wasn't finished.
      return bytes.isEmpty ? nil : bytes.filter { $0 != UInt8(ascii: "\n") }
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  private static func writeMarker(
    _ text: [UInt8], in root: Descriptor, _ folder: FileNameBytes
  ) throws {
    let own = try root.openDirectory([folder])
    let file = try own.open([unfinishedName], flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    try file.write(text + [UInt8(ascii: "\n")], as: "write the mark")
    try file.sync()
    let result = own.disk.rename(
      unfinishedName, in: own.number, to: markerName, in: own.number, .replacing)
    guard result >= 0 else { throw FolderError(-result, markerName, "write the mark") }
    try own.sync()
  }
}
