import CairnPlan
import CairnReplica
import CairnZone
import Glibc

/// Keeps the decision of a mount about modes and extended attributes, and has the index follow it.
/// The owner of a zone decides what the zone carries, and the owner's devices apply it. Each other
/// device decides for itself: a file in the folder's own directory says so, because the index may
/// be lost.
///
/// It uses these parts of the state: `disk`, `hintEverything`, `path`, `read`, `report`, `retries`,
/// `root`, `scope`, `stagingName`, `write`, `zone`.
struct MetadataKeeper {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  private static let name = MountMark.metadataName
  /// The attributes that a folder can show.
  static let supported: CarriedAttributes = [.mode, .extended]
  /// The number of rows that are read or changed at a time.
  private static let portion = 1_000

  /// Loads the decision of this device, and marks what differs from what the index follows.
  func load(_ root: Descriptor) throws {
    let own = try root.openDirectory([state.stagingName])
    state.report.disk.metadata.isChosen = try FileStat.at(own, Self.name) != nil
    take(try state.read { try CarriedColumns($0).carried })
    try follow()
  }

  /// Applies the decisions of the zone's owner and of this device. Records that have attributes are
  /// compared again if these count from now on.
  func follow() throws {
    let header = state.zone.header
    state.report.disk.metadata.carried = header.carried.intersection(Self.supported)
    let isApplied = state.zone.scope == .private || state.report.disk.metadata.isChosen
    let wanted = isApplied ? state.report.disk.metadata.carried : []
    guard wanted != state.scope.carried else { return }
    // A zone whose index was lost doesn't know what it carries before it is read again.
    guard try state.read({ try $0.seen }) <= header.sequence else { return }
    let more = wanted.subtracting(state.scope.carried)
    try state.zone.read { view in
      try state.write { tree in
        if !more.isEmpty { try markCarried(view, in: tree) }
        if more.contains(.extended) { try CarriedColumns(tree).forgetExtended() }
        try CarriedColumns(tree).set(wanted)
      }
    }
    take(wanted)
    if more.contains(.extended) { state.hintEverything() }
  }

  private func take(_ carried: CarriedAttributes) {
    state.scope.carried = carried
    state.report.disk.metadata.applied = carried
  }

  private func markCarried(_ view: ZoneView, in tree: FolderTree) throws {
    var last: RecordID?
    while true {
      let rows = try tree.nodes(after: last, limit: Self.portion)
      for row in rows {
        guard let found = try view.record(row.id)?.attributes,
          found.mode != nil || found.extended != nil
        else { continue }
        try tree.markDirty(row.id, .remote)
        state.retries.release(row.id)
      }
      guard let next = rows.last?.id else { return }
      last = next
    }
  }

  /// Decides whether this device applies what others' zones carry; the decision is on the disk when
  /// this returns.
  func choose(_ isChosen: Bool) throws {
    // A new folder isn't attached yet, and has its mark.
    let root = try state.root ?? Descriptor.openRoot(state.path, on: state.disk)
    let own = try root.openDirectory([state.stagingName])
    if isChosen {
      try own.open([Self.name], flags: O_WRONLY | O_CREAT, mode: 0o600).sync()
    } else if try FileStat.at(own, Self.name) != nil {
      try own.remove(Self.name)
    }
    try own.sync()
    state.report.disk.metadata.isChosen = isChosen
    if state.root != nil { try follow() }
  }

  /// Gives the present modes and extended attributes of this folder to records that have none.
  /// Entries that came from others have no mode of their own before that: theirs may only be this
  /// device's limit.
  /// - Returns: The number of entries.
  func give() throws -> Int {
    guard !state.scope.carried.isEmpty, state.zone.mayWrite else { return 0 }
    var (last, given): (RecordID?, Int) = (nil, 0)
    while true {
      let rows = try state.write { tree in
        let rows = try tree.nodes(after: last, limit: Self.portion)
        for var row in rows {
          guard let local = row.local, !local.node.isSameKind(as: .symlink) else { continue }
          row.local?.state(state.scope.carried)
          guard row.local != local else { continue }
          try tree.put(row)
          try tree.markDirty(row.id)
          given += 1
        }
        return rows
      }
      guard let next = rows.last?.id else { return given }
      last = next
    }
  }
}

extension NodeRow.Local {
  /// Takes what the disk shows for the state of the node, where the node says nothing.
  fileprivate mutating func state(_ carried: CarriedAttributes) {
    let attributes = node.attributes
    if carried.contains(.mode), attributes.mode == nil, let access {
      let bits = UInt16(access.mode)
      node.attributes.mode =
        node.isDirectory ? bits : Attributes.mode(bits, isExecutable: attributes.isExecutable)
    }
    if carried.contains(.extended), attributes.extended == nil, let seen = shown.extended {
      (node.attributes.extended, shown.extended) = (seen, nil)
    }
  }
}
