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
 * Load generator in a separate JVM, whose CPU time and memory are measured separately. One thread
 * at a time may send commands; any thread may call {@link #latest} and {@link #close}.
 */
public final class LoadGeneratorProcess implements AutoCloseable {
  private static final String MAIN = "io.sluice.loadtest.cli.LoadTestCli";
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
  private static final int FIRST_WITH_WARNINGS = 24;

  private final Process process;
  private final Writer commands;
  private final Consumer<GeneratorSecond> listener;
  private final BlockingQueue<JsonNode> replies = new LinkedBlockingQueue<>();
  private volatile GeneratorSecond latest;
  private volatile String lastError = "it printed nothing";

  private LoadGeneratorProcess(Process process, Consumer<GeneratorSecond> listener) {
    this.process = process;
    this.listener = listener;
    this.commands = process.outputWriter(UTF_8);
  }

  /**
   * Starts a load generator with this process's Java and class path.
   *
   * @param arguments options of {@code sluice load}
   * @param listener receives the statistics of every second, on the thread {@code load-reader}
   */
  public static LoadGeneratorProcess start(
      List<String> arguments, Consumer<GeneratorSecond> listener) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-XX:+UseSerialGC"); // little garbage
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
   * @return the duration that the load generator reports
   * @throws IOException after the time limit; the message is one line
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
  public Duration reconnect(DisconnectMode mode, Duration limit)
      throws IOException, InterruptedException {
    send("reconnect " + mode.name().toLowerCase(Locale.ROOT));
    return await("reconnected", limit);
  }

  /** Returns the statistics of the latest second, or null before the first. */
  public GeneratorSecond latest() {
    return latest;
  }

  /** Returns the latest error. */
  public String lastError() {
    return lastError;
  }

  /** Returns the process id. */
  public long pid() {
    return process.pid();
  }

  /** Stops the process and returns the totals. */
  public GeneratorSecond stop() throws IOException, InterruptedException {
    send("stop");
    await("end", STOP_LIMIT);
    process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    close();
    return latest;
  }

  /** Kills the process. */
  @Override
  public void close() {
    process.destroyForcibly();
  }

  private void send(String command) throws IOException {
    replies.clear();
    commands.write(command + "\n");
    commands.flush();
  }

  private Duration await(String event, Duration limit) throws IOException, InterruptedException {
    JsonNode reply = replies.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
    if (reply == null) {
      throw new IOException(
          "the load generator did not report '%s' within %d s: %s"
              .formatted(event, limit.toSeconds(), lastError));
    }
    if (!event.equals(reply.path("event").asText())) {
      throw new IOException("the load generator has ended: " + lastError);
    }
    double seconds = reply.path("seconds").asDouble();
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
      lastError = "cannot read its output: " + e.getMessage();
    }
    replies.add(json.createObjectNode().put("event", "exited"));
  }

  private void onEvent(JsonNode line) {
    switch (line.path("event").asText()) {
      case "second" -> onSecond(GeneratorSecond.of(line));
      case "error" -> lastError = line.path("message").asText();
      case "end" -> {
        onSecond(GeneratorSecond.of(line));
        replies.add(line);
      }
      case "ready", "reconnected" -> replies.add(line);
      default -> {
        // Other events are ignored.
      }
    }
  }

  private void onSecond(GeneratorSecond second) {
    latest = second;
    listener.accept(second);
  }
}
