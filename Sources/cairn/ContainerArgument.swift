import ArgumentParser
import CairnControl

/// The location of a container on the command line: a directory's path, or the address of a bucket
/// or a web server.
struct ContainerArgument: ExpressibleByArgument {
  private let path: PathArgument
  private let isAddress: Bool
  /// A Boolean value that indicates whether it is behind a web server, and so read-only.
  let isReadOnly: Bool

  init?(argument: String) {
    guard let path = PathArgument(argument: argument) else { return nil }
    self.path = path
    isAddress = ["s3:", "https:", "http:"].contains { argument.hasPrefix($0) }
    isReadOnly = isAddress && !argument.hasPrefix("s3:")
  }

  static let defaultCompletionKind = CompletionKind.directory

  /// Returns the given address, or the absolute path.
  func location() throws(ControlError) -> Control.Path {
    isAddress ? Control.Path(path.given) : try path.absolute()
  }
}

/// The name of a container that a command adds to those of the home.
struct AddedContainerOptions: ParsableArguments {
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The name of the container in this home, to add it to the containers that are here.",
      valueName: "name"))
  var containerName: String?
}

/// The options for a container's bucket in commands that create a home.
struct BucketOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "For a bucket: the file with its key, in the form of ~/.aws/credentials, the "
        + "default.", valueName: "file"))
  var credentials: PathArgument?

  @Option(help: ArgumentHelp("For a bucket: the name of the key in that file.", valueName: "name"))
  var profile: String?

  @Option(help: ArgumentHelp("For a bucket: its region.", valueName: "name"))
  var region: String?

  /// Returns the settings for the daemon; nil without any option.
  func bucket() throws(ControlError) -> Control.Bucket? {
    var bucket = Control.Bucket(region: region, profile: profile)
    if let file = try credentials?.absolute() {
      guard let text = file.text else {
        throw ControlError(
          .invalidArguments, "The path of the file with the key isn't valid UTF-8 text.",
          remedy: "Give the file a plain name.", path: file)
      }
      bucket.credentialsFile = text
    }
    return bucket == Control.Bucket() ? nil : bucket
  }
}
