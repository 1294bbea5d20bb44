package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ConnectionTableTest {
  private static final int CONNECTIONS = 1_000;
  private static final int REMAINING = 10;

  private final Exposition exposition = new Exposition("table-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LoopState loop = TestLoops.newLoop(channel.eventLoop(), 0, metrics);
  private final ConnectionTable table = new ConnectionTable();

  @AfterEach
  void close() {
    loop.stop();
    channel.finishAndReleaseAll();
    metrics.close();
    exposition.close();
  }

  @Test
  void shouldShrinkAfterMostConnectionsClose() {
    List<ClientConnection> open = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      ClientConnection added = new WebSocketConnection(loop, "192.0.2.1", false, own -> null);
      open.add(added);
      table.add(added);
    }
    assertThat(table.capacity()).isGreaterThanOrEqualTo(CONNECTIONS);
    Random random = new Random(1);
    while (open.size() > REMAINING) {
      table.remove(open.remove(random.nextInt(open.size())));
    }
    assertThat(table.count()).isEqualTo(REMAINING);
    assertThat(table.capacity()).isLessThan(4 * (REMAINING + 1));
    assertThat(open).allSatisfy(rest -> assertThat(table.get(rest.index)).isSameAs(rest));
  }
}
