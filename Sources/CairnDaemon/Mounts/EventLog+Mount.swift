import CairnControl
import CairnFolders
import CairnZone

/// The events of a mount, from the reports of its engine.
extension EventLog {
  func add(_ happening: MountReport.Happening, of mount: Mount) {
    func absolute(_ path: [UInt8]) -> [UInt8] {
      path.isEmpty ? mount.path : mount.folder + [UInt8(ascii: "/")] + path
    }
    switch happening {
    case .sending(let records):
      add(.exportBegin, mount: mount.id, path: mount.path, text: "sending \(records) changes")
    case .receiving(let records):
      add(.importBegin, mount: mount.id, path: mount.path, text: "applying \(records) changes")
    case .solved(let problem):
      add(
        .problemSolved, mount: mount.id, path: absolute(problem.path),
        text: "in order again: \(problem.message)")
    case .sent(let records, let sequence):
      add(
        .exportEnd, mount: mount.id, path: mount.path,
        text: "sent \(records) changes as entry \(sequence)")
    case .notSent(let reason):
      add(.exportEnd, mount: mount.id, path: mount.path, text: "nothing was sent now: \(reason)")
    case .received(let records):
      let text = records == 0 ? "nothing could be applied now" : "applied \(records) changes"
      add(.importEnd, mount: mount.id, path: mount.path, text: text)
    case .conflict(let path, let copy):
      add(
        .conflict, mount: mount.id, path: absolute(path),
        text: "both sides changed it; the other version is \(Control.Path(absolute(copy)))")
    case .rescued(let entry):
      add(
        .rescued, mount: mount.id, path: absolute(entry.of),
        text: "\(entry.reason); the bytes are at \(Control.Path(absolute(entry.path)))")
    case .held(let held):
      add(.deletionsHeld, mount: mount.id, path: mount.path, text: HeldText.sentence(held))
    case .released(let text): add(.deletionsReleased, mount: mount.id, path: mount.path, text: text)
    case .problem(let problem):
      add(
        .problem, mount: mount.id, path: absolute(problem.path), text: problem.message,
        code: problem.code)
    }
  }
}
