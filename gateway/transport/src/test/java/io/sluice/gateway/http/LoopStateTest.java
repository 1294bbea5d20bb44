package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.query.ClientCollector;
import io.sluice.gateway.query.ClientView;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LoopStateTest {
  private final Exposition exposition = new Exposition("loop-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final EmbeddedChannel time = new EmbeddedChannel();
  private final LoopState loop = TestLoops.newLoop(time.eventLoop(), 0, metrics);

  @BeforeEach
  void freeze() {
    time.freezeTime();
  }

  @AfterEach
  void close() {
    loop.stop();
    time.finishAndReleaseAll();
    metrics.close();
    exposition.close();
  }

  /** Collector whose result takes several slices. */
  private static final class Slow implements ClientCollector<String> {
    private final String name;
    private final int parts;
    private int prepared;

    Slow(String name, int parts) {
      this.name = name;
      this.parts = parts;
    }

    @Override
    public void add(ClientView client) {}

    @Override
    public boolean prepare() {
      if (parts < 0) {
        throw new IllegalStateException("a bug");
      }
      long endNs = System.nanoTime() + ClientCollections.SLICE_NS;
      while (System.nanoTime() - endNs < 0) {
        Thread.onSpinWait();
      }
      return ++prepared == parts;
    }

    @Override
    public String result() {
      return name;
    }
  }

  private void runTimers() {
    time.advanceTimeBy(1, TimeUnit.MILLISECONDS);
    time.runScheduledPendingTasks();
  }

  @Test
  void shouldCollectInSlicesThatTimersSeparate() {
    List<String> results = new ArrayList<>();
    Slow slow = new Slow("slow", 3);
    loop.collect(slow, results::add);
    time.runPendingTasks();
    assertThat(slow.prepared).isEqualTo(1);
    runTimers();
    assertThat(slow.prepared).isEqualTo(2);
    assertThat(results).isEmpty();
    runTimers();
    assertThat(results).containsExactly("slow");
  }

  @Test
  void shouldCollectForSeveralQueriesInTurn() {
    List<String> results = new ArrayList<>();
    loop.collect(new Slow("long", 3), results::add);
    loop.collect(new Slow("short", 1), results::add);
    time.runPendingTasks();
    runTimers(); // the second slice of the long one
    assertThat(results).isEmpty();
    runTimers();
    assertThat(results).containsExactly("short");
    runTimers();
    assertThat(results).containsExactly("short", "long");
  }

  @Test
  void shouldContinueWithOtherQueriesAfterAFailure() {
    List<String> results = new ArrayList<>();
    loop.collect(new Slow("failing", -1), results::add);
    loop.collect(new Slow("next", 1), results::add);
    time.runPendingTasks();
    assertThatThrownBy(time::checkException).hasMessage("a bug");
    time.runPendingTasks();
    runTimers();
    assertThat(results).containsExactly("next");
  }

  @Test
  void shouldTickTheOthersIfOneConnectionFails() {
    List<Guest> guests = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      guests.add(new Guest(loop, time.eventLoop()));
    }
    guests.get(2).failAtTicks();
    loop.start();
    for (int tick = 0; tick < 2; tick++) {
      time.advanceTimeBy(1, TimeUnit.SECONDS);
      time.runScheduledPendingTasks();
      time.runPendingTasks();
    }
    assertThat(guests.get(0).ticks()).isPositive();
    assertThat(guests.get(1).ticks()).isPositive();
    assertThat(guests.get(2).closeCode()).isEqualTo(1011);
    assertThat(guests.get(0).closeCode()).isZero();
  }
}
