package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.gateway.Gateway;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.TestProgram;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.http.Pages;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.Loopback;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pages in a real browser behind an HAProxy that first rejects WebSockets and later accepts them.
 * One page has its own connection, the other that of a SharedWorker.
 */
@Timeout(300)
class BlockedPageIT {
  private static final String REFUSAL =
      "http-request deny deny_status 400 if { hdr(Upgrade) -i websocket }";

  private static final List<String> GOOD =
      List.of("ON HTTP", "PUBLISHED", "READY FOR WEBSOCKETS", "ON WEBSOCKET", "NOTHING LOST");

  @TempDir private Path folder;

  private String program;
  private String address;
  private String node;
  private Haproxy haproxy;
  private Haproxy open;

  @BeforeEach
  void setUp() throws Exception {
    Optional<String> provided = TestProgram.provide("haproxy");
    assumeTrue(provided.isPresent(), "there is no HAProxy, see above");
    program = provided.get();
    String host = Loopback.address();
    address = host + ":" + FreePorts.at(host);
  }

  @AfterEach
  void tearDown() {
    Stream.of(haproxy, open).filter(Objects::nonNull).forEach(Haproxy::close);
  }

  @Tag("full")
  @Test
  void shouldFallBackToHttpAndReturnToAWebSocketWithoutLoss() throws Exception {
    try (ArtemisProcess broker = ArtemisProcess.start();
        Gateway gateway = Gateway.start(config(broker), Pages.demo());
        Prices prices = new Prices(broker.url())) {
      prices.start();
      node = "127.0.0.1:" + gateway.port();
      haproxy = Haproxy.start(program, folder, address, node, REFUSAL);
      String page = "http://" + address + "/";
      String endpoint = "ws://" + address + "/ws";
      Map<String, Callable<String>> requests = Map.of("READY FOR WEBSOCKETS", this::letThrough);
      List<String> said =
          BrowserScript.run(
              "browser/blocked.mjs", requests, page, endpoint, "stocks.7", "blocked.echo");
      assertThat(said).isEqualTo(GOOD);
    }
  }

  private static Config config(ArtemisProcess broker) {
    return TestNode.config("artemis", broker.url())
        .with(BrokerSettings.LINGER, Duration.ofMinutes(5)) // however long the page is away
        .with(ServerSettings.STREAM_LIFETIME, Duration.ofSeconds(5));
  }

  // Existing connections continue through the old process.
  private String letThrough() throws Exception {
    open = Haproxy.start(program, folder, address, node, "");
    haproxy.leaveTo(open);
    return "OPENED";
  }
}
