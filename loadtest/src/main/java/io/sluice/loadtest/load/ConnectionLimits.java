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
 * @param descriptors files and sockets that it may open, those open already included
 * @param descriptorsInUse those open already
 * @param portsAnAddress connections to one address and port from one local address
 */
record ConnectionLimits(long descriptors, long descriptorsInUse, long portsAnAddress) {
  private static final Path LIMITS = Path.of("/proc/self/limits");
  private static final Path OPEN = Path.of("/proc/self/fd");
  private static final Path PORTS = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
  private static final Pattern SOFT_LIMIT = Pattern.compile("Max open files\\s+(\\d+)");

  /** Unknown limits permit every number of clients. */
  private static final ConnectionLimits UNKNOWN =
      new ConnectionLimits(Long.MAX_VALUE, 0, Integer.MAX_VALUE);

  /** Descriptors for event loops and the virtual machine. */
  private static final int RESERVE = 64;

  /**
   * Returns those of this process; the virtual machine has raised the soft limit to the hard one.
   */
  static ConnectionLimits ofThisProcess() {
    try (Stream<Path> open = Files.list(OPEN)) {
      return parse(read(LIMITS), open.count(), read(PORTS));
    } catch (IOException e) { // another system than Linux
      return UNKNOWN;
    }
  }

  // Not in one piece: such a file has no size, and the kernel gives no second part of some.
  private static String read(Path file) throws IOException {
    return String.join("\n", Files.readAllLines(file));
  }

  /** Reads the kernel's texts. */
  static ConnectionLimits parse(String limits, long descriptorsInUse, String portRange) {
    Matcher soft = SOFT_LIMIT.matcher(limits);
    long descriptors = soft.find() ? Long.parseLong(soft.group(1)) : Long.MAX_VALUE;
    String[] ports = portRange.strip().split("\\s+");
    long portsAnAddress = Long.parseLong(ports[1]) - Long.parseLong(ports[0]) + 1;
    return new ConnectionLimits(descriptors, descriptorsInUse, portsAnAddress);
  }

  /**
   * Returns why so many clients exceed the limits and the remedy, or null.
   *
   * @param first the number of the first client
   * @param localAddresses to connect from, at least one
   */
  String objection(int clients, int first, int localAddresses) {
    long sockets = descriptors - descriptorsInUse - RESERVE;
    if (clients > sockets) {
      return "%d clients need more file descriptors than this process may open (%d, of which %d"
              .formatted(clients, descriptors, descriptorsInUse + RESERVE)
          + " are for itself): raise 'ulimit -n', or "
          + spread(clients, first, Math.max(1, sockets));
    }
    return clients > portsAnAddress * localAddresses
        ? portObjection(clients, first, localAddresses)
        : null;
  }

  private String portObjection(int clients, int first, int localAddresses) {
    return "%d clients need more source ports than there are (%d from %d local address%s): "
            .formatted(
                clients,
                portsAnAddress * localAddresses,
                localAddresses,
                localAddresses == 1 ? "" : "es")
        + "name %d addresses of this machine with --from-address"
            .formatted((clients + portsAnAddress - 1) / portsAnAddress)
        + " (of 127.0.0.0/8 for a gateway on this machine), or spread them over machines with"
        + " --first "
        + first
        + ", --first "
        + (first + portsAnAddress * localAddresses)
        + " and so on";
  }

  private static String spread(int clients, int first, long each) {
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
