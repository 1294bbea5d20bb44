package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.gateway.drain.Drain;
import io.sluice.gateway.drain.DrainPace;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class DrainTest {
  private static final long LENGTH_MS = 10_000;
  private static final Supplier<String> OWN_ADDRESSES = () -> null;

  private final Exposition exposition = new Exposition("departure-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final EmbeddedChannel time = new EmbeddedChannel();
  private final List<Guest> guests = new ArrayList<>();
  private final LoopState loop = newLoop(0);
  private Drain drain;
  private long nowMs = 5;

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

  private LoopState newLoop(int index) {
    return TestLoops.newLoop(time.eventLoop(), index, metrics);
  }

  private void enter(LoopState where, int count) {
    for (int i = 0; i < count; i++) {
      guests.add(new Guest(where, time.eventLoop()));
    }
  }

  private void begin(DrainPace pace, Supplier<String> places, LoopState... loops) {
    DrainedLoops clients = new DrainedLoops(List.of(loops), guests.size());
    Drain.Options options = new Drain.Options(LENGTH_MS, 0);
    drain = new Drain(clients, options, pace, places, metrics, () -> nowMs * 1_000_000);
    drain.start();
    time.runPendingTasks();
  }

  private static DrainPace pace(int perSecond) {
    return DrainPace.of(perSecond);
  }

  private void tick() {
    nowMs += Drain.TICK_MS;
    drain.onTick();
    time.runPendingTasks();
  }

  private void passUntil(long elapsedMs) {
    while (drain.elapsedMs() < elapsedMs) {
      tick();
    }
  }

  private long closed() {
    return guests.stream().filter(guest -> guest.closeCode() == 4100).count();
  }

  @Test
  void shouldNotifyEachClientOnceInTheFirstHalf() {
    enter(loop, 10_000);
    begin(pace(0), OWN_ADDRESSES, loop);

    passUntil(LENGTH_MS / 4);
    assertThat(drain.notified()).isBetween(4_900L, 5_100L);
    passUntil(LENGTH_MS / 2);
    assertThat(guests).allMatch(guest -> guest.notifications() == 1);
    assertThat(drain.notified()).isEqualTo(10_000);
    assertThat(closed()).isZero();
  }

  @Test
  void shouldNotifyFewClientsSoon() {
    enter(loop, 100);
    begin(pace(0), OWN_ADDRESSES, loop);
    passUntil(200);
    assertThat(guests).allMatch(guest -> guest.notifications() == 1);
  }

  @Test
  void shouldKeepTheRateAfterTheFirstHalf() {
    enter(loop, 210);
    begin(pace(30), OWN_ADDRESSES, loop);
    for (int second = 1; second <= 7; second++) {
      passUntil(second * 1000);
      assertThat(drain.notified()).isBetween(second * 30 - 1L, second * 30L);
    }
  }

  @Test
  void shouldShareThePermitsBetweenLoops() {
    LoopState other = newLoop(1);
    enter(loop, 100);
    enter(other, 100);
    begin(pace(40), OWN_ADDRESSES, loop, other);
    passUntil(2_000);

    long toldByOne = guests.subList(0, 100).stream().filter(Guest::isDrainNotified).count();
    assertThat(toldByOne).isBetween(30L, 50L);
    assertThat(drain.notified()).isBetween(75L, 80L);
    other.stop();
  }

  @Test
  void shouldSendEachClientItsTarget() {
    enter(loop, 2);
    List<String> places = new ArrayList<>(List.of("wss://gw-2.example.com/ws"));
    begin(pace(0), () -> places.isEmpty() ? null : places.remove(0), loop);
    passUntil(100);

    assertThat(guests)
        .extracting(Guest::target)
        .containsExactlyInAnyOrder("wss://gw-2.example.com/ws", null);
  }

  @Test
  void shouldCloseRemainingClientsEvenlyInTheLastTenth() {
    enter(loop, 2_000);
    begin(pace(0), OWN_ADDRESSES, loop);

    passUntil(LENGTH_MS * 9 / 10 - Drain.TICK_MS);
    assertThat(closed()).isZero();
    passUntil(LENGTH_MS * 95 / 100);
    assertThat(closed()).isBetween(900L, 1_200L);
    passUntil(LENGTH_MS);
    assertThat(closed()).isEqualTo(2_000);
    assertThat(drain.closed()).isEqualTo(2_000);
  }

  @Test
  void shouldCloseUnnotifiedClientsByTheDeadline() {
    enter(loop, 100);
    DrainPace slow = pace(1);
    assertThat(slow.forecastMs(100)).isEqualTo(100_000);
    begin(slow, OWN_ADDRESSES, loop);

    passUntil(LENGTH_MS);
    assertThat(drain.notified()).isBetween(8L, 9L);
    assertThat(closed()).isEqualTo(100);
  }

  @Test
  void shouldNotifyEachClientOnceWhileClientsConnectAndDisconnect() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    enter(loop, 3_000);
    begin(pace(0), OWN_ADDRESSES, loop);
    List<Guest> gone = new ArrayList<>();
    while (drain.elapsedMs() < LENGTH_MS / 2) {
      for (int i = random.nextInt(40); i > 0; i--) {
        Guest leaving = guests.remove(random.nextInt(guests.size()));
        leaving.leave(random.nextBoolean() ? 1000 : 1001);
        gone.add(leaving);
      }
      enter(loop, random.nextInt(3));
      tick();
    }
    passUntil(LENGTH_MS * 3 / 5);

    assertThat(guests).as("seed %d", seed).allMatch(guest -> guest.notifications() == 1);
    assertThat(gone).as("seed %d", seed).allMatch(guest -> guest.notifications() <= 1);
    assertThat(drain.notified())
        .as("seed %d", seed)
        .isEqualTo(guests.size() + gone.stream().filter(Guest::isDrainNotified).count());
    assertThat(drain.moved())
        .as("seed %d", seed)
        .isEqualTo(gone.stream().filter(Guest::hasMoved).count());
  }

  @Test
  void shouldNotCountAPauseOfTheProcess() {
    enter(loop, 3);
    begin(pace(0), OWN_ADDRESSES, loop);
    nowMs += 3 * LENGTH_MS;
    passUntil(LENGTH_MS / 2);

    assertThat(guests).allMatch(guest -> guest.notifications() == 1);
    assertThat(drain.closed()).isZero();
    passUntil(LENGTH_MS);
    assertThat(drain.closed()).isEqualTo(3);
  }

  @Test
  void shouldCountEachClientInTheMetrics() {
    enter(loop, 2);
    begin(pace(0), OWN_ADDRESSES, loop);
    passUntil(100);
    guests.remove(0).leave(1000);
    passUntil(LENGTH_MS);

    assertThat(metric("notified")).isEqualTo(2);
    assertThat(metric("moved")).isEqualTo(1);
    assertThat(metric("closed")).isEqualTo(1);
  }

  private double metric(String outcome) {
    return exposition
        .registry()
        .get("sluice.drain.clients")
        .tag("outcome", outcome)
        .functionCounter()
        .count();
  }
}
