package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.Gateway;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.http.Pages;
import io.sluice.testkit.ArtemisProcess;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pages in a real browser whose HTTP streams take all connections that it opens to a host. */
@Tag("full")
@Timeout(300)
class StreamPagesIT {
  @Test
  void shouldReportTheLimitOfConnections() throws Exception {
    try (ArtemisProcess broker = ArtemisProcess.start();
        Gateway gateway = Gateway.start(TestNode.config("artemis", broker.url()), Pages.demo());
        Prices prices = new Prices(broker.url())) {
      prices.start();
      String endpoint = "ws://127.0.0.1:" + gateway.port() + "/ws";
      assertThat(BrowserScript.run("browser/streams.mjs", Map.of(), endpoint, "stocks.7"))
          .containsExactly(
              "SIX PAGES RECEIVE",
              "LIMIT IS WARNED",
              "PUBLISH FAILS",
              "SEVENTH PAGE REPORTS",
              "SEVENTH PAGE OPENS");
    }
  }
}
