package io.sluice.gateway.audit.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.audit.AuditEvent;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.auth.Peer;
import io.sluice.gateway.auth.Principal;
import io.sluice.testkit.LoggedEvents;
import io.sluice.testkit.SmallDisk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Test of audit lines when disks hang or are full, and after bugs. */
@Timeout(180)
final class AuditWriterTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Peer ANN = new Peer("gw-1-1-7", "192.0.2.1", Principal.ANONYMOUS);
  private static final int WAITING = 256;

  private final AtomicLong dropped = new AtomicLong();

  @TempDir private Path folder;

  private AuditWriter open(Path file, LongSupplier clockNs) throws IOException {
    AuditWriter writer = new AuditWriter(AuditTarget.of(file), "gw-1", 1_000_000, WAITING, clockNs);
    writer.onDropped(dropped::addAndGet);
    return writer;
  }

  private static AuditRecord connected() {
    return AuditRecord.of(System.currentTimeMillis(), AuditEvent.CONNECTED, ANN, null);
  }

  private static AuditRecord revoked(int number) {
    return new AuditRecord(
        System.currentTimeMillis(),
        AuditEvent.REVOKED.word(),
        null,
        new Operator("127.0.0.1", ""),
        "subject",
        "client-" + number,
        null,
        null,
        1);
  }

  /** Lines that are JSON, and the number of others. */
  private record Lines(List<JsonNode> whole, int torn) {
    static Lines of(String text) {
      List<JsonNode> whole = new ArrayList<>();
      int torn = 0;
      for (String line : text.lines().toList()) {
        try {
          whole.add(JSON.readTree(line));
        } catch (IOException e) {
          torn++;
        }
      }
      return new Lines(whole, torn);
    }

    long of(AuditEvent event) {
      return whole.stream().filter(line -> line.get("event").asText().equals(event.word())).count();
    }

    long missing() {
      return whole.stream()
          .filter(line -> line.get("event").asText().equals("dropped"))
          .mapToLong(line -> line.get("count").asLong())
          .sum();
    }
  }

  private Path pipe() throws Exception {
    Path pipe = folder.resolve("audit.pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    return pipe;
  }

  @Test
  void shouldRecordOperatorEventsWhileTheDiskHangsAndClientsFloodTheQueue() throws Exception {
    Path pipe = pipe(); // a full pipe blocks its writer like a hanging disk
    try (RandomAccessFile disk = new RandomAccessFile(pipe.toFile(), "rw")) {
      AuditWriter writer = open(pipe, System::nanoTime);
      AtomicInteger clients = new AtomicInteger();
      await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .until(() -> isHanging(writer, clients));
      for (int i = 0; i < WAITING; i++) {
        writer.add(revoked(i));
      }
      long lost = dropped.get();
      writer.add(revoked(WAITING));
      assertThat(dropped).as("one more than there is room for").hasValue(lost + 1);

      String text = readUntil(disk, "client-" + (WAITING - 1));
      writer.close();
      text += rest(disk);
      Lines lines = Lines.of(text);
      assertThat(lines.of(AuditEvent.REVOKED)).isEqualTo(WAITING);
      assertThat(lines.of(AuditEvent.CONNECTED) + lines.missing()).isEqualTo(clients.get() + 1);
    }
  }

  /** Returns whether the refilled queue is still full. */
  private boolean isHanging(AuditWriter writer, AtomicInteger clients) {
    long before = dropped.get();
    for (int i = 0; i < 2 * WAITING; i++) {
      writer.add(connected());
      clients.incrementAndGet();
    }
    return dropped.get() == before + 2 * WAITING;
  }

  private static String readUntil(RandomAccessFile disk, String end) throws IOException {
    StringBuilder text = new StringBuilder();
    byte[] some = new byte[8192];
    while (text.indexOf(end) < 0) {
      int count = disk.read(some);
      text.append(new String(some, 0, count, StandardCharsets.US_ASCII));
    }
    return text.toString();
  }

  private static String rest(RandomAccessFile disk) throws IOException {
    disk.writeBytes("{\"event\":\"end\"}\n");
    return readUntil(disk, "\"end\"");
  }

  @Test
  void shouldContinueOnANewLineAfterAFullDiskAndReportDiscardedEvents() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(folder.resolve("disk"))) {
      Path file = disk.folder().resolve("audit.log");
      int clients = 100;
      try (AuditWriter writer = open(file, System::nanoTime)) {
        writer.add(connected());
        await().until(() -> Files.size(file) > 0);
        Path filler = disk.fill();
        for (int i = 1; i < clients; i++) {
          writer.add(connected());
        }
        writer.add(revoked(1));
        await().until(() -> dropped.get() > 0);
        Files.delete(filler);
      }
      Lines lines = Lines.of(Files.readString(file));
      assertThat(lines.torn()).as("cut where the disk was full").isEqualTo(1);
      assertThat(lines.missing()).isEqualTo(dropped.get());
      assertThat(lines.of(AuditEvent.CONNECTED) + lines.missing()).isEqualTo(clients);
      assertThat(lines.of(AuditEvent.REVOKED)).as("written again").isEqualTo(1);
    }
  }

  @Test
  void shouldStartANewLineAfterAPartialOne() throws IOException {
    Path file = Files.writeString(folder.resolve("audit.log"), "{\"event\":\"old\"}\n{\"time\":");
    try (AuditWriter writer = open(file, System::nanoTime)) {
      writer.add(connected());
    }
    assertThat(Files.readString(file)).startsWith("{\"event\":\"old\"}\n{\"time\":\n{\"time\":");
  }

  @Test
  void shouldLogABugAndContinue() throws IOException {
    AtomicInteger bugs = new AtomicInteger();
    LongSupplier clockNs =
        () -> {
          if (bugs.getAndDecrement() > 0) {
            throw new StackOverflowError("a bug");
          }
          return 0;
        };
    Path file = folder.resolve("audit.log");
    try (LoggedEvents logged = LoggedEvents.of(AuditWriter.class);
        AuditWriter writer = open(file, clockNs)) {
      bugs.set(1);
      await().until(() -> logged.names().contains("audit.failed"));
      writer.add(connected());
      await().until(() -> Files.size(file) > 0);
      assertThat(Lines.of(Files.readString(file)).of(AuditEvent.CONNECTED)).isEqualTo(1);
    }
  }

  @Test
  void shouldCountUnwrittenEventsOnClose() throws Exception {
    AuditWriter writer = open(Path.of("/dev/full"), System::nanoTime);
    writer.add(connected());
    writer.add(revoked(1));
    await().until(() -> dropped.get() == 1);
    writer.close();

    assertThat(dropped).as("the operator's line, too").hasValue(2);
  }
}
