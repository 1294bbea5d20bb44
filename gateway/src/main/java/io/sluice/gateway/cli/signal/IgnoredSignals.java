package io.sluice.gateway.cli.signal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signals that the process has ignored since its start. Stateless.
 *
 * <p>{@code nohup} ignores SIGHUP, and the background of a script SIGINT. Java installs no handler
 * for such a signal, whose effect would be missing without notice.
 */
public final class IgnoredSignals {
  private static final Logger log = LoggerFactory.getLogger(IgnoredSignals.class);
  private static final String MASK = "SigIgn:";
  private static final int HANGUP = 1;
  private static final int INTERRUPT = 2;
  private static final int TERMINATION = 15;

  private IgnoredSignals() {}

  /**
   * Logs a warning for each signal of a node that the process ignores.
   *
   * @param reloads whether SIGHUP is a request to reload the configuration
   */
  public static void warn(boolean reloads) {
    long mask = mask(Path.of("/proc/self/status"));
    if (reloads && contains(mask, HANGUP)) {
      warn("SIGHUP", "reload by 'sluice reload' or POST /reload, or start without nohup");
    }
    if (contains(mask, INTERRUPT)) {
      warn("SIGINT", "stop by SIGTERM");
    }
    if (contains(mask, TERMINATION)) {
      warn("SIGTERM", "stop by SIGINT, or start with its default disposition");
    }
  }

  private static void warn(String signal, String instead) {
    log.atWarn()
        .addKeyValue("signal", signal)
        .addKeyValue("instead", instead)
        .log("signal.ignored");
  }

  static boolean contains(long mask, int signal) {
    return (mask >>> (signal - 1) & 1) != 0;
  }

  /** Returns the mask of ignored signals from a status file of Linux; 0 without such a file. */
  static long mask(Path status) {
    try {
      return mask(Files.readAllLines(status));
    } catch (IOException e) {
      return 0; // another operating system
    }
  }

  static long mask(List<String> status) {
    return status.stream()
        .filter(line -> line.startsWith(MASK))
        .mapToLong(line -> Long.parseUnsignedLong(line.substring(MASK.length()).strip(), 16))
        .findFirst()
        .orElse(0);
  }
}
