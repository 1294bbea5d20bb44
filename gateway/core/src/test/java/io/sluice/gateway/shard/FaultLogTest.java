package io.sluice.gateway.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.history.HubClock;
import io.sluice.testkit.LoggedEvents;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Limits of the failures that a shard logs. */
final class FaultLogTest {
  private long nowNs;

  private final HubClock clock =
      new HubClock() {
        @Override
        public long wallMs() {
          return 0;
        }

        @Override
        public long nanos() {
          return nowNs;
        }
      };

  private final FaultLog faults = new FaultLog(LoggerFactory.getLogger(FaultLog.class), clock);

  @Test
  void shouldLogEachKindOncePerMinute() {
    try (LoggedEvents logged = LoggedEvents.of(FaultLog.class)) {
      for (int i = 0; i < 100; i++) {
        faults.add(new IllegalStateException("client " + i));
      }
      assertThat(logged.names()).hasSize(1);
      faults.add(new OutOfMemoryError("a simulated failure"));
      assertThat(logged.names()).as("another kind").hasSize(2);
      nowNs += TimeUnit.SECONDS.toNanos(59);
      faults.add(new IllegalStateException("later"));
      assertThat(logged.names()).hasSize(2);
      nowNs += TimeUnit.SECONDS.toNanos(1);
      faults.add(new IllegalStateException("after a minute"));
      assertThat(logged.names()).hasSize(3);
    }
  }

  @Test
  void shouldShareOneLimitAmongFurtherKinds() {
    List<Throwable> further = List.of(new ArithmeticException(), new ArrayStoreException());
    try (LoggedEvents logged = LoggedEvents.of(FaultLog.class)) {
      List<Throwable> kinds =
          List.of(
              new RuntimeException(),
              new IllegalStateException(),
              new IllegalArgumentException(),
              new NullPointerException(),
              new IndexOutOfBoundsException(),
              new ArrayIndexOutOfBoundsException(),
              new StringIndexOutOfBoundsException(),
              new ClassCastException(),
              new UnsupportedOperationException(),
              new NumberFormatException(),
              new NegativeArraySizeException(),
              new SecurityException(),
              new AssertionError(),
              new OutOfMemoryError(),
              new StackOverflowError(),
              new InternalError());
      assertThat(kinds).hasSize(FaultLog.MAX_KINDS);
      kinds.forEach(faults::add);
      further.forEach(faults::add);
      assertThat(logged.names()).hasSize(FaultLog.MAX_KINDS + 1);
    }
  }
}
