package io.sluice.gateway.presence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.metrics.MeterBuilder;
import io.sluice.gateway.protocol.presence.PresenceMember;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PresenceHubTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ROOM = "room.1";

  private final ExecutorService loop = Executors.newSingleThreadExecutor();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @AfterEach
  void stop() {
    loop.shutdownNow();
  }

  private static PresenceOptions options(int maxQueued) {
    return new PresenceOptions("node", 10, 1_000, 50, 1_000, 10, 10, 8, maxQueued);
  }

  private PresenceHub hub(int maxQueued) {
    return new PresenceHub(
            options(maxQueued), false, UnpooledByteBufAllocator.DEFAULT, new MeterBuilder(registry))
        .start();
  }

  /** Client that lags on request. Its frames are read by the test's thread after an await. */
  private final class TestClient implements PresenceClient {
    private final List<JsonNode> frames = new ArrayList<>();
    private boolean lagging;

    @Override
    public Object loop() {
      return loop;
    }

    @Override
    public void execute(Runnable task) {
      loop.execute(task);
    }

    @Override
    public void answer(Attendance request, ByteBuf frame) {
      add(frame);
      frame.release();
    }

    @Override
    public synchronized boolean offerFrames(ByteBuf frame) {
      if (!lagging) {
        add(frame);
      }
      return !lagging;
    }

    @Override
    public void releaseAfterBatch(ByteBuf frame) {
      frame.release();
    }

    private synchronized void add(ByteBuf frame) {
      int header = frame.getByte(frame.readerIndex() + 1) == 126 ? 4 : 2;
      ByteBuf text = frame.slice(frame.readerIndex() + header, frame.readableBytes() - header);
      try {
        frames.add(JSON.readTree(text.toString(StandardCharsets.UTF_8)));
      } catch (JsonProcessingException e) {
        throw new AssertionError(e);
      }
    }

    synchronized void lag(boolean on) {
      lagging = on;
    }

    synchronized List<JsonNode> received() {
      return List.copyOf(frames);
    }

    synchronized JsonNode last() {
      return frames.get(frames.size() - 1);
    }
  }

  private static Attendance watching(TestClient client) {
    return new Attendance(client, 1, ROOM, null, true, true);
  }

  private static Attendance member(TestClient client, String id) {
    return new Attendance(client, 1, ROOM, new PresenceMember(id, "", null), false, false);
  }

  @Test
  void shouldSendTheNewestStateToAClientThatLagged() {
    try (PresenceHub hub = hub(100)) {
      TestClient watcher = new TestClient();
      hub.attend(watching(watcher), null);
      await().until(() -> watcher.received().size() == 1);
      watcher.lag(true);
      TestClient others = new TestClient();
      Attendance first = member(others, "a");
      hub.attend(first, null);
      await().until(() -> registry.get("sluice.presence.conflated").functionCounter().count() == 1);
      hub.attend(member(others, "b"), null);
      hub.attend(member(others, "c"), null);
      hub.leave(first, true);
      await().until(() -> others.received().size() == 2 || others.received().size() == 3);
      watcher.lag(false);
      await()
          .until(
              () ->
                  watcher.received().size() > 1
                      && watcher.last().path("members").size() == 2
                      && watcher.last().get("count").asInt() == 2);
      assertThat(watcher.received()).hasSize(2);
    }
  }

  @Test
  void shouldAnswerRequestsThatLaterOnesReplaceOrEnd() {
    try (PresenceHub hub = hub(100)) {
      TestClient client = new TestClient();
      Attendance former = new Attendance(client, 0, ROOM, null, true, true);
      hub.attend(former, null);
      for (long ref = 1; ref <= 3; ref++) {
        Attendance next = new Attendance(client, ref, ROOM, null, true, true);
        hub.attend(next, former);
        former.stop();
        former = next;
      }
      hub.leave(former, true);
      former.stop();
      await().until(() -> client.received().size() == 4);
      hub.attend(member(new TestClient(), "a"), null);
      TestClient last = new TestClient();
      hub.query(new Attendance(last, 1, ROOM, null, false, false));
      await().until(() -> !last.received().isEmpty());
      assertThat(client.received())
          .extracting(frame -> frame.path("ref").asLong(-1))
          .containsExactly(0L, 1L, 2L, 3L);
    }
  }

  @Test
  void shouldSendChangesOfAnIntervalTogether() {
    try (PresenceHub hub = hub(10_000)) {
      TestClient watcher = new TestClient();
      hub.attend(watching(watcher), null);
      await().until(() -> watcher.received().size() == 1);
      TestClient others = new TestClient();
      long startNs = System.nanoTime();
      for (int i = 0; i < 5_000; i++) {
        hub.attend(member(others, "m" + i), null);
      }
      await().until(() -> watcher.last().get("count").asInt() == 5_000);
      long intervals = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs) / 50 + 2;
      assertThat(watcher.received().size()).isLessThanOrEqualTo((int) intervals + 1);
      assertThat(watcher.last().get("truncated").asBoolean()).isTrue();
      await().until(() -> others.received().size() == 5_000);
    }
  }

  @Test
  void shouldNotCountAPauseForTheGraceTime() {
    AtomicLong nowMs = new AtomicLong();
    PresenceOptions options = new PresenceOptions("node", 10, 10_000, 50, 1_000, 10, 10, 8, 100);
    try (PresenceHub hub =
        new PresenceHub(
                options,
                false,
                UnpooledByteBufAllocator.DEFAULT,
                new MeterBuilder(registry),
                () -> TimeUnit.MILLISECONDS.toNanos(nowMs.get()))
            .start()) {
      TestClient watcher = new TestClient();
      hub.attend(watching(watcher), null);
      Attendance lost = member(new TestClient(), "a");
      hub.attend(lost, null);
      hub.leave(lost, false);
      hub.attend(member(new TestClient(), "b"), null);
      await()
          .until(
              () -> {
                nowMs.addAndGet(50);
                return !watcher.received().isEmpty() && watcher.last().get("count").asInt() == 2;
              });
      nowMs.addAndGet(60_000); // a pause
      hub.attend(member(new TestClient(), "c"), null);
      await().until(() -> watcher.last().get("count").asInt() == 3);
      await()
          .pollInterval(Duration.ofMillis(10))
          .until(
              () -> {
                nowMs.addAndGet(200);
                return watcher.last().get("count").asInt() == 2;
              });
    }
  }

  @Test
  void shouldRejectRequestsBeyondItsQueue() throws InterruptedException {
    try (PresenceHub hub = hub(2)) {
      CountDownLatch blocked = new CountDownLatch(1);
      hub.join((peer, message) -> awaitQuietly(blocked));
      hub.onView(List.of("peer")); // sends a digest, which blocks the thread
      TestClient client = new TestClient();
      await().until(() -> !hub.query(new Attendance(client, 1, ROOM, null, false, false)));
      assertThat(registry.get("sluice.presence.rejected").functionCounter().count()).isEqualTo(1);
      blocked.countDown();
      await().until(() -> !client.received().isEmpty());
      assertThat(hub.query(new Attendance(client, 1, ROOM, null, false, false))).isTrue();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void shouldIgnoreMalformedMessages() {
    try (PresenceHub hub = hub(100)) {
      hub.onView(List.of("peer"));
      hub.onMessage("peer", new byte[] {1, 1, 0});
      hub.onMessage("peer", new byte[] {9, 9});
      hub.onMessage("peer", new byte[0]);
      TestClient client = new TestClient();
      hub.query(new Attendance(client, 1, ROOM, null, false, false));
      await().until(() -> !client.received().isEmpty());
      assertThat(client.last().get("partial").asBoolean()).isTrue();
    }
  }
}
