import ArgumentParser
import CairnControl

/// Where a container is, on the command line: a directory's path, or the address of a bucket or a
/// web server.
struct ContainerArgument: ExpressibleByArgument {
  private let path: PathArgument
  private let isAddress: Bool
  /// Whether it is behind a web server, where it can only be read.
  let isReadOnly: Bool

  init?(argument: String) {
    guard let path = PathArgument(argument: argument) else { return nil }
    self.path = path
    isAddress = ["s3:", "https:", "http:"].contains { argument.hasPrefix($0) }
    isReadOnly = isAddress && !argument.hasPrefix("s3:")
  }

  static let defaultCompletionKind = CompletionKind.directory

  /// The address as it was given, or the path made absolute.
  func location() throws(ControlError) -> Control.Path {
    isAddress ? Control.Path(path.given) : try path.absolute()
  }
}

/// How a container's bucket is asked, for who makes a home.
struct BucketOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "For a bucket: the file with its key, in the form of ~/.aws/credentials, which is asked if "
        + "this is left out.", valueName: "file"))
  var credentials: PathArgument?

  @Option(help: ArgumentHelp("For a bucket: which key of that file.", valueName: "name"))
  var profile: String?

  @Option(help: ArgumentHelp("For a bucket: its region.", valueName: "name"))
  var region: String?

  /// What the daemon is told; nil if nothing was said.
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
    return bucket.isEmpty ? nil : bucket
  }
}
