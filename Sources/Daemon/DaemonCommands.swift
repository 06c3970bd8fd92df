import CommandLine

/// The commands that are programs of their own, for the executable's table.
public enum DaemonCommands {
  public static var all: [Command] { [.run, .demo, .serve, .token, .cookies, .car, .doctor] }
}
