package io.sluice.gateway.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Example client in a process; its entries are the lines of its standard output. */
final class ClientProcess implements ExampleClient {
  private final Process process;
  private final List<String> entries = new CopyOnWriteArrayList<>();
  private final Thread reader = new Thread(this::read, "client-out");

  ClientProcess(Process process) {
    this.process = process;
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    try (BufferedReader lines = process.inputReader()) {
      lines.lines().forEach(entries::add);
    } catch (IOException e) {
      entries.add("(cannot be read: " + e + ")");
    }
  }

  /** Returns the exit code after all output is read, or ends the process after the limit. */
  int exitCode(long limitS) throws InterruptedException {
    int code = exitCode(process, limitS);
    reader.join(TimeUnit.SECONDS.toMillis(limitS));
    assertThat(reader.isAlive()).as("more output after the end").isFalse();
    return code;
  }

  /** Returns the exit code of a process, or ends it after the limit and fails. */
  static int exitCode(Process process, long limitS) throws InterruptedException {
    boolean isEnded = process.waitFor(limitS, TimeUnit.SECONDS);
    if (!isEnded) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    assertThat(isEnded).as("end of %s within %d s", process.info(), limitS).isTrue();
    return process.exitValue();
  }

  /** Waits for an entry. */
  void awaitEntry(String entry) {
    await().untilAsserted(() -> assertThat(entries).contains(entry));
  }

  /** Waits for the only entry of a client whose request is refused as forbidden. */
  void awaitRefusal() {
    await().untilAsserted(() -> assertThat(entries).hasSize(1));
    assertThat(entries.get(0)).startsWith("REFUSED forbidden ");
  }

  @Override
  public List<String> entries() {
    return List.copyOf(entries);
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
