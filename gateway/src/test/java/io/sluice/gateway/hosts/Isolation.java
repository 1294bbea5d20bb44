package io.sluice.gateway.hosts;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Launcher of programs as root of new namespaces, in which they can create hosts. They need no
 * rights on this machine, and all processes that they start end with them. Stateless.
 */
final class Isolation {
  /** Commands that each host requires. */
  private static final String PROBE =
      """
      set -e
      command -v nsenter
      command -v ss
      ip netns add probe
      ip link add probe0 type bridge
      ip link add probe1 type veth peer name probe2 netns probe
      nsenter --net=/run/netns/probe -- ip -o link
      """;

  private Isolation() {}

  /** Returns the reason why this machine does not support hosts; empty if it does. */
  static Optional<String> obstacle() {
    Command.Outcome outcome;
    try {
      outcome = Command.attempt(isolated(List.of("sh", "-c", PROBE)));
    } catch (RuntimeException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
    if (outcome.exitCode() == 0) {
      return Optional.empty();
    }
    String[] lines = outcome.output().split("\n");
    return Optional.of(
        "network namespaces can't be made here without root: " + lines[lines.length - 1]);
  }

  /**
   * Returns the command that runs a class of this class path in new namespaces.
   *
   * @param options options of its virtual machine
   */
  static List<String> java(List<String> options, Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    return isolated(command);
  }

  // The program has a separate folder /run, because ip stores the names of namespaces there.
  private static List<String> isolated(List<String> command) {
    List<String> all = new ArrayList<>(List.of("unshare", "--user", "--map-root-user", "--net"));
    all.addAll(List.of("--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"));
    all.addAll(List.of("sh", "-c", "mount -t tmpfs run /run && exec \"$@\"", "sh"));
    all.addAll(command);
    return all;
  }
}
