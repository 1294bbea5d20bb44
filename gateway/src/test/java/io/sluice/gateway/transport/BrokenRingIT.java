package io.sluice.gateway.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.unix.FileDescriptor;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.TestPublisher;
import io.sluice.gateway.broker.TestBroker;
import io.sluice.gateway.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The kernel refuses a ring that worked until now: the node goes on without it. */
final class BrokenRingIT {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final int CLIENTS = 20;

  private static Set<Integer> rings() throws IOException {
    Set<Integer> found = new HashSet<>();
    if (!Files.isDirectory(DESCRIPTORS)) {
      return found; // not Linux
    }
    try (Stream<Path> all = Files.list(DESCRIPTORS)) {
      for (Path descriptor : all.toList()) {
        if (isRing(descriptor)) {
          found.add(Integer.valueOf(descriptor.getFileName().toString()));
        }
      }
    }
    return found;
  }

  private static boolean isRing(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().contains("io_uring");
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }

  private static List<RawWebSocket> subscribed(TestNode node) {
    List<RawWebSocket> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      RawWebSocket client = node.binary();
      client.subscribe(1, "ring.t");
      clients.add(client);
    }
    return clients;
  }

  @Test
  void shouldCloseWhoseSendIsUnknownAndServeEveryoneElseDirectly() throws Exception {
    Set<Integer> others = rings();
    try (TestBroker broker = TestBroker.start("artemis");
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(Settings.SERVER_TRANSPORT, "io-uring")
                    .with(Settings.SERVER_EVENT_LOOPS, 1));
        TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      Set<Integer> own = rings();
      own.removeAll(others);
      assumeThat(own).as("rings that the kernel allows").isNotEmpty();
      List<RawWebSocket> clients = subscribed(node);
      publisher.text("ring.t", "by the ring");
      for (RawWebSocket client : clients) {
        assertThat(client.readBinary()).asString().endsWith("by the ring");
      }
      for (int ring : own) {
        new FileDescriptor(ring).close();
      }

      publisher.text("ring.t", "into the broken ring");
      for (RawWebSocket client : clients) {
        assertThat(client.readFrame()).as("nothing, and the end").isNull();
      }
      await().until(() -> node.gateway().connections() == 0);

      for (RawWebSocket client : subscribed(node)) {
        clients.add(client);
      }
      publisher.text("ring.t", "without the ring");
      for (RawWebSocket client : clients.subList(CLIENTS, 2 * CLIENTS)) {
        assertThat(client.readBinary()).asString().endsWith("without the ring");
      }
      clients.forEach(RawWebSocket::close);
      await().until(() -> node.gateway().connections() == 0);
    }
  }
}
