import Glibc
import Simulator

Program.beDeterministic()
exit(Program(Array(CommandLine.arguments.dropFirst())).run())
