import CairnCloud
import CairnControl
import CairnZone

extension Daemon {
  /// The link to a zone of this container, with the container's place as this home knows it.
  func link(to zone: Zone) -> ShareLink {
    ShareLink(container: container.id, zone: zone.id, location: configuration.containerPath)
  }
}
