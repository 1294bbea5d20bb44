package io.sluice.loadtest.crowd;

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
 * A crowd in a virtual machine of its own, so that what it costs shows in nobody else's figures.
 * One thread at a time may command it; {@link #latest} and {@link #close} are for any thread.
 */
public final class CrowdProcess implements AutoCloseable {
  private static final String MAIN = "io.sluice.loadtest.cli.LoadTest";
  private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
  private static final int FIRST_WITH_WARNINGS = 24;

  private final Process process;
  private final Writer commands;
  private final Consumer<CrowdSecond> listener;
  private final BlockingQueue<JsonNode> answers = new LinkedBlockingQueue<>();
  private volatile CrowdSecond latest;
  private volatile String lastError = "it said nothing";

  private CrowdProcess(Process process, Consumer<CrowdSecond> listener) {
    this.process = process;
    this.listener = listener;
    this.commands = process.outputWriter(UTF_8);
  }

  /**
   * Starts one on this process's Java and class path.
   *
   * @param arguments those of {@code sluice crowd}
   * @param listener hears of every second, on a thread of this object
   */
  public static CrowdProcess start(List<String> arguments, Consumer<CrowdSecond> listener)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-XX:+UseSerialGC"); // there is next to nothing to collect
    if (Runtime.version().feature() >= FIRST_WITH_WARNINGS) {
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN, "crowd"));
    command.addAll(arguments);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    CrowdProcess crowd = new CrowdProcess(process, listener);
    Thread reader = new Thread(crowd::readAll, "crowd-reader");
    reader.setDaemon(true);
    reader.start();
    return crowd;
  }

  /**
   * Waits until all clients are subscribed.
   *
   * @return how long that took them
   * @throws IOException if it does not come to that in time; the message is one line
   */
  public Duration awaitReady(Duration limit) throws IOException, InterruptedException {
    return await("ready", limit);
  }

  /** Grows or shrinks to so many clients, and waits until all are subscribed. */
  public Duration resize(int clients, Duration limit) throws IOException, InterruptedException {
    send("clients " + clients);
    return await("ready", limit);
  }

  /** Has all clients leave at once, and waits until all are subscribed again. */
  public Duration reconnect(Drop how, Duration limit) throws IOException, InterruptedException {
    send("reconnect " + how.name().toLowerCase(Locale.ROOT));
    return await("reconnected", limit);
  }

  /** The latest second, or null if none has passed. */
  public CrowdSecond latest() {
    return latest;
  }

  /** The latest thing that went wrong. */
  public String lastError() {
    return lastError;
  }

  /** The process's number, by which the system accounts for it. */
  public long pid() {
    return process.pid();
  }

  /** Has it end, and answers with the totals. */
  public CrowdSecond stop() throws IOException, InterruptedException {
    send("stop");
    await("end", STOP_LIMIT);
    process.waitFor(STOP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    close();
    return latest;
  }

  /** Ends it at once. */
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
          "the crowd did not answer '%s' within %d s: %s"
              .formatted(event, limit.toSeconds(), lastError));
    }
    if (!event.equals(answer.path("event").asText())) {
      throw new IOException("the crowd has ended: " + lastError);
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
      case "second" -> onSecond(CrowdSecond.of(line));
      case "error" -> lastError = line.path("message").asText();
      case "end" -> {
        onSecond(CrowdSecond.of(line));
        answers.add(line);
      }
      case "ready", "reconnected" -> answers.add(line);
      default -> {
        // Nobody waits for it.
      }
    }
  }

  private void onSecond(CrowdSecond second) {
    latest = second;
    listener.accept(second);
  }
}
