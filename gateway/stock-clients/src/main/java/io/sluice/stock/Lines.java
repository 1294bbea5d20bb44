package io.sluice.stock;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** Lines between a test and a stock client, as in node/lines.mjs. For any thread. */
final class Lines {
  private static final int LATEST = 1_000;

  private Lines() {}

  /** Runs a command with the rest of its line. */
  @FunctionalInterface
  interface Command {
    void run(String rest) throws Exception;
  }

  /** Prints an event. */
  static void say(String... words) {
    System.out.println(String.join(" ", words));
  }

  /** Runs commands by name until standard input ends, and then ends the process. */
  static void follow(Map<String, Command> commands) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String name = first(line);
      try {
        commands.get(name).run(rest(line));
      } catch (Exception e) {
        say("FAILED", name, e.toString());
      }
    }
    Runtime.getRuntime().halt(0); // also while a thread of the client waits
  }

  /**
   * Returns a test whether an id is one of the latest: another node may repeat messages. For any
   * thread.
   */
  static Predicate<String> repeats() {
    Set<String> latest = new LinkedHashSet<>();
    return id -> {
      synchronized (latest) {
        boolean isNew = latest.add(id);
        if (latest.size() > LATEST) {
          latest.remove(latest.iterator().next());
        }
        return !isNew;
      }
    };
  }

  /** Returns the first word. */
  static String first(String line) {
    return line.substring(0, line.indexOf(' '));
  }

  /** Returns what follows the first word. */
  static String rest(String line) {
    return line.substring(line.indexOf(' ') + 1);
  }
}
