import CairnFolders

/// Checks, between any two calls of the engine, the view of a person's programs: complete old or
/// complete new versions, durable before they are visible, and never none if names can be swapped.
final class VisibilityWatch {
  private let device: Device
  private let versions: Versions
  private let report: (Violation) -> Void
  /// The files that moved to Cairn's own folder in this piece of work, by path, with their record
  /// and the file.
  private var gone: [[Inode.Name]: (record: [UInt8], file: Inode?)] = [:]
  private var isOn = false

  init(_ device: Device, _ versions: Versions, _ report: @escaping (Violation) -> Void) {
    self.device = device
    self.versions = versions
    self.report = report
    device.disk.onChange = { [weak self] change in self?.look(change) }
  }

  func beginWork() {
    gone = [:]
    isOn = true
  }

  func endWork() { isOn = false }

  /// A person's action in between excuses a gap.
  func personActed() { gone = [:] }

  private func look(_ change: SimulatedDisk.EngineChange) {
    guard isOn else { return }
    let place = path(change.directory, change.name)
    let origin = change.from.flatMap { path($0.directory, $0.name) }
    if let place, !Self.isOwn(place) {
      if let inode = change.after, inode.kind == .file { arrived(inode, at: place, origin) }
      if let inode = change.after, inode.kind == .directory, let origin, Self.isOwn(origin) {
        arrivedInside(inode, at: place)
      }
    } else if let origin, !Self.isOwn(origin), let place, Self.isKept(place), !change.wasSwap {
      gone[origin] = (Array(change.name.prefix(32)), change.after)
    }
  }

  private func arrived(_ inode: Inode, at place: [Inode.Name], _ origin: [Inode.Name]?) {
    if !versions.isKnown(inode.bytes) {
      say("atomic visibility", place, "shows \(inode.bytes.count) bytes that nobody wrote")
    }
    if inode.isEngines, !inode.isDurable {
      say("durable before done", place, "shows bytes that a power cut would take")
    }
    guard let origin, Self.isOwn(origin), device.disk.traits.hasRenameFlags,
      let left = gone[place], let name = origin.last, Array(name.prefix(32)) == left.record
    else { return }
    // A file that was written at the moment of its removal is put back.
    if left.file === inode { return }
    say("atomic visibility", place, "was gone for a moment while it was replaced")
  }

  /// Checks the files of a directory that appears with them.
  private func arrivedInside(_ directory: Inode, at place: [Inode.Name]) {
    for (name, inode) in directory.entries {
      if inode.kind == .file { arrived(inode, at: place + [name], nil) }
      if inode.kind == .directory { arrivedInside(inode, at: place + [name]) }
    }
  }

  private func say(_ rule: String, _ place: [Inode.Name], _ what: String) {
    let path = text(Array(place.joined(separator: [UInt8(ascii: "/")])))
    report(Violation(rule: rule, message: "\(path) on the machine of \(device.number) \(what)"))
  }

  private func path(_ directory: Inode, _ name: Inode.Name) -> [Inode.Name]? {
    directory.path(below: device.disk.folder).map { $0 + [name] }
  }

  private static func isOwn(_ path: [Inode.Name]) -> Bool { path.first == SimulatedDisk.ownFolder }

  private static func isKept(_ path: [Inode.Name]) -> Bool {
    isOwn(path) && path.count > 1 && path[1] == Array("displaced".utf8)
  }
}
