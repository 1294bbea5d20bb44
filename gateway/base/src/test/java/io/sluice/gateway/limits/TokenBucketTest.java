package io.sluice.gateway.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class TokenBucketTest {
  private static final long SECOND = 1_000_000_000L;

  private final TokenBucket bucket = new TokenBucket(10, 0);

  private int taken(int tries, long nowNs) {
    int taken = 0;
    for (int i = 0; i < tries; i++) {
      taken += bucket.take(1, nowNs) ? 1 : 0;
    }
    return taken;
  }

  @Test
  void shouldAllowABurstOfOneSecondAndThenTheRate() {
    assertThat(taken(20, 0)).isEqualTo(10);
    assertThat(taken(20, SECOND / 10)).isEqualTo(1);
    assertThat(taken(20, SECOND / 2)).isEqualTo(4);
    assertThat(taken(20, 100 * SECOND)).isEqualTo(10);
  }

  @Test
  void shouldBoundBursts() {
    TokenBucket small = new TokenBucket(10, 5, 0);
    int taken = 0;
    for (int i = 0; i < 20; i++) {
      taken += small.take(100 * SECOND) ? 1 : 0;
    }
    assertThat(taken).isEqualTo(5);
    assertThat(small.take(100 * SECOND + SECOND / 10)).isTrue();
    assertThat(small.take(100 * SECOND + SECOND / 10)).isFalse();
  }

  @Test
  void shouldRejectARateOfZero() {
    assertThatThrownBy(() -> new TokenBucket(0, 0)).hasMessage("rate 0/s is not above 0");
  }

  @Test
  void shouldTakeAllTokensOrNone() {
    assertThat(bucket.take(11, 0)).isFalse();
    assertThat(bucket.take(10, 0)).isTrue();
    assertThat(bucket.take(1, 0)).isFalse();
  }

  @Test
  void shouldBoundTheRateOfAllThreadsTogether() {
    TokenBucket many = new TokenBucket(10_000, 0);
    AtomicInteger taken = new AtomicInteger();
    List<CompletableFuture<?>> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(
          CompletableFuture.runAsync(
              () -> {
                for (int n = 0; n < 10_000; n++) {
                  taken.addAndGet(many.take(1, 0) ? 1 : 0);
                }
              }));
    }
    threads.forEach(CompletableFuture::join);
    assertThat(taken).hasValue(10_000);
  }
}
