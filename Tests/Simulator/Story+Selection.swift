import CairnReplica
import CairnZone

@testable import CairnFolders

/// Selective sync: people select what their folders have, at any moment.
extension Story {
  /// Performs a person's selection. The number selects an entry of their folder.
  func select(_ person: Int, _ change: Step.Selecting, _ number: UInt32) throws {
    let device = devices[person]
    guard !device.isWorking, !device.isOut, !device.disk.isRootHidden, !device.disk.isFolderGone
    else { return }
    let entry = hands(of: person).any(number).map { hands(of: person).place($0) }
    let path = entry.map { Array($0.names.joined(separator: [UInt8(ascii: "/")])) }
    // A deletion that isn't sent yet is forgotten with what isn't selected any more.
    if try !device.isQuiet { hasHastySelection = true }
    if change == .hidden, let path {
      // Deleted entries that were hidden may come back with their files here.
      hasHastySelection = true
      count("selection hidden")
      return device.disk.hide(number % 5 == 0 ? nil : Self.rule(path, number))
    }
    let request: SelectionRequest
    switch (change, path) {
    case (.everything, _): request = .all
    case (_, nil), (.hidden, _): return
    case (.only, let path?): request = .only([path], addsNew: number % 2 == 0)
    case (.without, let path?): request = .without([path], addsNew: true)
    case (.closed, let path?): request = .without([path], addsNew: false)
    }
    count("selection \(change)")
    device.ask { _, _, engine in try engine.select(request) }
    if device.disk.isDead { try recover(device) }
  }

  /// Returns a rule that hides the entry at a path: by its path, or any entry of its name.
  private static func rule(_ path: [UInt8], _ number: UInt32) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let name = number % 3 == 0 ? path.split(separator: slash).last.map(Array.init) ?? [] : path
    return (number % 3 == 0 ? [] : [slash]) + name + [UInt8(ascii: "\n")]
  }

  /// Removes everybody's own rules.
  func showHidden() {
    for device in devices where !device.disk.isRootHidden && !device.disk.isFolderGone {
      device.disk.hide(nil)
    }
  }

  /// Checks that at rest each folder has a part of what everybody has together, that no selection
  /// is half followed, and that nobody is told of deletions.
  func checkSelections() throws {
    for device in devices {
      guard let engine = device.engine, let zone = device.zone, !device.isOut else { continue }
      let tree = tree(device)
      // A hidden file may have the path of a record.
      let rules = engine.selection.hidden
      let present = Set(tree.entries.keys.filter { rules?.hides($0) != true })
      let missing = try zone.read { view -> Set<[UInt8]> in
        var found: Set<[UInt8]> = []
        var stack: [(RecordID, [UInt8])] = [(.root, [])]
        while let (directory, path) = stack.popLast() {
          for (name, id) in try view.children(of: directory, after: [], limit: 100_000) {
            let full = path.isEmpty ? name : path + [UInt8(ascii: "/")] + name
            if !present.contains(full) { found.insert(full) }
            if try view.record(id)?.type == .directory { stack.append((id, full)) }
          }
        }
        return found
      }
      let leftOut = engine.report.leftOut.map { $0.files + $0.directories } ?? 0
      guard missing.count == leftOut else {
        throw Violation(
          rule: "selection",
          message: "\(device.number) lacks \(missing.map(text).sorted()), and \(leftOut) entries "
            + "are left out by \(try engine.describeSelection().marks.map { (text($0), $1) })")
      }
    }
  }
}

extension LocalRules {
  /// Returns whether the rules hide a path, or a directory above it.
  fileprivate func hides(_ path: [UInt8]) -> Bool {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    return names.indices.contains { last in
      pattern(hiding: Array(names[...last]), isDirectory: last < names.count - 1) != nil
    }
  }
}

extension SimulatedDisk {
  /// Writes a device's own rules, or removes them.
  func hide(_ rules: [UInt8]?) {
    let name = FileName.localRules
    if let rules {
      let inode = folder.entries[name] ?? make(.file, name, in: folder, mode: 0o644)
      inode.bytes = rules
      inode.modified = time
      inode.changed = time
    } else if folder.entries[name] != nil {
      folder.entries[name] = nil
    }
    tell(folder, name)
  }
}

extension Script {
  /// A Boolean value that indicates whether somebody writes in a text.
  var hasTexts: Bool {
    steps.contains { step in
      switch step {
      case .operation(_, .writeLine), .deed(_, .writeLine): true
      default: false
      }
    }
  }

  /// A Boolean value that indicates whether somebody selects a part of the folder.
  var hasSelection: Bool {
    steps.contains { if case .select = $0 { true } else { false } }
  }
}
