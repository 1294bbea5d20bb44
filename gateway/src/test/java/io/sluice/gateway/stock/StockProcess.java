package io.sluice.gateway.stock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** Stock client in a process, with its events so far. Bound to the test's thread. */
final class StockProcess implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private final StockClient client;
  private final Process process;
  private final Writer commands;
  private final List<String> events = new CopyOnWriteArrayList<>();

  StockProcess(StockClient client, ProcessBuilder program) throws IOException {
    this.client = client;
    process = program.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    commands = process.outputWriter(StandardCharsets.UTF_8);
    Thread reader = new Thread(this::read, client.prefix());
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      lines.lines().map(String::strip).forEach(events::add);
    } catch (IOException | UncheckedIOException e) {
      events.add("(cannot be read: " + e + ")");
    }
  }

  /** Sends a command. */
  void command(String... words) throws IOException {
    commands.write(String.join(" ", words) + "\n");
    commands.flush();
  }

  /** Waits for an event that begins with some words. */
  void awaitEvent(String start) {
    awaitTrue(start, all -> all.stream().anyMatch(event -> event.startsWith(start)));
  }

  /** Waits for a condition of the events. */
  void awaitTrue(String what, Predicate<List<String>> condition) {
    await(client + ": " + what)
        .atMost(TIMEOUT)
        .untilAsserted(
            () ->
                assertThat(condition.test(events()))
                    .as(() -> what + " in the events of " + client + ":\n" + lastEvents())
                    .isTrue());
  }

  private String lastEvents() {
    List<String> all = events();
    return String.join("\n", all.subList(Math.max(0, all.size() - 8), all.size()));
  }

  List<String> events() {
    return List.copyOf(events);
  }

  @Override
  public void close() {
    List<ProcessHandle> descendants = process.descendants().toList();
    process.destroyForcibly();
    process.onExit().join();
    descendants.forEach(ProcessHandle::destroyForcibly);
  }
}
