public import CairnZone

/// Decides which entries go back to their source: those that a person moved out of another mirrored
/// folder into one where they may not write. Otherwise the source folder would send a deletion, and
/// nobody would have the bytes. A pure function; the caller then looks up the earlier places.
public enum WayBack {
  /// Returns the records that such a move may have created, directories before their entries. They
  /// are in directories where the person may not write, and are new to the mount, or are files
  /// whose bytes aren't read yet.
  public static func candidates(
    _ ids: [RecordID], in trees: some Trees
  ) throws -> [RecordID] {
    let moved = try ids.filter { id in
      guard let local = try trees.local(id), local.place.parent != .parked else { return false }
      guard try trees.synced(id) == nil || local.kind == .file(nil) else { return false }
      return try !trees.mayWrite(id)
    }
    return try moved.map { (id: $0, depth: try depth(of: $0, in: trees)) }
      .sorted { ($0.depth, $0.id) < ($1.depth, $1.id) }.map(\.id)
  }

  private static func depth(of id: RecordID, in trees: some Trees) throws -> Int {
    try Ascent(from: id) { try trees.local($0)?.place }.places.count
  }
}
