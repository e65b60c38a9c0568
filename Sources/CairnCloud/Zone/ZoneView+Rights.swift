public import CairnZone

extension ZoneView {
  /// What this person may do here.
  public var rights: Set<Right> { state.header.rights(of: user) }

  /// Whether the share's last change was this person's own, as when another device of theirs left.
  public var isShareLastChangedHere: Bool { state.header.share?.changed.user == user }
}
