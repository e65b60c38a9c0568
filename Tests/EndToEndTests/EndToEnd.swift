import Testing

/// The whole product, as people use it: real programs, folders and containers. Each test has two
/// daemons and a directory of its own. Twice as many run at once as there are processors.
@Suite(.onTestThreads) enum EndToEnd {}
