import CairnControl
import CairnStore
import Glibc

/// The operations on the list of a home's containers. They change configurations only. The daemon
/// follows them when it starts again.
struct HomeOperations: Operations {
  /// A container of the running daemon.
  struct Member: Sendable {
    var entry: HomeContainers.Entry
    /// The person's handle; nil if the container isn't open.
    var handle: String?
    /// Its mounts; nil if it isn't open.
    var mounts: Mounts?
    /// The reason that it isn't open.
    var problem: ControlError?
  }

  let home: Home
  /// Returns the containers at the daemon's start, as they are now.
  let known: @Sendable () -> [Member]

  private var members: [Member] { known() }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ContainerList.self) { _, _ in
      Control.ContainerListReply(containers: members.map { $0.told(as: $0.entry.name) })
    }
    routes.answer(Control.ContainerRename.self) { request, _ in try rename(request) }
    routes.answer(Control.ContainerRemove.self) { request, _ in try remove(request) }
  }

  func rename(_ request: Control.ContainerRename) throws -> Control.ContainerListReply {
    let present = HomeContainers(home).all
    let member = try member(request.container, in: present)
    guard Home.isContainerName(request.to) else { throw Home.invalidContainerName(request.to) }
    if let other = present.first(where: { $0.name == request.to }) {
      guard other.home == member.entry.home else {
        throw ControlError(
          .alreadyExists, "This home has a container called \(request.to) already.",
          remedy: "Choose another name.")
      }
    }
    try ConfigurationEdit.write(
      [.init("container", "name", .text(request.to))], to: member.entry.home.configuration)
    return Control.ContainerListReply(
      containers: members.map { other in
        other.told(as: other.entry.home == member.entry.home ? request.to : other.entry.name)
      })
  }

  func remove(_ request: Control.ContainerRemove) throws -> Control.ContainerRemoveReply {
    let present = HomeContainers(home).all
    let member = try member(request.container, in: present)
    let home = member.entry.home
    guard present.count > 1 else {
      throw ControlError(
        .invalidArguments, "\(member.entry.name) is the only container of this home.",
        remedy: "`cairn stop` ends all work in it. Then you may move the files of this home away.",
        path: Control.Path(home.configuration))
    }
    guard Glibc.rename(home.configuration, home.removedConfiguration) == 0 else {
      throw ControlError(
        .permissionFailure,
        "\(home.configuration) can't be renamed: \(String(cString: strerror(errno))).",
        remedy: "Check its folder.", path: Control.Path(home.configuration))
    }
    return Control.ContainerRemoveReply(
      name: member.entry.name, configuration: Control.Path(home.removedConfiguration))
  }

  /// Returns a container that is still in the home.
  private func member(
    _ name: String, in present: [HomeContainers.Entry]
  ) throws(ControlError) -> Member {
    let found =
      members.first { $0.entry.name == name }
      ?? members.first { $0.entry.configuration?.containerID == name }
    guard let found, present.contains(where: { $0.home == found.entry.home }) else {
      throw Control.unknownContainer(name)
    }
    return found
  }
}

extension HomeOperations.Member {
  /// The container in answers.
  fileprivate func told(as name: String) -> Control.HomeContainer {
    let configuration = entry.configuration
    return Control.HomeContainer(
      name: name, id: configuration?.containerID ?? "",
      path: Control.Path(configuration?.location.text ?? ""),
      configuration: Control.Path(entry.home.configuration), handle: handle,
      folders: mounts?.all.count ?? 0,
      problem: problem.map {
        Control.Problem(code: $0.code, message: $0.message, remedy: $0.remedy)
      })
  }
}
