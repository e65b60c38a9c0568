import CairnControl
import CairnReplica
import CairnZone

/// The thing that a path or an id refers to.
struct Target {
  /// Its kind.
  let kind: Control.TargetKind
  /// Its zone.
  let zone: Zone
  /// The mount around it; nil if the zone was named by its id and has no folder here.
  let mount: Mount?
  /// The path below the mount's root; empty for the root itself, and for an id.
  let relative: [UInt8]

  /// True if the path leads below a mount's root, to something or to nothing.
  var isInside: Bool { kind == .inside || kind == .missing }
}
