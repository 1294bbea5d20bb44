package io.sluice.loadtest.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.Locale;

/**
 * Reader of a load generator's commands, one per line, on the thread {@code load-input}. Any thread
 * may start it.
 */
public final class GeneratorInput {
  private final LoadGenerator generator;

  GeneratorInput(LoadGenerator generator) {
    this.generator = generator;
  }

  /**
   * Starts the reading thread.
   *
   * @param stopAtEnd whether the load generator stops at the end of the input
   */
  public static void read(InputStream in, LoadGenerator generator, boolean stopAtEnd) {
    GeneratorInput input = new GeneratorInput(generator);
    Thread thread = new Thread(() -> input.readAll(in, stopAtEnd), "load-input");
    thread.setDaemon(true);
    thread.start();
  }

  private void readAll(InputStream in, boolean stopAtEnd) {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8));
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        onLine(line.strip());
      }
    } catch (IOException e) {
      generator.reportError("standard input cannot be read: " + e.getMessage());
    }
    if (stopAtEnd) {
      generator.stop();
    }
  }

  /** Executes one command line. */
  void onLine(String line) {
    String[] words = line.split("\\s+");
    boolean known =
        switch (words[0]) {
          case "" -> true;
          case "clients" -> words.length == 2 && resize(words[1]);
          case "reconnect" -> words.length <= 2 && reconnect(words);
          case "stop" -> words.length == 1 && stop();
          default -> false;
        };
    if (!known) {
      generator.reportError(
          "unknown command '" + line + "'; allowed are: clients N, reconnect rst|close, stop");
    }
  }

  private boolean resize(String number) {
    if (!number.matches("\\d{1,9}")) {
      return false;
    }
    generator.resize(Integer.parseInt(number));
    return true;
  }

  private boolean reconnect(String[] words) {
    String mode = words.length == 1 ? "RST" : words[1].toUpperCase(Locale.ROOT);
    for (DisconnectMode drop : DisconnectMode.values()) {
      if (drop.name().equals(mode)) {
        generator.reconnect(drop);
        return true;
      }
    }
    return false;
  }

  private boolean stop() {
    generator.stop();
    return true;
  }
}
