import CairnPlan
import CairnZone
import Glibc

/// Chooses the new directories of a plan that are built in the staging folder, and creates them
/// there. Neither a large file nor a conflict copy, whose access depends on the file beside it, is
/// received into one.
///
/// It uses these parts of the state: `only`, `report`, `scanner`, `transfers`.
struct AsideDirectories {
  let state: MountState
  private let staging: Staging
  /// The directories that the plan creates.
  private let made: [RecordID: Place]
  /// The names in the staging folder; nil for a directory that can't be built there.
  private var names: [RecordID: FileNameBytes?] = [:]
  /// The files that are received into each directory, and their bytes.
  private var files: [RecordID: Set<RecordID>] = [:]
  private var bytes: [RecordID: UInt64] = [:]

  /// The most files of one directory, and the most bytes. The others come one by one, so that a
  /// portion of steps keeps its size, and nobody waits long for the first files.
  private static let (mostFiles, mostBytes): (Int, UInt64) = (1_000, 8 << 20)
  /// The longest path in the staging folder, in bytes.
  private static let longestPath = 2_000

  init(_ state: MountState, _ steps: [FolderStep], _ staging: Staging) {
    self.state = state
    self.staging = staging
    var made: [RecordID: Place] = [:]
    if Self.isPossible(state) {
      for case .makeDirectory(let id, let place) in steps { made[id] = place }
    }
    self.made = made
  }

  /// Returns whether directories can be moved into this folder: names must be compared and inodes
  /// kept as in most file systems.
  private static func isPossible(_ state: MountState) -> Bool {
    guard state.only == nil, state.scanner?.foldsNames == false,
      let traits = state.report.disk.fileSystem
    else { return false }
    return traits.swapsNames && traits.keepsDirectoryTimes && !traits.isLimited
  }

  /// Returns the name in the staging folder for a file of the plan; nil if it doesn't go into such
  /// a directory.
  mutating func name(for id: RecordID, _ node: Node, size: UInt64) -> FileNameBytes? {
    let parent = node.place.parent
    guard made[parent] != nil, !state.transfers.newDirectories.has(parent),
      files[parent, default: []].count < Self.mostFiles,
      bytes[parent, default: 0] + size <= Self.mostBytes,
      nameBeforeConflict(node.place.name) == nil, let name = directoryName(for: parent)
    else { return nil }
    files[parent, default: []].insert(id)
    bytes[parent, default: 0] += size
    return Staging.path(name, node.place.name.bytes)
  }

  private mutating func directoryName(for id: RecordID) -> FileNameBytes? {
    if let known = names[id] { return known }
    let name = staging.freshName(for: id)
    do throws(FolderError) {
      try staging.incoming.makeDirectory(name, mode: 0o777)
      names[id] = .some(name)
      return name
    } catch {
      // Its files are received one by one, and their steps report what is wrong.
      names[id] = .some(nil)
      return nil
    }
  }

  /// Notes the directories whose files were handed out, and the steps that wait for them.
  func begin(_ steps: [FolderStep]) {
    guard !files.isEmpty else { return }
    var waiting: [RecordID: [RecordID]] = files.mapValues { _ in [] }
    for step in steps {
      // The directory of a step, and those above it that the plan creates.
      var next = step.makesDirectory ? step.id : step.place.parent
      for _ in 0...made.count {
        guard let place = made[next] else { break }
        waiting[next]?.append(step.id)
        next = place.parent
      }
    }
    for (id, files) in files {
      guard case .some(.some(let name)) = names[id] else { continue }
      state.transfers.newDirectories.begin(
        id, as: name, files: files.filter { state.transfers.has($0) }, waiting: waiting[id] ?? [])
    }
  }
}

extension AsideDirectories {
  /// Finds the directories of a portion that can be moved into the folder: the staging folder has
  /// exactly the files of the portion's steps in them. Everything else that the portion has for
  /// them is put there, too, and they get their times.
  static func prepare(_ portion: inout StagedPortion, _ staging: Staging, in state: MountState) {
    var inside: [RecordID: [Int]] = [:]
    for (position, step) in portion.steps.enumerated() {
      // The intent log has the name of a large file.
      guard case .install(let id, let node) = step, portion.staged[position] != nil,
        nameBeforeConflict(node.place.name) == nil, state.transfers.partial[id] == nil
      else { continue }
      inside[node.place.parent, default: []].append(position)
    }
    for case .makeDirectory(let id, let place) in portion.steps {
      let name = state.transfers.newDirectories.completeName(of: id)
      state.transfers.newDirectories.leave(id)
      let positions = inside[id] ?? []
      if let name, let own = exact(name, positions, portion, staging) {
        portion.aside[id] = StagedPortion.Aside(
          name: name, place: place, record: portion.zone[id], positions: own)
        putInside(id, place, &portion, staging, in: state)
      } else {
        makeInside(id, place, &portion, staging, in: state)
      }
      for position in positions { putInside(position, of: id, &portion, staging) }
    }
    for directory in portion.aside.values {
      guard let modified = directory.record?.attributes.modified else { continue }
      // Where this fails, a later step says why.
      _ = staging.incoming.disk.setTime(of: directory.name, in: staging.incoming.number, modified)
    }
  }

  /// Returns those of the steps whose files were received into a directory of the staging folder;
  /// nil if it has others.
  private static func exact(
    _ directory: FileNameBytes, _ positions: [Int], _ portion: StagedPortion, _ staging: Staging
  ) -> [Int]? {
    var own: [FileNameBytes: Int] = [:]
    for position in positions {
      let name = portion.steps[position].place.name.bytes
      if portion.staged[position] == Staging.path(directory, name) { own[name] = position }
    }
    do throws(FolderError) {
      let found = try DirectoryListing.names(of: staging.incoming.openDirectory([directory]))
      guard found.count == own.count, found.allSatisfy({ own[$0] != nil }) else { return nil }
    } catch {
      return nil
    }
    return own.values.sorted()
  }

  /// The path of an entry in a directory of the staging folder that is moved into the folder; nil
  /// if its directory isn't.
  private static func path(of place: Place, _ portion: StagedPortion) -> FileNameBytes? {
    guard let parent = portion.aside[place.parent] else { return nil }
    let path = Staging.path(parent.name, place.name.bytes)
    return path.count <= longestPath ? path : nil
  }

  /// Moves a directory of the staging folder into the one that it belongs to, if that one is there.
  /// If this fails, it is moved into the folder by itself.
  private static func putInside(
    _ id: RecordID, _ place: Place, _ portion: inout StagedPortion, _ staging: Staging,
    in state: MountState
  ) {
    guard let path = path(of: place, portion), let directory = portion.aside[id],
      rename(directory.name, to: path, staging)
    else { return }
    state.transfers.newDirectories.rename(directory.name, to: path)
    portion.aside[place.parent]?.inner.append(id)
    portion.aside[id]?.name = path
    for position in directory.positions {
      portion.rename(position, to: Staging.path(path, portion.steps[position].place.name.bytes))
    }
  }

  /// Creates a directory in the one of the staging folder that it belongs to, if that one is there.
  private static func makeInside(
    _ id: RecordID, _ place: Place, _ portion: inout StagedPortion, _ staging: Staging,
    in state: MountState
  ) {
    guard let path = path(of: place, portion) else { return }
    do throws(FolderError) { try staging.incoming.makeDirectory(path, mode: 0o777) } catch {
      return
    }
    state.transfers.newDirectories.keep(path)
    portion.aside[place.parent]?.inner.append(id)
    portion.aside[id] = StagedPortion.Aside(
      name: path, place: place, record: portion.zone[id], positions: [])
  }

  /// Moves a file or symbolic link of the staging folder into its directory there. If this fails,
  /// it is put into the folder by itself.
  private static func putInside(
    _ position: Int, of directory: RecordID, _ portion: inout StagedPortion, _ staging: Staging
  ) {
    guard let name = portion.staged[position],
      let path = path(of: portion.steps[position].place, portion), path != name,
      rename(name, to: path, staging)
    else { return }
    portion.rename(position, to: path)
    portion.aside[directory]?.positions.append(position)
  }

  private static func rename(
    _ name: FileNameBytes, to path: FileNameBytes, _ staging: Staging
  ) -> Bool {
    let (disk, incoming) = (staging.incoming.disk, staging.incoming.number)
    return disk.rename(name, in: incoming, to: path, in: incoming, .toFreeName) >= 0
  }

  /// Removes the directories of the staging folder that nobody needs any more.
  static func removeLeftovers(_ staging: Staging, in state: MountState) {
    // The inner ones come last.
    for name in state.transfers.newDirectories.takeLeftovers().reversed() {
      let result = staging.incoming.disk.removeDirectory(name, in: staging.incoming.number)
      if result == -ENOTEMPTY || result == -EEXIST { state.transfers.newDirectories.keep(name) }
    }
  }
}
