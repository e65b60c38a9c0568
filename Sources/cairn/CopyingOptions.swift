import ArgumentParser
import CairnControl

/// The common options of commands that copy the container: the target, and the output.
struct CopyingOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Where to: a directory, or a bucket, as in s3:https://HOST/BUCKET/PREFIX.",
      valueName: "to"))
  var target: ContainerArgument

  @OptionGroup var bucket: BucketOptions
  @OptionGroup var output: OutputOptions

  /// Sends the operation, and writes sentences for people, or JSON for programs. Fails if there are
  /// problems with single objects.
  func tell<Operation: ControlOperation>(
    _ operation: Operation, _ sentences: (Operation.Reply) -> [String]
  ) throws where Operation.Reply: ControlListReply {
    let session = try Session(output)
    let isWhole: Bool
    if output.json {
      isWhole = try session.print(operation)
    } else {
      let reply = try session.whole(operation)
      for line in sentences(reply) { Output.line(line) }
      isWhole = reply.items.isEmpty
    }
    guard isWhole else { throw ExitCode(Control.ErrorCode.partialFailure.exitStatus) }
  }
}
