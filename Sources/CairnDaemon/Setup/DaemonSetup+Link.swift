import CairnContainer
import CairnControl
import CairnIdentity
import CairnStore

/// The setup of a home from a link alone: its container must exist already.
extension DaemonSetup {
  static func link(_ text: String) throws(ControlError) -> ShareLink {
    do { return try ShareLink(parsing: text) } catch {
      throw ControlError(
        .invalidArguments, Failures.sentence(error.description),
        remedy: "There is no account in this home yet, so only a link can be accepted. Copy the "
          + "whole link, or run `cairn init` first.")
    }
  }

  /// Refuses a folder that isn't the container of the link.
  static func check(_ location: StoreLocation, isOf link: ShareLink) throws {
    let found: ContainerFile?
    do { found = try ContainerFile.root(of: location.open(isReadOnly: true)) } catch let error
      as CloudError
    {
      guard error.isWorthRetrying else { throw error }
      found = nil
    }
    guard let found else {
      throw ControlError(
        .badContainer,
        "The link is for the container \(link.container), and there is none at "
          + "\(location).",
        remedy: "Mount the storage that the sender of the link shares with you, and give its path "
          + "on this machine with --container DIR.", path: Control.Path(location.text))
    }
    guard found.id == link.container else {
      throw ControlError(
        .badContainer,
        "The link is for the container \(link.container), and at \(location) is \(found.id).",
        remedy: "Give the right one with --container DIR.",
        path: Control.Path(location.text))
    }
  }
}
