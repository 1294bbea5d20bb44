package io.sluice.gateway.cli;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.Gateway;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.broker.ArtemisProcess;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;
import io.sluice.gateway.feed.Feed;
import io.sluice.gateway.feed.FeedPlan;
import io.sluice.gateway.feed.FeedTarget;
import io.sluice.gateway.feed.Market;
import io.sluice.gateway.feed.Provider;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The demo's page in a real browser, before and after a restart of the gateway. */
@Timeout(300)
class DemoPageIT {
  private static final Path JUDGE = Path.of("..", "js-client", "browser", "demo-page.mjs");

  private ArtemisProcess broker;
  private Feed feed;
  private Thread publisher;
  private Gateway gateway;

  @BeforeEach
  void setUp() throws Exception {
    broker = ArtemisProcess.start();
    Market market = new Market(7);
    feed =
        Feed.to(
            FeedTarget.of(broker.url(), Provider.ARTEMIS),
            new FeedPlan("stocks.", market.stocks(), 10),
            market,
            report -> {});
    publisher = new Thread(feed, "feed");
    publisher.start();
    gateway = Gateway.start(config(0), true);
  }

  @AfterEach
  void tearDown() throws Exception {
    if (gateway != null) {
      gateway.close();
    }
    if (publisher != null) {
      feed.stop();
      publisher.join();
    }
    broker.close();
  }

  private Config config(int port) {
    return TestNode.config("artemis", broker.url()).with(Settings.SERVER_PORT, port);
  }

  @Test
  void shouldShowPricesThatMoveTheLossAndPricesThatMoveAgain() throws Exception {
    Process judge = judge();
    try {
      List<String> said = followAndRestart(judge);
      assertThat(judge.waitFor(60, SECONDS)).isTrue();
      assertThat(said)
          .containsExactly("PRICES MOVE", "READY FOR RESTART", "LOST SHOWN", "PRICES MOVE AGAIN");
      assertThat(judge.exitValue()).isZero();
    } finally {
      // The browser ends when its pipe to the script does.
      judge.destroy();
    }
  }

  private Process judge() throws IOException {
    String page = "http://127.0.0.1:" + gateway.port() + "/";
    String pictures = Path.of("target", "screenshots").toAbsolutePath().toString();
    return new ProcessBuilder("node", JUDGE.toString(), page, pictures)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private List<String> followAndRestart(Process judge) throws Exception {
    List<String> said = new ArrayList<>();
    try (BufferedReader lines = judge.inputReader();
        BufferedWriter answers = judge.outputWriter()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        said.add(line);
        if (line.equals("READY FOR RESTART")) {
          restart();
          answers.write("RESTARTED\n");
          answers.flush();
        }
      }
    }
    return said;
  }

  private void restart() throws Exception {
    int port = gateway.port();
    gateway.close();
    gateway = Gateway.start(config(port), true);
  }
}
