package io.sluice.gateway.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Limits of the joiner, and the queues that it takes for equal. */
final class QueueJoinerTest {
  private final CopyAllocator copies = new CopyAllocator();
  private final QueueJoiner joiner = new QueueJoiner(copies);
  private final List<ByteBuf> buffers = new ArrayList<>();

  @AfterEach
  void release() {
    joiner.endBatch();
    buffers.forEach(ByteBuf::release);
    assertThat(copies.usedBytes()).as("bytes of copies in use").isZero();
  }

  private ByteBuf buffer(int bytes) {
    ByteBuf buffer = Unpooled.directBuffer(Math.max(1, bytes));
    for (int i = 0; i < bytes; i++) {
      buffer.writeByte(buffers.size() + i);
    }
    buffers.add(buffer);
    return buffer;
  }

  private List<ByteBuf> queue(int count, int bytesEach) {
    List<ByteBuf> queue = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      queue.add(buffer(bytesEach));
    }
    return queue;
  }

  private ByteBuf join(List<ByteBuf> queue) {
    long bytes = queue.stream().mapToLong(ByteBuf::readableBytes).sum();
    return joiner.join(queue.get(0), new ArrayDeque<>(queue.subList(1, queue.size())), bytes);
  }

  /** Joins a queue for as many sockets as are worth the copy. */
  private ByteBuf joinRepeatedly(List<ByteBuf> queue) {
    ByteBuf joined = null;
    for (int i = 0; i <= QueueJoiner.MAX_BYTES / QueueJoiner.BYTES_PER_SOCKET; i++) {
      joined = join(queue);
    }
    return joined;
  }

  @Test
  void shouldCopyAQueueOnceForTheSecondAndFurtherSockets() {
    List<ByteBuf> queue = queue(3, 500);

    assertThat(join(queue)).as("copy for the only socket").isNull();
    ByteBuf joined = join(queue);

    assertThat(joined).isEqualTo(Unpooled.wrappedBuffer(queue.toArray(ByteBuf[]::new)));
    assertThat(join(queue)).isSameAs(joined);
    assertThat(copies.count()).isEqualTo(1);
    assertThat(queue).allMatch(buffer -> buffer.refCnt() == 1 && buffer.readerIndex() == 0);
  }

  @Test
  void shouldCopyALargeQueueOnlyForEnoughSockets() {
    List<ByteBuf> queue = queue(2, 3 * QueueJoiner.BYTES_PER_SOCKET / 2);

    assertThat(join(queue)).isNull();
    assertThat(join(queue)).isNull();
    assertThat(join(queue)).isNotNull();
  }

  @Test
  void shouldNotJoinQueuesThatDiffer() {
    List<ByteBuf> queue = queue(4, 100);
    join(queue);

    assertThat(join(List.of(queue.get(0), queue.get(2), queue.get(1), queue.get(3)))).isNull();
    assertThat(join(List.of(queue.get(0), queue.get(3)))).isNull();
    assertThat(join(List.of(queue.get(0), queue.get(1), queue.get(3)))).isNull();
    assertThat(copies.count()).isZero();
  }

  @Test
  void shouldJoinSeveralQueuesInOneBatch() {
    int count = 20;
    int joined = 0;
    for (int i = 0; i < count; i++) {
      joined += joinRepeatedly(queue(2 + i % 4, 100)) == null ? 0 : 1;
    }

    assertThat(joined).as("some may have the same hash").isBetween(count / 2, count);
  }

  @Test
  void shouldForgetQueuesAtTheEndOfTheBatch() {
    List<ByteBuf> queue = queue(3, 100);
    assertThat(joinRepeatedly(queue)).isNotNull();
    joiner.endBatch();

    assertThat(copies.usedBytes()).isZero();
    assertThat(join(queue)).as("the same buffers with other content").isNull();
  }

  @Test
  void shouldJoinUpToTheMaximumOfBuffers() {
    List<ByteBuf> queue = queue(QueueJoiner.MAX_BUFFERS + 1, 10);

    assertThat(joinRepeatedly(queue.subList(1, queue.size()))).isNotNull();
    assertThat(joinRepeatedly(queue)).isNull();
  }

  @Test
  void shouldJoinUpToTheMaximumOfBytes() {
    ByteBuf large = buffer(QueueJoiner.MAX_BYTES - 1);

    assertThat(joinRepeatedly(List.of(large, buffer(1)))).isNotNull();
    assertThat(joinRepeatedly(List.of(large, buffer(2)))).isNull();
  }

  @Test
  void shouldCopyUpToTheMaximumOfABatch() {
    ByteBuf large = buffer(QueueJoiner.MAX_BYTES - 1);
    int possible = QueueJoiner.MAX_BATCH_BYTES / QueueJoiner.MAX_BYTES;
    for (int i = 0; i < 4 * possible; i++) {
      joinRepeatedly(List.of(large, buffer(1)));
    }

    assertThat(copies.count()).isEqualTo(possible);
    joiner.endBatch();
    assertThat(joinRepeatedly(List.of(large, buffer(1)))).as("in the next batch").isNotNull();
  }

  @Test
  void shouldJoinNothingWithoutMemory() {
    List<ByteBuf> queue = queue(3, 100);
    copies.exhaust(true);
    assertThat(joinRepeatedly(queue)).isNull();

    copies.exhaust(false);
    assertThat(join(queue)).isNotNull();
  }
}
