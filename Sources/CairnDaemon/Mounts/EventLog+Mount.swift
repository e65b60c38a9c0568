import CairnControl
import CairnFolders
import CairnIdentity
import CairnZone

/// The events of a mount, from the reports of its engine.
extension EventLog {
  private static func changes(_ count: Int) -> String {
    count == 1 ? "1 change" : "\(count) changes"
  }

  func add(_ happening: MountReport.Happening, of mount: Mount) {
    func absolute(_ path: [UInt8]) -> [UInt8] {
      path.isEmpty ? mount.path : mount.folder + [UInt8(ascii: "/")] + path
    }
    switch happening {
    case .sending(let records):
      add(.exportBegin, mount: mount.id, path: mount.path, text: "sending \(Self.changes(records))")
    case .receiving(let records):
      add(
        .importBegin, mount: mount.id, path: mount.path,
        text: "applying \(Self.changes(records))")
    case .solved(let problem):
      add(
        .problemSolved, mount: mount.id, path: absolute(problem.path),
        text: "solved: \(problem.message)")
    case .sent(let records, let sequence):
      add(
        .exportEnd, mount: mount.id, path: mount.path,
        text: "sent \(Self.changes(records)) as version \(sequence)")
    case .notSent(let reason):
      add(.exportEnd, mount: mount.id, path: mount.path, text: "not sent yet: \(reason)")
    case .received(let records):
      let text = records == 0 ? "not applied yet" : "applied \(Self.changes(records))"
      add(.importEnd, mount: mount.id, path: mount.path, text: text)
    case .conflict(let path, let copy):
      add(
        .conflict, mount: mount.id, path: absolute(path),
        text: "changed here and by others; the other version is \(Control.Path(absolute(copy)))")
    case .merged(let path):
      add(
        .merged, mount: mount.id, path: absolute(path),
        text: "changed here and by others in different lines, and merged; both versions are in the "
          + "history")
    case .rescued(let entry):
      add(
        .rescued, mount: mount.id, path: absolute(entry.of),
        text: "\(entry.reason); the file is at \(Control.Path(absolute(entry.path)))")
    case .opened(let path):
      add(.fileOpened, mount: mount.id, path: absolute(path), text: "opened on this device")
    case .closed(let path):
      add(.fileClosed, mount: mount.id, path: absolute(path), text: "closed on this device")
    case .held(let held):
      add(.deletionsHeld, mount: mount.id, path: mount.path, text: HeldText.sentence(held))
    case .released(let text): add(.deletionsReleased, mount: mount.id, path: mount.path, text: text)
    case .problem(let problem):
      add(
        .problem, mount: mount.id, path: absolute(problem.path), text: problem.message,
        code: problem.code?.rawValue ?? Control.Event.codeOfNews)
    }
  }
}
