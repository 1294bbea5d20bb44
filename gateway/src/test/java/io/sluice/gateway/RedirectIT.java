package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.drain.RedirectTarget;
import io.sluice.testkit.RawWebSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Clients that one node sends to another one. Neither needs a broker for that. */
final class RedirectIT {
  private static final String FOLLOWS = "{\"type\":\"connect\",\"redirect\":true}";
  private static final String CAME = "{\"type\":\"connect\",\"redirect\":true,\"redirected\":true}";
  private static final Duration LONG = Duration.ofHours(1);

  private final TestNode one = TestNode.start(TestNode.config("artemis", "tcp://127.0.0.1:1"));
  private final TestNode other = TestNode.start(TestNode.config("artemis", "tcp://127.0.0.1:1"));
  private final List<RawWebSocket> clients = new ArrayList<>();

  @AfterEach
  void close() {
    clients.forEach(RawWebSocket::close);
    one.close();
    other.close();
  }

  private String place() {
    return "ws://127.0.0.1:" + other.gateway().port() + "/ws";
  }

  private RedirectTarget betterPlace() {
    return new RedirectTarget(place(), () -> true);
  }

  private RawWebSocket keep(RawWebSocket client) {
    clients.add(client);
    return client;
  }

  private RawWebSocket enter(TestNode node, String connect) {
    RawWebSocket client = keep(node.json());
    client.text(connect);
    return client;
  }

  /** Goes where the client was sent, as itself. */
  private RawWebSocket follow(RawWebSocket client) {
    URI url = URI.create(client.await("redirect").get("url").asText());
    RawWebSocket moved =
        RawWebSocket.to(url.getHost(), url.getPort(), url.getPath())
            .subprotocols("sluice.v1.json")
            .open();
    keep(moved).text(CAME);
    moved.await("hello");
    return moved;
  }

  @Test
  void shouldRedirectAClientInsteadOfHelloAndAdmitItOnTheTarget() {
    one.clients().balance(this::place, LONG);
    other.clients().balance(() -> "ws://127.0.0.1:1/ws", LONG);
    RawWebSocket client = enter(one, FOLLOWS);
    follow(client);

    assertThat(client.awaitClose()).isEqualTo(4101);
    assertThat(one.metric("sluice_redirects_total{cause=\"connect\"}")).isEqualTo(1);
    assertThat(other.metric("sluice_redirects_total{cause=\"connect\"}")).isZero();
    assertThat(other.clients().movable()).isEqualTo(1);
    assertThat(one.clients().movable()).isZero();
  }

  @Test
  void shouldRedirectAnHttpClient() {
    one.clients().balance(this::place, LONG);
    RawWebSocket client =
        keep(one.stream(FOLLOWS, "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"a\"}").open());

    assertThat(client.await("redirect").get("url").asText()).isEqualTo(place());
    assertThat(client.awaitClose()).isEqualTo(4101);
  }

  @Test
  void shouldAdmitAClientThatDoesNotFollowRedirects() {
    one.clients().balance(this::place, LONG);
    enter(one, "{\"type\":\"connect\"}").await("hello");
    enter(one, "{\"type\":\"ping\"}").await("hello");
    enter(one, CAME).await("hello");

    assertThat(one.clients().movable()).as("the one that came by a redirect").isEqualTo(1);
  }

  @Test
  void shouldRedirectSomeClientsAndServeThemUntilTheyMove() throws Exception {
    one.clients().balance(() -> null, Duration.ZERO);
    other.clients().balance(() -> null, LONG);
    List<RawWebSocket> here = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      RawWebSocket client = enter(one, FOLLOWS);
      client.await("hello");
      here.add(client);
    }
    int chosen =
        one.clients()
            .rebalance(4, 10, this::betterPlace)
            .toCompletableFuture()
            .get(1, TimeUnit.MINUTES);
    assertThat(chosen).isEqualTo(4);
    await("the clients are notified").until(() -> one.clients().moving() == 4);

    List<RawWebSocket> notified = here.stream().filter(RedirectIT::wasNotified).toList();
    assertThat(notified).as("notified clients").hasSize(4);
    assertThat(one.metric("sluice_redirects_total{cause=\"rebalance\"}")).isEqualTo(4);
    notified.forEach(client -> client.sendClose(1000, ""));
    await("they have gone").until(() -> one.clients().moving() == 0);
    assertThat(one.clients().movable()).isEqualTo(6);
  }

  private static boolean wasNotified(RawWebSocket client) {
    client.text("{\"type\":\"ping\",\"ref\":7}");
    boolean notified = false;
    String type = client.readJson().get("type").asText();
    while (!type.equals("pong")) {
      notified |= type.equals("redirect");
      type = client.readJson().get("type").asText();
    }
    return notified;
  }

  @Test
  void shouldNotRedirectRecentClients() throws Exception {
    one.clients().balance(() -> null, LONG);
    enter(one, FOLLOWS).await("hello");
    enter(one, CAME).await("hello");

    assertThat(
            one.clients()
                .rebalance(2, 10, this::betterPlace)
                .toCompletableFuture()
                .get(1, TimeUnit.MINUTES))
        .isZero();
    assertThat(one.clients().movable()).isEqualTo(2);
  }
}
