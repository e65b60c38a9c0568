extension Record {
  /// The reason why no valid commit can have created the record, judged by the record alone; nil if
  /// one can. Only a whole state can check its chunks and its place in the tree.
  public var problem: String? {
    if created.sequence > changed.sequence { return "A record was changed before it was made." }
    if let problem = placeProblem ?? aspectProblem { return problem }
    if let problem = attributes.problem(for: type) { return problem }
    for content in contents
    where content.chunks.isEmpty != (content.size == 0)
      || content.size > UInt64(content.chunks.count) * ChunkEntry.maximumSize
    {
      return "A content claims more bytes than its chunks can have, or fewer."
    }
    return fields.values.lazy.compactMap(\.problem).first
  }

  private var placeProblem: String? {
    let isPlaceless = if case .typed = type { true } else { id == .root }
    if id == .root, type != .directory { return "The root is no directory." }
    if (place == nil) != isPlaceless { return "A record is nowhere, or where none can be." }
    return place?.name.isReserved == true ? "A record has a reserved name." : nil
  }

  /// The reason why the record lacks an aspect of its type, or has a foreign one.
  private var aspectProblem: String? {
    let problem: String?
    switch type {
    case .file: problem = content == nil ? "A file has no content." : nil
    case .directory: problem = nil
    case .symlink:
      let isTarget = target.map { (1...4095).contains($0.count) && !$0.contains(0) } ?? false
      problem = isTarget ? nil : "A symlink has no target, or one that Linux doesn't allow."
    case .reference:
      let part = target.flatMap { ZonePart(bytes: $0) }
      problem = part == nil ? "A reference names no zone and record." : nil
    case .typed(let name):
      return name.isEmpty ? "The type of a record has no name." : pointlessTarget
    }
    if !fields.isEmpty { return "Only a typed record has fields." }
    return problem ?? pointlessTarget
  }

  private var pointlessTarget: String? {
    if content != nil, type != .file { return "Only a file has content." }
    let points = type == .symlink || type == .reference
    return target != nil && !points ? "Only symlinks and references point." : nil
  }
}
