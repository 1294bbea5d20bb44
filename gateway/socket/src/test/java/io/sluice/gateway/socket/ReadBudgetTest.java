package io.sluice.gateway.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.epoll.Epoll;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A loop whose sockets all have input, each of which takes half of the budget. */
final class ReadBudgetTest {
  private static final int CLIENTS = 200;
  private static final String READ = "read";
  private static final String TASK = "task";

  private final AtomicLong nowNs = new AtomicLong();
  private final List<String> events = new ArrayList<>();
  private final CountDownLatch reads = new CountDownLatch(CLIENTS);

  @BeforeAll
  static void requireEpoll() {
    assumeThat(Epoll.isAvailable()).as("epoll is there").isTrue();
  }

  @Test
  void shouldRunTasksBetweenTheReadsOfManySockets() throws Exception {
    try (SocketScene scene = new SocketScene(0)) {
      scene.open(new DirectSender(), new CopyAllocator(), nowNs::get);
      List<SocketScene.Line> lines = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        lines.add(scene.connect());
      }
      for (SocketScene.Line line : lines) {
        line.onRead = () -> onRead(scene);
      }
      scene.onLoop(() -> sendToAll(lines));
      assertThat(reads.await(120, TimeUnit.SECONDS)).as("all sockets were read").isTrue();
      assertThat(scene.onLoop(() -> longestSequenceOfReads())).isLessThanOrEqualTo(2);
      assertThat(scene.onLoop(() -> List.copyOf(events))).filteredOn(READ::equals).hasSize(CLIENTS);
    }
  }

  // On the loop, which therefore finds the input of all sockets afterwards.
  private static Void sendToAll(List<SocketScene.Line> lines) throws Exception {
    for (SocketScene.Line line : lines) {
      line.client.getOutputStream().write(1);
    }
    return null;
  }

  /** Records a read, for which the loop must send something to other clients. */
  private void onRead(SocketScene scene) {
    events.add(READ);
    nowNs.addAndGet(ReadBudget.MAX_NS / 2);
    scene.loop.execute(() -> events.add(TASK));
    reads.countDown();
  }

  private int longestSequenceOfReads() {
    int longest = 0;
    int length = 0;
    for (String event : events) {
      length = event.equals(READ) ? length + 1 : 0;
      longest = Math.max(longest, length);
    }
    return longest;
  }
}
