package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.gateway.drain.Drain;
import io.sluice.gateway.drain.DrainPace;
import io.sluice.gateway.drain.Rebalancer;
import io.sluice.gateway.drain.RedirectTarget;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.session.RedirectReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** All loops are one thread with simulated time. */
final class RebalancerTest {
  private static final long WITHIN_MS = 5_000;

  private final Exposition exposition = new Exposition("rebalancer-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final EmbeddedChannel time = new EmbeddedChannel();
  private final List<LoopState> loops = new ArrayList<>();
  private final List<List<Guest>> guests = new ArrayList<>();
  private final AtomicBoolean open = new AtomicBoolean(true);
  private final RedirectTarget place = new RedirectTarget("wss://gw-2.example.com/ws", open::get);

  @BeforeEach
  void freeze() {
    time.freezeTime();
    for (int i = 0; i < 4; i++) {
      loops.add(newLoop(i, time.eventLoop()));
      guests.add(new ArrayList<>());
    }
  }

  @AfterEach
  void close() {
    loops.forEach(LoopState::stop);
    time.finishAndReleaseAll();
    metrics.close();
    exposition.close();
  }

  private LoopState newLoop(int index, EventLoop thread) {
    return TestLoops.newLoop(thread, index, metrics);
  }

  private void enterFixed(int loop, int count) {
    for (int i = 0; i < count; i++) {
      guests.get(loop).add(new Guest(loops.get(loop), time.eventLoop()));
    }
  }

  private void enterMovable(int loop, int count) {
    for (int i = 0; i < count; i++) {
      guests.get(loop).add(new Guest(loops.get(loop), time.eventLoop()).movable());
    }
  }

  private CompletableFuture<Integer> rebalance(int clients, Supplier<RedirectTarget> places) {
    CompletableFuture<Integer> end =
        new Rebalancer(loops, clients, WITHIN_MS, places, RedirectReason.BALANCE)
            .begin()
            .toCompletableFuture();
    time.runPendingTasks();
    return end;
  }

  private void pass(long ms) {
    time.advanceTimeBy(ms, TimeUnit.MILLISECONDS);
    time.runScheduledPendingTasks();
  }

  private Drain drain(long ms, List<LoopState> drained) {
    DrainedLoops clients = new DrainedLoops(drained, guests.stream().mapToInt(List::size).sum());
    Drain.Options options = new Drain.Options(ms, 0);
    Drain drain = new Drain(clients, options, DrainPace.of(0), () -> null, metrics);
    drain.start();
    time.runPendingTasks();
    return drain;
  }

  private long notified(int loop) {
    return guests.get(loop).stream().filter(Guest::isDrainNotified).count();
  }

  private long notified() {
    return notified(0) + notified(1) + notified(2) + notified(3);
  }

  @Test
  void shouldBoundTheCandidatesIfNoneIsMovable() {
    enterFixed(0, 3_000);

    assertThat(rebalance(4, () -> place)).isCompletedWithValue(0);

    assertThat(guests.get(0).stream().mapToInt(Guest::movableChecks).sum()).isBetween(1_000, 1_100);
  }

  @Test
  void shouldSelectEvenlyOverTheLoops() {
    for (int loop = 0; loop < 4; loop++) {
      enterFixed(loop, 50);
      enterMovable(loop, 50);
    }
    assertThat(rebalance(42, () -> place)).isCompletedWithValue(42);
    pass(WITHIN_MS);

    assertThat(notified()).isEqualTo(42);
    for (int loop = 0; loop < 4; loop++) {
      assertThat(notified(loop)).isBetween(10L, 11L);
    }
    assertThat(guests.get(0).subList(0, 50)).noneMatch(Guest::isDrainNotified);
  }

  @Test
  void shouldSelectTheOnlyMovableClientOnAnyLoop() {
    for (int loop = 0; loop < 4; loop++) {
      enterFixed(loop, 10);
    }
    enterMovable(2, 1);
    assertThat(rebalance(1, () -> place)).isCompletedWithValue(1);
    pass(WITHIN_MS);

    assertThat(notified(2)).isEqualTo(1);
    assertThat(rebalance(1, () -> place))
        .as("the client was notified before")
        .isCompletedWithValue(0);
  }

  @Test
  void shouldSpreadTheRedirectsOverTheTime() {
    for (int loop = 0; loop < 4; loop++) {
      enterMovable(loop, 100);
    }
    rebalance(400, () -> place);
    assertThat(notified()).isLessThan(40);
    pass(WITHIN_MS / 2);
    assertThat(notified()).isBetween(120L, 280L);
    pass(WITHIN_MS / 2);
    assertThat(notified()).isEqualTo(400);
  }

  @Test
  void shouldStopWithoutFurtherTargets() {
    enterMovable(0, 10);
    enterMovable(1, 10);
    List<RedirectTarget> places = new ArrayList<>(List.of(place, place, place));
    assertThat(rebalance(20, () -> places.isEmpty() ? null : places.remove(0)))
        .isCompletedWithValue(3);
    pass(WITHIN_MS);

    assertThat(notified()).isEqualTo(3);
  }

  @Test
  void shouldNotRedirectDisconnectedClients() {
    enterMovable(0, 1);
    assertThat(rebalance(1, () -> place)).isCompletedWithValue(1);
    guests.get(0).get(0).leave(1000);
    pass(WITHIN_MS);

    assertThat(notified()).isZero();
  }

  @Test
  void shouldCancelRedirectsWhenADrainBegins() {
    long before = tellHalfOf100();
    drain(WITHIN_MS, loops);
    pass(WITHIN_MS / 2);

    assertThat(notified()).as("without a turn").isEqualTo(before);
  }

  @Test
  void shouldNotRedirectToAClosedTarget() {
    int before = (int) tellHalfOf100();
    open.set(false);
    pass(WITHIN_MS / 2);

    assertThat(notified()).isEqualTo(before);
    open.set(true);
    assertThat(rebalance(100, () -> place)).as("the others").isCompletedWithValue(100 - before);
  }

  private long tellHalfOf100() {
    for (int loop = 0; loop < 4; loop++) {
      enterMovable(loop, 25);
    }
    assertThat(rebalance(100, () -> place)).isCompletedWithValue(100);
    pass(WITHIN_MS / 2);
    assertThat(notified()).isBetween(20L, 80L);
    return notified();
  }

  @Test
  void shouldNotSelectClientsNotifiedByADrain() {
    enterMovable(0, 10);
    Drain drain = drain(1_000, List.of(loops.get(0)));
    while (drain.notified() < 10) {
      drain.onTick();
      time.runPendingTasks();
    }
    assertThat(rebalance(10, () -> place)).isCompletedWithValue(0);
  }

  @Test
  void shouldFailIfTheTargetsFail() {
    enterMovable(0, 1);
    assertThat(
            rebalance(
                1,
                () -> {
                  throw new IllegalStateException("a bug");
                }))
        .isCompletedExceptionally();
  }

  @Test
  void shouldCompleteIfALoopHasEnded() throws Exception {
    EventLoop ended = new DefaultEventLoop();
    ended.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    LoopState gone = newLoop(0, ended);

    assertThat(
            new Rebalancer(List.of(gone), 1, WITHIN_MS, () -> place, RedirectReason.BALANCE)
                .begin())
        .isCompletedWithValue(0);
    gone.stop();
  }
}
