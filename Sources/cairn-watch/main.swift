// SPDX-License-Identifier: GPL-2.0-only
import Glibc

exit(WatchProgram.run(Array(CommandLine.arguments.dropFirst())))
