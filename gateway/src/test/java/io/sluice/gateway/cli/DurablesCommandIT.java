package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.ProviderOptions;
import io.sluice.gateway.broker.provider.SubscriptionLimits;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.config.Config;
import io.sluice.testkit.ArtemisProcess;
import jakarta.jms.Connection;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code sluice durables} at a real node and broker. */
@Timeout(180)
final class DurablesCommandIT {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private ArtemisProcess broker;
  private TestNode node;

  @BeforeEach
  void start() throws Exception {
    broker = ArtemisProcess.start();
    Config config = TestNode.config("artemis", broker.url());
    create(config, new TopicSubscription("ann b", "orders.>", "desk-1", true), "a = 'b'");
    create(config, new TopicSubscription("", "orders", "desk-2", true), null);
    node = TestNode.start(config);
  }

  private static void create(Config config, TopicSubscription subscription, String where)
      throws Exception {
    Provider provider = ProviderOptions.of(config).newProvider();
    try (Connection connection = provider.connect(Provider.QUEUES, () -> {})) {
      provider
          .subscriptions(new SubscriptionLimits(60_000, 10))
          .open(connection, subscription, where, (message, failure) -> {}, Runnable::run)
          .close(List.of());
    }
  }

  @AfterEach
  void stop() {
    node.close();
    broker.close();
  }

  private int execute(String command, String... options) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    String port = "http://127.0.0.1:" + node.gateway().adminPort();
    List<String> arguments = new ArrayList<>(List.of("durables", command));
    arguments.addAll(List.of("--admin", "http://127.0.0.1:1," + port));
    arguments.addAll(List.of(options));
    return Sluice.commandLine(NodeStarter::startGateway, new Termination())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments.toArray(String[]::new));
  }

  @Tag("full")
  @Test
  void shouldList() {
    assertThat(execute("list")).isZero();
    assertThat(err.toString())
        .isEqualToIgnoringNewLines("http://127.0.0.1:1: not reachable: connection refused");
    assertThat(out.toString().lines())
        .containsExactly(
            "\"\" orders desk-2, 0 messages, 0 consumers",
            "ann b orders.> desk-1, 0 messages, 0 consumers, where a = 'b'");

    assertThat(execute("list", "--max", "1")).isZero();
    assertThat(out.toString().lines())
        .hasSize(2)
        .last()
        .isEqualTo("and more; use --max or --principal");

    assertThat(execute("list", "--principal", "ann b", "--json")).isZero();
    assertThat(out.toString()).contains("\"name\" : \"desk-1\"").doesNotContain("desk-2");
  }

  @Tag("full")
  @Test
  void shouldDelete() {
    String[] desk = {"--principal", "ann b", "--topic", "orders.>", "--name", "desk-1"};

    assertThat(execute("delete", desk)).isZero();
    assertThat(out.toString()).isEqualToIgnoringNewLines("deleted");

    assertThat(execute("delete", desk)).isEqualTo(1);
    assertThat(err.toString())
        .contains("sluice durables delete: ", ": 404 there is no such durable subscription");
  }

  @Tag("full")
  @Test
  void shouldExplainInvalidCommandLines() {
    assertThat(execute("delete", "--principal", "ann")).isEqualTo(2);
    assertThat(execute("list", "--max", "0")).isEqualTo(1);
    assertThat(err.toString()).contains(": 400 max is not a number from 1 to 1000");
  }
}
