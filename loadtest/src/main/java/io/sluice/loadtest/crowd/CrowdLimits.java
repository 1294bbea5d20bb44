package io.sluice.loadtest.crowd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How many connections this process can have. Immutable, for any thread.
 *
 * @param descriptors files and sockets that it may open, those open already included
 * @param descriptorsInUse those open already
 * @param portsAnAddress connections to one address and port from one local address
 */
record CrowdLimits(long descriptors, long descriptorsInUse, long portsAnAddress) {
  private static final Path LIMITS = Path.of("/proc/self/limits");
  private static final Path OPEN = Path.of("/proc/self/fd");
  private static final Path PORTS = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
  private static final Pattern SOFT_LIMIT = Pattern.compile("Max open files\\s+(\\d+)");

  /** Without figures every number of clients may be tried. */
  private static final CrowdLimits UNKNOWN = new CrowdLimits(Long.MAX_VALUE, 0, Integer.MAX_VALUE);

  /** For event loops, and what the virtual machine opens later. */
  private static final int RESERVE = 64;

  /** Those of this process; the virtual machine has raised the soft limit to the hard one. */
  static CrowdLimits ofThisProcess() {
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
  static CrowdLimits parse(String limits, long descriptorsInUse, String portRange) {
    Matcher soft = SOFT_LIMIT.matcher(limits);
    long descriptors = soft.find() ? Long.parseLong(soft.group(1)) : Long.MAX_VALUE;
    String[] ports = portRange.strip().split("\\s+");
    long portsAnAddress = Long.parseLong(ports[1]) - Long.parseLong(ports[0]) + 1;
    return new CrowdLimits(descriptors, descriptorsInUse, portsAnAddress);
  }

  /**
   * Why so many clients cannot be, and what can be done about it, or null if they can.
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
