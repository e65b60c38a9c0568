import CairnContainer
import CairnControl
import CairnReplica
import CairnZone

// Converts the words of the control protocol to those of zones, and back.

extension Control.Scope {
  init(_ scope: DatabaseScope) {
    switch scope {
    case .private: self = .private
    case .shared: self = .shared
    case .public: self = .public
    }
  }
}

extension Control.Permission {
  init(_ permission: Permission) {
    switch permission {
    case .none: self = .none
    case .readOnly: self = .readOnly
    case .readWrite: self = .readWrite
    }
  }

  /// Creates the permission of a person in a zone.
  init(of user: UserID, _ header: ZoneHeader, _ one: OpenContainer) {
    if header.kind != .owned {
      self = header.mayWrite(user) && !one.container.isAnonymous ? .readWrite : .readOnly
    } else if one.container.isAnonymous {
      self = .readOnly
    } else if header.owner == user {
      self = .readWrite
    } else {
      self.init(header.share?.participants[user]?.permission ?? .none)
    }
  }
}

extension Permission {
  init(_ permission: Control.Permission) {
    switch permission {
    case .none: self = .none
    case .readOnly: self = .readOnly
    case .readWrite: self = .readWrite
    }
  }

  /// Creates the permission of an invitation.
  init(granted permission: Control.Permission) throws(ControlError) {
    guard permission != .none else {
      throw ControlError(
        .invalidArguments, "A participant needs a permission.",
        remedy: "Use read-only or read-write.")
    }
    self.init(permission)
  }
}

extension Control.Role {
  /// Creates the role of a person in a zone.
  init(of user: UserID, _ header: ZoneHeader) {
    guard header.kind == .owned else {
      self = header.genesis?.owner == user ? .owner : .publicUser
      return
    }
    guard header.owner != user else {
      self = .owner
      return
    }
    switch header.share?.participants[user]?.role {
    case .administrator: self = .administrator
    case .publicUser: self = .publicUser
    default: self = .privateUser
    }
  }
}

extension Control.Verification {
  init(_ trust: Trust) {
    switch trust {
    case .verified: self = .verified
    case .notVerified: self = .notVerified
    case .changed: self = .changed
    }
  }
}
