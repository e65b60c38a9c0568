import CairnPlan
import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnFolders
@testable import CairnIdentity
@testable import CairnReplica

/// Nodes that are written beside the folder before anything in it is changed, and their batch of
/// steps.
struct StagerTests {
  /// A folder that is removed when it isn't used any more.
  private final class Place {
    let path = NSTemporaryDirectory() + "cairn-stager-\(UUID())"
    let root: Descriptor
    let staging: Staging

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      root = try Descriptor.openRoot(Array(path.utf8), on: SystemDisk())
      staging = try Staging(root: root, names: Staging.FreshNames(token: "t"))
    }

    // In the temporary folder.
    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the names of the staged files.
    func staged() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "\(path)/.cairn/staging")
    }
  }

  private struct Lost: Error {}

  private func node(_ kind: Node.Kind, isExecutable: Bool = false) throws -> Node {
    Node(
      place: CairnZone.Place(parent: .root, name: try #require(FileName("f"))), kind: kind,
      attributes: Attributes(isExecutable: isExecutable, modified: 7_000_000_000))
  }

  private let name: FileNameBytes = Array("x".utf8)

  private func stager(_ place: Place, isReadOnly: Bool = false) -> Stager {
    Stager(incoming: place.staging.incoming, isReadOnly: isReadOnly)
  }

  /// Gives that text in two pieces.
  private func source(_ text: String) -> Stager.Source {
    { give in
      for part in [text.prefix(2), text.dropFirst(2)] {
        try Array(part.utf8).withUnsafeBytes { try give($0) }
      }
    }
  }

  @Test(arguments: [
    (false, false, UInt32(0o600)), (true, false, 0o700), (false, true, 0o400), (true, true, 0o500),
  ])
  func `a staged file has bytes, time and mode`(
    _ isExecutable: Bool, _ isReadOnly: Bool, _ mode: UInt32
  ) throws {
    let place = try Place()
    try stager(place, isReadOnly: isReadOnly).stage(
      .root, node(.file(nil), isExecutable: isExecutable), as: name, from: source("text"))
    let stat = try #require(try FileStat.at(place.staging.incoming, name))
    #expect(stat.size == 4 && stat.modified == 7_000_000_000 && stat.mode & 0o700 == mode)
  }

  @Test func `a symlink's target is kept unchanged`() throws {
    let place = try Place()
    let target = Array("../no\u{301}where".utf8)
    try stager(place).stage(.root, node(.symlink(target)), as: name, from: source(""))
    #expect(try FileStat.at(place.staging.incoming, name)?.kind == .symlink)
    let path = "\(place.path)/.cairn/staging/x"
    #expect(
      try Array(FileManager.default.destinationOfSymbolicLink(atPath: path).utf8) == target)
  }

  @Test func `a file that couldn't be finished leaves nothing`() throws {
    let place = try Place()
    let before = try place.staged()
    #expect(throws: Lost.self) {
      try stager(place).stage(.root, node(.file(nil)), as: name) { give in
        try Array("te".utf8).withUnsafeBytes { try give($0) }
        throw Lost()
      }
    }
    #expect(try place.staged() == before)
  }

  @Test func `an error of one file is distinguished from an error of all`() throws {
    let place = try Place()
    let stager = stager(place)
    let missing = ContentError.invalid(FormatError("chunk", "its size can't be right"))
    guard
      case .content = try stager.tryStage(
        .root, node(.file(nil)), as: name, from: { _ in throw missing })
    else {
      Issue.record("the container doesn't give this one")
      return
    }
    try stager.stage(.root, node(.file(nil)), as: name, from: source("text"))
    guard
      case .folder = try stager.tryStage(.root, node(.file(nil)), as: name, from: source("text"))
    else {
      Issue.record("the name is taken")
      return
    }
    #expect(throws: Lost.self) {
      _ = try stager.tryStage(
        .root, node(.file(nil)), as: Array("y".utf8), from: { _ in throw Lost() })
    }
  }

  // MARK: Batches

  @Test func `touched directories get their times back at the end of a batch`()
    throws
  {
    let place = try Place()
    try FileManager.default.createDirectory(
      atPath: place.path + "/d", withIntermediateDirectories: false)
    var portion = AppliedPortion()
    let id = RecordID.random()
    portion.touched.note(id, at: [Array("d".utf8)], 3_000_000_000)
    try Data().write(to: URL(filePath: place.path + "/d/new"))
    try portion.finish(place.root)
    let stat = try FileStat.of(place.root.openDirectory([Array("d".utf8)]))
    #expect(stat.modified == 3_000_000_000)
    guard case .timeGivenBack(let directory, let seen)? = portion.changes.first else {
      Issue.record("nobody will know of it")
      return
    }
    #expect(directory == id && seen.modified == 3_000_000_000)
    try portion.finish(place.root)
    #expect(portion.changes.count == 1, "it is done once")
  }

  @Test func `folders that were closed are opened without a change on the disk`() throws {
    let place = try Place()
    let access = StagingAccess(root: place.root, opened: place.staging)
    let own = try place.root.openDirectory([Staging.folder])
    let inner = Array("staging".utf8)
    func times() throws -> [Int64?] {
      try [FileStat.of(own).changed, FileStat.at(own, inner)?.changed]
    }
    let before = try times()
    access.close()
    #expect(try access.open() !== place.staging && access.open() !== nil)
    #expect(try times() == before, "a change is an event, and an event wakes the mount")
    access.close()
    // Somebody deletes the whole folder meanwhile, which nothing may stop.
    try own.removeDirectory(Array("notes".utf8))
    #expect(throws: FolderError.self) { try access.open() }
    #expect(try DirectoryListing.names(of: own).count == 4)
    try FileManager.default.removeItem(atPath: place.path + "/.cairn")
    #expect(try access.open() === nil)
    #expect(try FileStat.at(place.root, Staging.folder) == nil)
  }
}
