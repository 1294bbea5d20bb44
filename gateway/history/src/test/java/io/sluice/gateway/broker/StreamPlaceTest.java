package io.sluice.gateway.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the identities of messages with offsets. */
final class StreamPlaceTest {
  private static final int PARTITION = StreamPlace.MAX_PARTITIONS - 1;

  @ParameterizedTest
  @ValueSource(longs = {0, 1, (1L << 31) - 1, 1L << 31, (1L << 31) + 1, StreamPlace.MAX_OFFSET})
  void shouldContainPartitionOffsetAndMark(long offset) {
    long id = StreamPlace.id(PARTITION, offset, 0xabcd);
    assertThat(StreamPlace.partition(id)).isEqualTo(PARTITION);
    assertThat(StreamPlace.offset(id)).isEqualTo(offset);
    assertThat(StreamPlace.mark(id)).isEqualTo(offset < 1L << 31 ? 0xabcd : 0xcd);
  }

  @Test
  void shouldIncreaseWithTheOffset() {
    long[] ids =
        LongStream.of(0, 1, (1L << 31) - 1, 1L << 31, (1L << 31) + 1, StreamPlace.MAX_OFFSET)
            .flatMap(
                offset -> LongStream.of(StreamPlace.id(1, offset), StreamPlace.id(1, offset, -1)))
            .toArray();
    long[] sorted = ids.clone();
    Arrays.sort(sorted);
    assertThat(ids).containsExactly(sorted);
    assertThat(Arrays.stream(ids).distinct()).hasSize(12);
    assertThat(Arrays.stream(ids).map(StreamPlace::partition)).containsOnly(1L);
  }
}
