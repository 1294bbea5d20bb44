package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
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
