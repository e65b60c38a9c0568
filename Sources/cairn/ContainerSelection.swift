import ArgumentParser
import CairnControl
import Glibc

/// The option `--container NAME`, which every command accepts. It stands for the environment
/// variable `CAIRN_CONTAINER`, so that it holds for all processes of a command.
enum ContainerSelection {
  /// The commands whose option of this name is the location of a container.
  private static let others: [[String]] = [
    ["init"], ["device", "join"], ["share", "accept"], ["drop", "put"],
  ]

  /// Selects the container that the arguments name.
  /// - Returns: The arguments without the option.
  /// - Throws: `ControlError` if the name is missing or invalid.
  static func take(from arguments: [String]) throws(ControlError) -> [String] {
    var (kept, rest) = ([String](), arguments[...])
    while let argument = rest.popFirst() {
      let isLocation = others.contains { kept.prefix($0.count).elementsEqual($0) }
      guard argument != "--", !isLocation, !argument.hasPrefix("---") else {
        return kept + [argument] + rest
      }
      let name: String?
      if argument == "--container" {
        name = rest.popFirst()
      } else if argument.hasPrefix("--container=") {
        name = String(argument.dropFirst("--container=".count))
      } else {
        kept.append(argument)
        continue
      }
      guard let name else {
        throw ControlError(
          .invalidArguments, "--container needs the name of a container.",
          remedy: "`cairn container list` lists the containers of this home.")
      }
      try select(name)
    }
    return kept
  }

  /// Selects a container for this process and those that it starts.
  static func select(_ name: String) throws(ControlError) {
    guard Home.isContainerName(name) else { throw Home.invalidContainerName(name) }
    setenv(Home.containerVariable, name, 1)
  }
}

/// A command that lists things, and without a path those of every container.
protocol EveryContainerCommand: ParsableCommand {
  /// A Boolean value that indicates whether the output has only names, without headings.
  var isBare: Bool { get }
  /// A Boolean value that indicates whether the command runs until it is interrupted, so that it is
  /// for one container only.
  var isEndless: Bool { get }
}

extension EveryContainerCommand {
  var isBare: Bool { false }

  var isEndless: Bool { false }

  /// Runs the command for each container of the home, with its name above the output. In JSON, each
  /// answer has the member `containerName` instead. Returns the exit status of the last failure, or
  /// 0 without one.
  static func runEach(_ command: Self, isJSON: Bool) throws -> CInt {
    let list = try ControlClient(home: try Home()).call(Control.ContainerList()).reply.containers
    var status: CInt = 0
    for (number, container) in list.enumerated() {
      try ContainerSelection.select(container.name)
      if !isJSON, !command.isBare {
        if number > 0 { Output.line() }
        Output.line("\(Output.printable(container.name)):")
      }
      var command = command
      do { try command.run() } catch let error as ControlError {
        Failure.report(error, isJSON: isJSON)
        status = error.exitStatus
      } catch let code as ExitCode {
        // The command has reported the reason.
        status = code.rawValue
      }
    }
    return status
  }
}
