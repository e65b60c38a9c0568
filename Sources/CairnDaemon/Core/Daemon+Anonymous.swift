import CairnCloud
import CairnControl
import CairnStore
import CairnZone

/// A home without an account: it reads the public database, and nothing of it is in the container.
extension Daemon {
  /// Opens the container to read it. What a person's account zone would hold is kept beside the
  /// home's keys.
  static func openAnonymously(
    _ store: any ObjectStore, _ id: ContainerID, _ account: Account, _ home: Home
  ) throws -> (Container, Person) {
    let own = home.keys + "/own"
    try Home.makePrivateFolder(own)
    guard let ownStore = StoreLocation(own)?.open() else {
      preconditionFailure("a home that isn't absolute: \(own)")
    }
    let container = try Container(
      reading: store, id: id, account: account, indexFolder: home.index, ownStore: ownStore)
    guard let me = try People(store: ownStore).person(account.user) else {
      throw ControlError(
        .notAuthenticated, "The keys of this home don't fit what stands in \(own).",
        remedy: "Remove that folder; nothing but the list of mirrored folders is lost.")
    }
    return (container, me)
  }
}

extension ControlRoutes {
  /// What needs a person is refused before it is begun.
  mutating func refuseAllButReading() {
    let kept: Set<String> = [
      Control.Ping.name, Control.Stop.name, Control.Status.name, Control.Wait.name,
      Control.Events.name, Control.List.name, Control.Verify.name, Control.UserList.name,
      Control.PublicMount.name, Control.PublicUnmount.name, Control.PublicList.name,
      Control.PublicGet.name, Control.PublicExport.name, Control.Can.name,
      Control.CanModify.name, Control.Stat.name, Control.Remove.name, Control.Log.name,
      Control.Zones.name, Control.Inspect.name,
    ]
    refuse(
      except: kept,
      with: ControlError(
        .notAuthenticated,
        "This home is anonymous: it reads the public database, and has no account.",
        remedy: "Run `cairn init --container DIR --name NAME --handle HANDLE` with another "
          + "CAIRN_HOME, and use that."))
  }
}
