import CairnPlan
import CairnZone
import Testing

@testable import CairnFolders

/// The new directories that are built in the staging folder, as a value, and the portions of steps.
struct NewDirectoriesTests {
  private let a = RecordID.random(), b = RecordID.random()
  private let files = (0..<3).map { _ in RecordID.random() }
  private let name: FileNameBytes = [1]

  private func isWaiting(_ directories: NewDirectories, _ ids: [RecordID]) -> [Bool] {
    ids.map { directories.isWaiting($0) }
  }

  @Test func `a directory is complete when its last file has come`() {
    var directories = NewDirectories()
    directories.begin(
      a, as: name, files: [files[0], files[1]], waiting: [a, files[0], files[1], b])
    directories.begin(b, as: [2], files: [files[2]], waiting: [b, files[2]])
    #expect(directories.waiting == Set([a, b] + files))
    directories.end(files[0])
    #expect(directories.completeName(of: a) == nil && directories.isWaiting(files[0]))
    directories.end(files[1])
    #expect(directories.completeName(of: a) == name)
    #expect(isWaiting(directories, [a, files[0], files[1]]) == [false, false, false])
    #expect(directories.isWaiting(b), "its own file isn't there")
    #expect(directories.brokenRule == nil)
    directories.end(files[2])
    #expect(directories.waiting.isEmpty && directories.completeName(of: b) == [2])
  }

  @Test func `nothing waits for a directory that a plan creates without its files`() {
    var directories = NewDirectories()
    directories.begin(a, as: name, files: [files[0]], waiting: [a, files[0]])
    directories.leave(a)
    #expect(directories.waiting.isEmpty && directories.completeName(of: a) == nil)
    #expect(directories.has(a), "no other files are received into it")
    #expect(directories.takeLeftovers().isEmpty, "a file is still on its way")
    directories.end(files[0])
    #expect(directories.takeLeftovers() == [name])
    #expect(directories.isQuiet)
  }

  @Test func `a directory in the folder is no leftover`() {
    var directories = NewDirectories()
    directories.begin(a, as: name, files: [files[0]], waiting: [a])
    directories.begin(b, as: [2], files: [files[1]], waiting: [b])
    for file in files { directories.end(file) }
    for id in [a, b] { directories.leave(id) }
    directories.rename([2], to: [1, 2])
    directories.moved([name])
    #expect(directories.takeLeftovers() == [[1, 2]])
    #expect(directories.takeLeftovers().isEmpty)
  }

  @Test func `a directory without files on their way isn't waited for`() {
    var directories = NewDirectories()
    directories.begin(a, as: name, files: [], waiting: [a])
    #expect(directories.waiting.isEmpty && directories.takeLeftovers() == [name])
  }

  @Test func `the files of a directory are in its portion`() throws {
    func step(_ id: RecordID, _ parent: RecordID) throws -> FolderStep {
      let place = Place(parent: parent, name: try #require(FileName("x\(id)")))
      let attributes = Attributes(isExecutable: false, modified: 1)
      return .install(id, Node(place: place, kind: .file(nil), attributes: attributes))
    }
    let place = Place(parent: .root, name: try #require(FileName("a")))
    let steps: [FolderStep] = [
      .makeDirectory(a, place), .makeDirectory(b, place), try step(files[0], .root),
      try step(files[1], a), try step(files[2], a),
    ]
    func portions(_ limit: Int, _ inside: Set<RecordID>) -> [[RecordID]] {
      StagedPortion.split(steps, limit: limit) { inside.contains($0.id) ? a : nil }
        .map { $0.map(\.id) }
    }
    #expect(portions(10, []) == [[a, b] + files])
    #expect(portions(2, []) == [[a, b], [files[0], files[1]], [files[2]]])
    #expect(portions(2, [files[1], files[2]]) == [[a, files[1], files[2]], [b, files[0]]])
    #expect(portions(1, Set(files)) == [[a] + files, [b]])
  }
}
