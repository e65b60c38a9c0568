public import CairnZone

/// Decides what goes back to where it came from: what a person moved out of another mirrored folder
/// into one where they may not write. Otherwise the folder that it came from would send a deletion,
/// and the bytes would be nobody's. Pure: whoever asks then looks where each of these stood.
public enum WayBack {
  /// Those of the records that may have come by such a move, directories before what is in them:
  /// new here, or another file than both sides agreed on, where nothing may be written.
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
