package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.Gateway;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.http.PageActions;
import io.sluice.gateway.http.Pages;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.SluiceProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Pages in a real browser whose gateway is restarted, and whose network goes and comes. Runs alone:
 * the page must keep up with the demo's messages, or its lag increases without a limit.
 */
@Tag("alone")
@Timeout(300)
class DemoPageIT {
  private ArtemisProcess broker;
  private Prices prices;
  private Gateway gateway;
  private final Pages page = Pages.demo(new NoFaults());

  /** Endpoints of a page whose faults are those of the test. */
  private static final class NoFaults implements PageActions {
    @Override
    public List<Integer> ports() {
      return List.of();
    }

    @Override
    public CompletionStage<String> state(boolean controls) {
      return CompletableFuture.completedFuture(
          "{\"ports\":[],\"nodes\":{\"demo-1\":1},\"broker\":\"up\",\"controls\":true}");
    }

    @Override
    public CompletionStage<String> run(String action) {
      return CompletableFuture.completedFuture("no such action");
    }
  }

  @BeforeEach
  void setUp() throws Exception {
    broker = ArtemisProcess.start();
    prices = new Prices(broker.url());
    prices.start();
    gateway = Gateway.start(config(0), page);
  }

  @AfterEach
  void tearDown() throws Exception {
    if (gateway != null) {
      gateway.close();
    }
    if (prices != null) {
      prices.close();
    }
    broker.close();
  }

  private Config config(int port) {
    return TestNode.config("artemis", broker.url())
        .with(ServerSettings.PORT, port)
        .with(AdminSettings.NODE_NAME, "demo-1")
        .with(ServerSettings.ALLOWED_ORIGINS, List.of())
        .with(BrokerSettings.LINGER, Duration.ofMinutes(5)); // however long a page is away
  }

  @Test
  void shouldShowMovingPricesBeforeAndAfterALoss() throws Exception {
    Path screenshots = Path.of("target", "screenshots").toAbsolutePath();
    boolean isForDocs = "write".equals(System.getProperty("sluice.docs"));
    assertThat(
            BrowserScript.run(
                "browser/demo-page.mjs",
                Map.of("READY FOR RESTART", this::restart),
                page(),
                screenshots.toString(),
                isForDocs ? "32" : "5"))
        .containsExactly("PRICES MOVE", "READY FOR RESTART", "LOST SHOWN", "PRICES MOVE AGAIN");
    if (isForDocs) {
      copy(screenshots.resolve("demo-1280.png"), "demo.png");
      copy(screenshots.resolve("demo-1280-dark.png"), "demo-dark.png");
    }
  }

  private static void copy(Path screenshot, String name) throws IOException {
    Files.copy(screenshot, Path.of("..", "docs", name), StandardCopyOption.REPLACE_EXISTING);
  }

  @Tag("full")
  @Test
  void shouldMissNoMessageWhileThePageIsOffline() throws Exception {
    assertThat(BrowserScript.run("browser/network.mjs", Map.of(), page()))
        .containsExactly("OFFLINE SHOWN", "BACK ONLINE", "NOTHING MISSED");
  }

  @Tag("full")
  @Test
  void shouldExplainWhyAPageCannotConnect() throws Exception {
    String freePort = String.valueOf(FreePorts.one());
    assertThat(BrowserScript.run("browser/contact.mjs", Map.of(), page(), freePort))
        .containsExactly(
            "RELATIVE URL",
            "HTTP URL",
            "WRONG PATH EXPLAINED",
            "UNREACHABLE EXPLAINED",
            "ORIGIN EXPLAINED",
            "UNREADABLE ANSWER EXPLAINED");
  }

  @Tag("full")
  @Test
  void shouldRecoverFromTheFaultsOfThePage() throws Exception {
    try (SluiceProcess demo = SluiceProcess.start("demo", "--port", "0", "--admin-port", "0")) {
      String url = demo.awaitLine("Live prices: (http://localhost:\\d+/)").group(1);
      assertThat(BrowserScript.run("browser/demo-faults.mjs", Map.of(), url))
          .containsExactly(
              "FEW REQUESTS",
              "CUT RECOVERED",
              "KILLED NODE REPLACED",
              "LAG SHOWN",
              "BROKER RECOVERED",
              "NO HORIZONTAL SCROLLING",
              "ACCESSIBLE");
    }
  }

  private String page() {
    return "http://127.0.0.1:" + gateway.port() + "/";
  }

  private String restart() throws Exception {
    int port = gateway.port();
    gateway.close();
    gateway = Gateway.start(config(port), page);
    return "RESTARTED";
  }
}
