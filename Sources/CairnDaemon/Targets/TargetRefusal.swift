import CairnControl
import CairnReplica
import CairnZone

/// The sentences for a target that an operation doesn't accept: the thing that was named, the
/// folder or share around it, and the command for the thing that was probably meant.
struct TargetRefusal {
  let target: Target
  /// The mount around it.
  let mount: Mount
  /// The path as it was named.
  let path: Control.Path
  /// The targets that the operation accepts.
  let targets: Control.Targets
  /// The other mounts of the zone.
  let siblings: [Mount]
  /// True if this person owns the zone.
  let isMine: Bool
  /// True if the mount around the path is one of several parts of its zone.
  let isPart: Bool

  private var accepted: Set<Control.TargetKind> { targets.kinds }
  private var folder: Control.Path { Control.Path(mount.path) }
  private var share: Share? { target.zone.header.share }
  private var id: String { target.zone.id.digits }

  var error: ControlError {
    ControlError(
      .invalidArguments, message,
      remedy: path.suggestion + ([whole].compactMap(\.self) + instead).joined(separator: " "),
      path: path)
  }

  private var message: String {
    switch target.kind {
    case .folder: return "\(path) is all of \(name)."
    case .part: return "\(path) is one of several parts of \(name)\(others)."
    case .missing: return "\(path) doesn't exist. The folder around it is \(folder), \(how)."
    default: return "\(path) is inside \(folder), \(how)."
    }
  }

  private var how: String {
    if isPart { return "one of several parts of \(name)" }
    return share == nil ? "which is mirrored as a whole" : "which is shared as a whole"
  }

  private var name: String {
    share.map { "the share “\(Control.Path($0.title))”" } ?? "the zone \(id)"
  }

  private var others: String {
    let paths = siblings.prefix(3).map { Control.Path($0.path).description }
    guard !paths.isEmpty else { return "" }
    return ", with " + paths.joined(separator: ", ") + (siblings.count > 3 ? ", …" : "")
  }

  /// The sentence that says how to name all of it.
  private var whole: String? {
    if target.kind == .folder { return "To end the share, run `cairn share stop \(path.typed)`." }
    if isPart, target.kind != .part, accepted.contains(.part) {
      return "If the part is meant, name it: \(folder.typed)."
    }
    guard accepted.contains(.folder) else {
      return target.kind == .missing ? "`cairn share list` shows what is shared." : nil
    }
    return isPart
      ? "If the whole share is meant, name its id: \(id)."
      : "If the whole folder is meant, name it: \(folder.typed)."
  }

  /// The command for the named thing alone.
  private var instead: [String] {
    switch (target.kind, targets.intention) {
    case (.missing, _), (.folder, _), (_, .other): return []
    case (.part, _):
      guard isMine, share != nil else { return [] }
      return ["To take only this part out, run `cairn share take-out \(path.typed)`."]
    case (_, .share):
      return share == nil
        ? ["To share only \(path), run `cairn share create \(path.typed)`."]
        : ["To share only \(path), copy it out of the folder and share the copy."]
    case (_, .delete):
      return [
        "To delete only \(path), delete it as you delete any file; `cairn history` shows it then."
      ]
    case (_, .unshare):
      guard share != nil else { return ["`cairn share list` shows what is shared."] }
      return ["To take only \(path) from the others, move it out of the folder."]
    }
  }
}
