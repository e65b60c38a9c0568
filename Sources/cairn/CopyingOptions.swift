import ArgumentParser
import CairnControl

/// What the commands have in common that copy the container: where to, and how they tell what came
/// of it.
struct CopyingOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Where to: a directory, or a bucket, as in s3:https://HOST/BUCKET/PREFIX.",
      valueName: "to"))
  var target: ContainerArgument

  @OptionGroup var bucket: BucketOptions
  @OptionGroup var output: OutputOptions

  /// Asks, and tells people in sentences, or programs in JSON. It fails if the list of what is
  /// wrong with single objects has any.
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
