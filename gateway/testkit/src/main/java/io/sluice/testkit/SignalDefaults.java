package io.sluice.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.opentest4j.TestAbortedException;

/**
 * Default dispositions of SIGHUP and SIGINT for the processes that tests start. A test run under
 * {@code nohup} or in the background of a script ignores them, and so would its processes.
 * Stateless.
 */
public final class SignalDefaults {
  private static final int HANGUP_AND_INTERRUPT = 3;

  /** Programs that start a command with the default dispositions. */
  private static final List<List<String>> RESETS =
      List.of(
          List.of("env", "--default-signal=HUP,INT"), // coreutils 8.31
          List.of("perl", "-e", "$SIG{HUP} = $SIG{INT} = 'DEFAULT'; exec @ARGV or die"),
          List.of(
              "python3",
              "-c",
              "import os, signal, sys; signal.signal(1, signal.SIG_DFL);"
                  + " signal.signal(2, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])"));

  private SignalDefaults() {}

  /**
   * Returns the beginning of a command with the default dispositions; empty if this process has
   * them. Skips the test if no program can reset them.
   */
  public static List<String> command() {
    if (!ignored()) {
      return List.of();
    }
    return RESETS.stream()
        .filter(SignalDefaults::works)
        .findFirst()
        .orElseThrow(
            () ->
                new TestAbortedException(
                    "SIGHUP or SIGINT is ignored, and neither env, perl nor python3 resets it"));
  }

  private static boolean ignored() {
    try {
      return Files.readAllLines(Path.of("/proc/self/status")).stream()
          .filter(line -> line.startsWith("SigIgn:"))
          .map(line -> line.substring(7).strip())
          .anyMatch(mask -> (Long.parseUnsignedLong(mask, 16) & HANGUP_AND_INTERRUPT) != 0);
    } catch (IOException e) {
      return false; // another operating system
    }
  }

  private static boolean works(List<String> reset) {
    try {
      List<String> command = new ArrayList<>(reset);
      command.add("true");
      return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
