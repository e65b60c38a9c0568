import CairnPlan
import CairnZone
import Testing

@testable import CairnFolders

/// The intent log after an interruption: the intended state becomes the synced one, as far as the
/// disk shows it.
struct JournalTests {
  private static let id = RecordID(bytes: [UInt8](repeating: 1, count: 16)) ?? .root

  /// A place, bytes, an inode, a time, and the executable bit. The bytes are nil until they are
  /// read.
  struct Shown: CustomTestStringConvertible, Sendable {
    var name = "a"
    var bytes: UInt8? = 1
    var inode: UInt64 = 1
    var modified: Int64 = 1
    var isExecutable = false
    var isDirectory = false

    var node: Node {
      let kind: Node.Kind = isDirectory ? .directory : .file(bytes.map(JournalTests.content))
      let attributes = Attributes(isExecutable: isExecutable, modified: modified)
      return Node(place: JournalTests.place(name), kind: kind, attributes: attributes)
    }

    var local: NodeRow.Local {
      NodeRow.Local(node: node, inode: inode, birth: 7, size: 1, changed: modified)
    }

    var stat: FileStat {
      var stat = FileStat(kind: isDirectory ? .directory : .file)
      (stat.inode, stat.birth, stat.size) = (inode, 7, 1)
      (stat.modified, stat.changed, stat.isExecutable) = (modified, modified, isExecutable)
      return stat
    }

    var testDescription: String {
      "\(name)=\(bytes.map(String.init) ?? "?") #\(inode) @\(modified)"
    }
  }

  fileprivate static func content(_ number: UInt8) -> ContentID {
    guard let id = ContentID(bytes: [UInt8](repeating: number, count: 32)) else {
      preconditionFailure("a bad content in a test")
    }
    return id
  }

  fileprivate static func place(_ name: String) -> Place {
    guard let name = FileName(name) else { preconditionFailure("a bad name in a test") }
    return Place(parent: .root, name: name)
  }

  /// The intended step of the record.
  enum Act: Sendable {
    case install(Shown)
    case replace(Shown)
    case move(String)
    case set(modified: Int64, isExecutable: Bool)
    case makeDirectory(String)
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var about: String
    var acts: [Act]
    /// The agreed state before, and the state on the disk; nil if the record was new.
    var before: Shown?
    /// The state on the disk, if it differs from the agreed one.
    var localBefore: Shown?
    var now: Shown
    var agreed: Shown?

    var testDescription: String { about }
  }

  private static func step(_ act: Act, _ before: Shown) -> (FolderStep, StagedFile?) {
    switch act {
    case .install(let shown):
      (.install(id, shown.node), StagedFile(name: [], stat: shown.stat))
    case .replace(let shown):
      (
        .replace(id, expected: before.node, with: shown.node),
        StagedFile(name: [], stat: shown.stat)
      )
    case .move(let name): (.move(id, from: before.node.place, to: place(name)), nil)
    case .set(let modified, let isExecutable):
      (
        .setAttributes(
          id, expected: before.node, Attributes(isExecutable: isExecutable, modified: modified)),
        nil
      )
    case .makeDirectory(let name): (.makeDirectory(id, place(name)), nil)
    }
  }

  private static let old = Shown()
  private static let new = Shown(bytes: 2, inode: 2, modified: 2)

  static let table: [Row] = [
    Row(about: "it arrived", acts: [.install(new)], now: new, agreed: new),
    Row(
      about: "it arrived, and its person moved it", acts: [.install(new)],
      now: Shown(name: "b", bytes: 2, inode: 2, modified: 2), agreed: new),
    Row(
      about: "it arrived, and its person wrote to it", acts: [.install(new)],
      now: Shown(bytes: nil, inode: 2, modified: 9), agreed: new),
    Row(
      about: "a file of its person's stands in its place", acts: [.install(new)],
      now: Shown(bytes: nil, inode: 3, modified: 9)),
    Row(
      about: "its bytes came", acts: [.replace(new)], before: old, now: new, agreed: new),
    Row(
      about: "its bytes didn't come", acts: [.replace(new)], before: old, now: old, agreed: old),
    Row(
      about: "its bytes came, and its person wrote to them", acts: [.replace(new)], before: old,
      now: Shown(bytes: nil, inode: 2, modified: 9), agreed: new),
    Row(
      about: "its person wrote to it, and its bytes didn't come", acts: [.replace(new)],
      before: old, now: Shown(bytes: nil, modified: 9), agreed: old),
    Row(
      about: "its bytes came where its person had moved it",
      acts: [
        .replace(Shown(name: "b", bytes: 2, inode: 2, modified: 2))
      ], before: old, localBefore: Shown(name: "b"),
      now: Shown(name: "b", bytes: 2, inode: 2, modified: 2), agreed: new),
    Row(
      about: "it was moved", acts: [.move("b")], before: old, now: Shown(name: "b"),
      agreed: Shown(name: "b")),
    Row(about: "it wasn't moved", acts: [.move("b")], before: old, now: old, agreed: old),
    Row(
      about: "its person moved it elsewhere", acts: [.move("b")], before: old,
      now: Shown(name: "c"), agreed: old),
    Row(
      about: "it was moved, and its person wrote to it", acts: [.move("b")], before: old,
      now: Shown(name: "b", bytes: nil, modified: 9), agreed: Shown(name: "b")),
    Row(
      about: "it was moved, and its bytes didn't come",
      acts: [
        .move("b"), .replace(Shown(name: "b", bytes: 2, inode: 2, modified: 2)),
      ], before: old, now: Shown(name: "b"), agreed: Shown(name: "b")),
    Row(
      about: "it was moved, and its bytes came",
      acts: [
        .move("b"), .replace(Shown(name: "b", bytes: 2, inode: 2, modified: 2)),
      ], before: old, now: Shown(name: "b", bytes: 2, inode: 2, modified: 2),
      agreed: Shown(name: "b", bytes: 2, modified: 2)),
    Row(
      about: "its attributes were set", acts: [.set(modified: 5, isExecutable: true)], before: old,
      now: Shown(modified: 5, isExecutable: true), agreed: Shown(modified: 5, isExecutable: true)),
    Row(
      about: "they weren't", acts: [.set(modified: 5, isExecutable: true)], before: old, now: old,
      agreed: old),
    Row(
      about: "one of them was", acts: [.set(modified: 5, isExecutable: true)], before: old,
      now: Shown(isExecutable: true), agreed: Shown(isExecutable: true)),
    Row(
      about: "what a step leaves as it is stays its person's",
      acts: [
        .set(modified: 5, isExecutable: true)
      ], before: old, localBefore: Shown(isExecutable: true),
      now: Shown(modified: 5, isExecutable: true), agreed: Shown(modified: 5)),
    Row(
      about: "a directory was made", acts: [.makeDirectory("d")],
      now: Shown(name: "d", inode: 4, modified: 0, isDirectory: true),
      agreed: Shown(name: "d", modified: 0, isDirectory: true)),
    Row(
      about: "a file of its person's stands where it was to be", acts: [.makeDirectory("d")],
      now: Shown(name: "d", bytes: nil, inode: 4)),
  ]

  @Test(arguments: table)
  func `an intended state that is on the disk becomes the synced one`(_ row: Row) throws {
    let before = (row.localBefore ?? row.before).map {
      NodeRow(id: Self.id, local: $0.local, synced: row.before?.node)
    }
    let steps = row.acts.map { Self.step($0, row.localBefore ?? row.before ?? Shown()) }
    let staged = steps.enumerated().compactMap { number, step in step.1.map { (number, $0) } }
    let meant = Journal.meant(
      by: steps.map(\.0), Dictionary(uniqueKeysWithValues: staged)
    ) { _ in before }
    #expect(meant.count == 1)
    let journal = Journal(meant)
    let now = NodeRow(id: Self.id, local: row.now.local, synced: row.before?.node)
    let agreed = Journal.agreement(of: now, with: try #require(journal.row(Self.id)))
    #expect(agreed == row.agreed?.node)
    // The result stays the same when it is asked again.
    var again = now
    again.synced = agreed ?? now.synced
    let second = Journal.agreement(of: again, with: try #require(journal.row(Self.id)))
    #expect(second == agreed)
  }

  @Test func `nobody could take a removed or parked entry for a person's`() {
    let row = NodeRow(id: Self.id, local: Self.old.local, synced: Self.old.node)
    let steps: [FolderStep] = [
      .park(Self.id, from: Self.old.node.place), .remove(Self.id, expected: Self.old.node),
    ]
    #expect(Journal.meant(by: steps, [:]) { _ in row }.isEmpty)
  }

  @Test func `a file is recognized by its inode, a directory by its place, until found`() {
    let file = NodeRow(id: Self.id, local: Self.new.local, synced: Self.new.node)
    let directory = NodeRow(
      id: .root, local: nil, synced: Shown(name: "d", isDirectory: true).node)
    var journal = Journal([file, directory])
    #expect(journal.file(Self.new.stat, at: Self.place("a")) == file)
    #expect(journal.file(Self.old.stat, at: Self.place("a")) == nil)
    #expect(journal.directory(at: Self.place("d")) == directory)
    #expect(journal.isMeant(Self.id, at: Self.place("a")))
    #expect(!journal.isMeant(Self.id, at: Self.place("b")))
    journal.forget(Self.id)
    #expect(journal.file(Self.new.stat, at: Self.place("a")) == nil && !journal.isEmpty)
    journal.forget(.root)
    #expect(journal.directory(at: Self.place("d")) == nil && journal.isEmpty)
  }
}
