package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class SharesTest {
  private static final class Plain extends Share {
    private volatile boolean rested = true;

    Plain(String name) {
      super(name);
    }

    @Override
    protected boolean isRested(long nowNs) {
      return rested;
    }
  }

  private final AtomicInteger tooMany = new AtomicInteger();
  private final Shares<Plain> shares = new Shares<>(Plain::new, 2, tooMany::incrementAndGet);

  @Test
  void shouldCountAllConnectionsOfOneNameTogether() {
    Plain first = shares.enter("a");
    assertThat(shares.enter("a")).isSameAs(first);
    assertThat(first.holders()).isEqualTo(2);
    shares.leave(first);
    assertThat(first.holders()).isEqualTo(1);
    assertThat(shares.size()).isEqualTo(1);
  }

  @Test
  void shouldTellHowManyConnectionsANameHasWithoutRememberingIt() {
    assertThat(shares.holders("a")).isZero();
    assertThat(shares.size()).isZero();
    shares.enter("a");
    assertThat(shares.holders("a")).isEqualTo(1);
  }

  @Test
  void shouldForgetAShareWithItsLastConnection() {
    shares.leave(shares.enter("a"));
    assertThat(shares.size()).isZero();
  }

  @Test
  void shouldKeepAShareThatHasNotRestedUntilItIsSwept() {
    Plain share = shares.enter("a");
    share.rested = false;
    shares.leave(share);
    shares.sweep();
    assertThat(shares.of("a")).isSameAs(share);
    share.rested = true;
    shares.sweep();
    assertThat(shares.size()).isZero();
  }

  @Test
  void shouldSweepNoneThatHasConnections() {
    shares.enter("a");
    shares.sweep();
    assertThat(shares.size()).isEqualTo(1);
  }

  @Test
  void shouldGiveWhoeverIsOneTooManyAShareOfItsOwn() {
    shares.enter("a");
    shares.enter("b");
    assertThat(tooMany).hasValue(0);
    Plain alone = shares.enter("c");
    assertThat(shares.enter("c")).isNotSameAs(alone);
    assertThat(tooMany).hasValue(2);
    assertThat(shares.size()).isEqualTo(2);
    shares.leave(alone);
    assertThat(shares.size()).isEqualTo(2);
  }

  @Test
  void shouldLoseNoConnectionBetweenThreads() {
    List<CompletableFuture<?>> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(
          CompletableFuture.runAsync(
              () -> {
                for (int n = 0; n < 50_000; n++) {
                  Plain share = shares.enter("a");
                  assertThat(share.holders()).isBetween(1, 4);
                  shares.leave(share);
                }
              }));
    }
    threads.forEach(CompletableFuture::join);
    assertThat(shares.size()).isZero();
  }
}
