package io.sluice.loadtest.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Limits on the number of connections of this process. Immutable, for any thread.
 *
 * @param descriptors maximum number of file descriptors, including those in use
 * @param descriptorsInUse open file descriptors
 * @param portsPerAddress connections to one address and port from one local address
 */
record ConnectionLimits(long descriptors, long descriptorsInUse, long portsPerAddress) {
  private static final Path LIMITS = Path.of("/proc/self/limits");
  private static final Path OPEN = Path.of("/proc/self/fd");
  private static final Path PORTS = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
  private static final Pattern SOFT_LIMIT = Pattern.compile("Max open files\\s+(\\d+)");

  /** Placeholder for unknown limits, which permits any number of clients. */
  private static final ConnectionLimits UNKNOWN =
      new ConnectionLimits(Long.MAX_VALUE, 0, Integer.MAX_VALUE);

  /** Descriptors reserved for event loops and the JVM. */
  private static final int RESERVE = 64;

  /** Returns the limits of this process. The JVM has raised the soft limit to the hard limit. */
  static ConnectionLimits ofThisProcess() {
    try (Stream<Path> open = Files.list(OPEN)) {
      return parse(read(LIMITS), open.count(), read(PORTS));
    } catch (IOException e) { // not Linux
      return UNKNOWN;
    }
  }

  // By lines: files in /proc report no size, and some cannot be read in several parts.
  private static String read(Path file) throws IOException {
    return String.join("\n", Files.readAllLines(file));
  }

  /** Parses the kernel's files. */
  static ConnectionLimits parse(String limits, long descriptorsInUse, String portRange) {
    Matcher soft = SOFT_LIMIT.matcher(limits);
    long descriptors = soft.find() ? Long.parseLong(soft.group(1)) : Long.MAX_VALUE;
    String[] ports = portRange.strip().split("\\s+");
    long portsPerAddress = Long.parseLong(ports[1]) - Long.parseLong(ports[0]) + 1;
    return new ConnectionLimits(descriptors, descriptorsInUse, portsPerAddress);
  }

  /**
   * Returns an error that names the exceeded limit and the remedy, or null if all clients fit.
   *
   * @param first the number of the first client
   * @param localAddresses to connect from, at least one
   */
  String violation(int clients, int first, int localAddresses) {
    long sockets = descriptors - descriptorsInUse - RESERVE;
    if (clients > sockets) {
      return "%d clients exceed the file descriptors of this process (%d, of which %d"
              .formatted(clients, descriptors, descriptorsInUse + RESERVE)
          + " are reserved): raise 'ulimit -n', or "
          + distribute(clients, first, Math.max(1, sockets));
    }
    return clients > portsPerAddress * localAddresses
        ? portViolation(clients, first, localAddresses)
        : null;
  }

  private String portViolation(int clients, int first, int localAddresses) {
    return "%d clients exceed the available source ports (%d from %d local address%s): "
            .formatted(
                clients,
                portsPerAddress * localAddresses,
                localAddresses,
                localAddresses == 1 ? "" : "es")
        + "pass %d addresses of this machine to --from-address"
            .formatted((clients + portsPerAddress - 1) / portsPerAddress)
        + " (in 127.0.0.0/8 for a gateway on this machine), or distribute them over machines with"
        + " --first "
        + first
        + ", --first "
        + (first + portsPerAddress * localAddresses)
        + " and so on";
  }

  private static String distribute(int clients, int first, long each) {
    long processes = (clients + each - 1) / each;
    long share = (clients + processes - 1) / processes;
    return "start "
        + processes
        + " processes with --clients "
        + share
        + ", the first with --first "
        + first
        + ", the next with --first "
        + (first + share)
        + " and so on";
  }
}
