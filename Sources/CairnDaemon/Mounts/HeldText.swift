import CairnControl
import CairnFolders

/// The texts about waiting deletions.
enum HeldText {
  static func control(_ held: MountReport.Held) -> Control.Held {
    Control.Held(
      files: held.files, directories: held.directories, of: held.of,
      since: Control.Time(nanoseconds: held.since))
  }

  /// Returns the description.
  static func sentence(_ held: MountReport.Held) -> String {
    "\(held.files) of \(held.of) files were deleted here at once; the deletions are pending, and "
      + "others still have the files"
  }

  static func problem(_ held: MountReport.Held, of mount: Mount) -> Control.Problem {
    let path = Control.Path(mount.path)
    return Control.Problem(
      path: path, code: .partialFailure, message: Failures.sentence(sentence(held)),
      remedy:
        "To delete them for all participants, run `cairn held confirm \(path.typed)`; otherwise "
        + "`cairn held undo \(path.typed)` restores them.")
  }
}
