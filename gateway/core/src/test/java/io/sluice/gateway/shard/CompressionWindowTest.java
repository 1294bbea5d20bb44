package io.sluice.gateway.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.shard.CompressionWindow.StreamTraffic;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class CompressionWindowTest {
  private static final long INTERVAL = TimeUnit.SECONDS.toNanos(5);
  private static final long START = -INTERVAL;

  private final CompressionWindow window = new CompressionWindow();
  private final StreamTraffic one = new StreamTraffic(START);
  private final StreamTraffic other = new StreamTraffic(START);

  @Test
  void shouldEndWithTheLatestMessageOfAnyStream() {
    assertThat(window.endsWith(one, 0)).isFalse();
    window.endAt(one, 7);
    assertThat(window.endsWith(one, 7)).isTrue();
    assertThat(window.endsWith(one, 6)).isFalse();
    assertThat(window.endsWith(other, 7)).isFalse();
    window.endAt(other, 1);
    assertThat(window.endsWith(one, 7)).isFalse();
    window.forget();
    assertThat(window.endsWith(other, 1)).isFalse();
  }

  @Test
  void shouldSelectTheFirstStreamUntilItsEnd() {
    assertThat(window.selects(one, START)).isTrue();
    assertThat(window.selects(other, START)).isFalse();
    window.deselect(other);
    assertThat(window.selects(other, START)).isFalse();
    window.deselect(one);
    assertThat(window.selects(other, START)).isTrue();
    assertThat(window.selects(one, START)).isFalse();
  }

  @Test
  void shouldSelectAnotherStreamOnlyWithMoreThanTwiceTheTraffic() {
    assertThat(window.selects(one, START)).isTrue();
    one.add(1000, START);
    other.add(2001, START);
    assertThat(window.selects(other, START)).as("within the interval").isFalse();
    assertThat(window.selects(other, START + INTERVAL)).isFalse();
    one.add(1000, START + INTERVAL);
    other.add(2002, START + INTERVAL);
    assertThat(window.selects(other, START + 2 * INTERVAL)).isTrue();
    assertThat(window.selects(one, START + 2 * INTERVAL)).isFalse();
  }

  @Test
  void shouldForgetTheTrafficOfASilentStream() {
    assertThat(window.selects(one, START)).isTrue();
    one.add(1_000_000, START);
    other.add(10, START + 3 * INTERVAL);
    assertThat(window.selects(other, START + 3 * INTERVAL)).isFalse();
    assertThat(window.selects(other, START + 4 * INTERVAL)).isTrue();
  }
}
