package io.sluice.loadtest.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Load generator in a separate virtual machine, which keeps its cost out of other figures. One
 * thread at a time may command it; {@link #latest} and {@link #close} are for any thread.
 */
public final class LoadGeneratorProcess implements AutoCloseable {
  private static final String MAIN = "io.sluice.loadtest.cli.LoadTest";
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
  private static final int FIRST_WITH_WARNINGS = 24;

  private final Process process;
  private final Writer commands;
  private final Consumer<GeneratorSecond> listener;
  private final BlockingQueue<JsonNode> answers = new LinkedBlockingQueue<>();
  private volatile GeneratorSecond latest;
  private volatile String lastError = "it said nothing";

  private LoadGeneratorProcess(Process process, Consumer<GeneratorSecond> listener) {
    this.process = process;
    this.listener = listener;
    this.commands = process.outputWriter(UTF_8);
  }

  /**
   * Starts one with this process's Java and class path.
   *
   * @param arguments those of {@code sluice load}
   * @param listener receives every second, on a thread of this object
   */
  public static LoadGeneratorProcess start(
      List<String> arguments, Consumer<GeneratorSecond> listener) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-XX:+UseSerialGC"); // there is next to nothing to collect
    if (Runtime.version().feature() >= FIRST_WITH_WARNINGS) {
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN, "load"));
    command.addAll(arguments);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    LoadGeneratorProcess generator = new LoadGeneratorProcess(process, listener);
    Thread reader = new Thread(generator::readAll, "load-reader");
    reader.setDaemon(true);
    reader.start();
    return generator;
  }

  /**
   * Waits until all clients are subscribed.
   *
   * @return how long that took them
   * @throws IOException if they are not in time; the message is one line
   */
  public Duration awaitReady(Duration limit) throws IOException, InterruptedException {
    return await("ready", limit);
  }

  /** Changes the number of clients and waits until all are subscribed. */
  public Duration resize(int clients, Duration limit) throws IOException, InterruptedException {
    send("clients " + clients);
    return await("ready", limit);
  }

  /** Disconnects all clients at once and waits until all are subscribed again. */
  public Duration reconnect(Drop how, Duration limit) throws IOException, InterruptedException {
    send("reconnect " + how.name().toLowerCase(Locale.ROOT));
    return await("reconnected", limit);
  }

  /** The latest second, or null if none has passed. */
  public GeneratorSecond latest() {
    return latest;
  }

  /** The latest failure. */
  public String lastError() {
    return lastError;
  }

  /** Returns the process id. */
  public long pid() {
    return process.pid();
  }

  /** Stops it and returns the totals. */
  public GeneratorSecond stop() throws IOException, InterruptedException {
    send("stop");
    await("end", STOP_LIMIT);
    process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    close();
    return latest;
  }

  /** Kills it. */
  @Override
  public void close() {
    process.destroyForcibly();
  }

  private void send(String command) throws IOException {
    answers.clear();
    commands.write(command + "\n");
    commands.flush();
  }

  private Duration await(String event, Duration limit) throws IOException, InterruptedException {
    JsonNode answer = answers.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
    if (answer == null) {
      throw new IOException(
          "the load generator did not answer '%s' within %d s: %s"
              .formatted(event, limit.toSeconds(), lastError));
    }
    if (!event.equals(answer.path("event").asText())) {
      throw new IOException("the load generator has ended: " + lastError);
    }
    double seconds = answer.path("seconds").asDouble();
    return Duration.ofNanos((long) (seconds * TimeUnit.SECONDS.toNanos(1)));
  }

  private void readAll() {
    ObjectMapper json = new ObjectMapper();
    try (BufferedReader lines = process.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("{")) {
          onEvent(json.readTree(line));
        } else if (!line.isBlank()) {
          lastError = line;
        }
      }
    } catch (IOException e) {
      lastError = "its output cannot be read: " + e.getMessage();
    }
    answers.add(json.createObjectNode().put("event", "gone"));
  }

  private void onEvent(JsonNode line) {
    switch (line.path("event").asText()) {
      case "second" -> onSecond(GeneratorSecond.of(line));
      case "error" -> lastError = line.path("message").asText();
      case "end" -> {
        onSecond(GeneratorSecond.of(line));
        answers.add(line);
      }
      case "ready", "reconnected" -> answers.add(line);
      default -> {
        // Nobody waits for it.
      }
    }
  }

  private void onSecond(GeneratorSecond second) {
    latest = second;
    listener.accept(second);
  }
}
