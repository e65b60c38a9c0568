/// The topics of notifications. One of each topic is shown, and later ones are summed up.
enum NoticeTopic: String, Hashable, Sendable, CaseIterable {
  case invitation = "invitation.received"
  case request = "request.received"
  case drop = "drop.received"
  case conflict
  case removed = "share.revoked"
  case stopped = "share.stopped"
  case rights = "share.rights"
  case claim = "share.claimed"
  case held = "deletions.held"
  case burst = "changes.many"
  case person = "user.changed"
  case trouble

  /// The topic of an event that deserves an immediate notification; nil for other events. A person
  /// knows their own acts, on any device.
  init?(_ event: Control.Event) {
    guard let topic = NoticeTopic(rawValue: event.kind), topic != .trouble else { return nil }
    if [.removed, .stopped, .rights, .claim].contains(topic), event.by == nil { return nil }
    self = topic
  }

  /// A number of these events, in words.
  func count(_ number: Int) -> String {
    let (one, many) =
      switch self {
      case .invitation: ("invitation", "invitations")
      case .request: ("request for access", "requests for access")
      case .drop: ("file in a drop box", "files in drop boxes")
      case .conflict: ("conflict", "conflicts")
      case .removed, .stopped: ("share that ended", "shares that ended")
      case .rights: ("change of your part in a share", "changes of your part in shares")
      case .claim: ("claim to the ownership of a share", "claims to the ownership of shares")
      case .held: ("folder with pending deletions", "folders with pending deletions")
      case .burst: ("device that changed very many files", "devices that changed very many files")
      case .person: ("person who changed", "people who changed")
      case .trouble: ("lasting problem", "lasting problems")
      }
    return "\(number) \(number == 1 ? one : many)"
  }

  /// The notification for an event, or for the first of several.
  func notice(of event: Control.Event) -> Control.Notice {
    let (title, action, section, command) = words
    let path = event.path?.text.map { [$0] } ?? []
    let hasPath = section == "conflicts" || section == "activity"
    var text = Control.Path.sentence(event.text)
    if !hasPath || self == .conflict, let place = event.path {
      text = "\(place): \(text)"
    } else {
      text = text.prefix(1).uppercased() + text.dropFirst()
    }
    // A home with several containers names each.
    if let container = event.containerName { text = "\(Control.Path(container)): \(text)" }
    return Control.Notice(
      about: rawValue, title: title, text: text, action: action,
      show: ["console", "--show", section] + (hasPath ? path : []), command: command)
  }

  private var words: (title: String, action: String, section: String, command: String) {
    switch self {
    case .invitation:
      ("You are invited to a share", "Show invitation", "people", "cairn share invitations")
    case .request:
      ("A person asks for access", "Show request", "people", "cairn share requests")
    case .drop: ("A file waits in a drop box", "Show file", "people", "cairn drop list")
    case .conflict:
      ("A file has two versions", "Compare them", "conflicts", "cairn conflicts list")
    case .removed: ("You were removed from a share", "Show people", "people", "cairn status")
    case .stopped: ("A share has ended", "Show people", "people", "cairn status")
    case .rights: ("Your part in a share changed", "Show people", "people", "cairn share list")
    case .claim:
      ("A person claims the ownership of a share", "Show people", "people", "cairn status")
    case .held:
      ("Deletions wait for your confirmation", "Show deletions", "held", "cairn held list")
    case .burst:
      ("A device changed very many files", "Show what", "activity", "cairn status")
    case .person: ("A person you share with has changed", "Show people", "people", "cairn status")
    case .trouble: ("A problem lasts", "Show folders", "folders", "cairn status")
    }
  }
}
