package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.client.ScriptedNode.Session;
import io.sluice.client.internal.Frame;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Make-before-break moves between scripted nodes. */
@Timeout(180)
final class MoveTest extends MoveCase {
  MoveTest() throws Exception {}

  @Test
  void shouldContinueOnTheOldConnectionUntilTheOtherNodeHasAnswered() throws Exception {
    Subscription subscription = subscribe();
    Session first = live();
    first.message(5);
    drain(first);
    Session second = other.accept();
    assertThat(second.receive("connect").flag("redirected")).isTrue();
    second.send(ScriptedNode.HELLO.formatted(""));
    Frame subscribe = second.receive("subscribe");
    assertThat(subscribe.map("from")).containsEntry("offset", 5L);
    first.message(6);
    assertThat(List.of(next(), next())).containsExactly("5", "6");
    second.send(
        "{\"type\":\"subscribed\",\"ref\":%d,\"topic\":\"a\",\"epoch\":\"f\",\"offset\":9,\"replay\":2,\"recovered\":true}"
            .formatted(subscribe.ref()));
    second.message(8, 6);
    second.message(9, 7);
    assertThat(first.receive("closed").number("code")).isEqualTo(1000);
    assertThat(next()).as("without the repeated message and a state").isEqualTo("7");
    assertThat(subscription.state()).isEqualTo(SubscriptionState.LIVE);
    assertThat(subscription.position().epoch()).isEqualTo("f");
    await().until(() -> client.state() == ConnectionState.OPEN);
  }

  @Test
  void shouldRepeatTheSubscriptionAfterAGap() throws Exception {
    subscribe();
    Session first = live();
    redirect(first);
    Session second = other.welcome();
    long early = second.receive("subscribe").ref();
    first.send(
        "{\"type\":\"gap\",\"topic\":\"a\",\"reason\":\"overload\",\"offset\":9,\"time\":8}");
    assertThat(next()).isEqualTo("gap overload");
    second.receive("unsubscribe");
    Frame again = second.receive("subscribe");
    assertThat(again.map("from")).containsEntry("offset", 9L);
    // The answer and the message of the withdrawn request are dropped.
    second.send(
        "{\"type\":\"subscribed\",\"ref\":%d,\"topic\":\"a\",\"epoch\":\"f\",\"offset\":1,\"replay\":1,\"recovered\":true}"
            .formatted(early));
    second.message(1, 1);
    second.send(
        "{\"type\":\"subscribed\",\"ref\":%d,\"topic\":\"a\",\"epoch\":\"f\",\"offset\":2,\"recovered\":true}"
            .formatted(again.ref()));
    second.message(3, 10);
    assertThat(first.receive("closed").number("code")).isEqualTo(1000);
    assertThat(next()).isEqualTo("10");
  }

  @Test
  void shouldStayIfARedirectLeadsToTheSameNode() throws Exception {
    subscribe();
    Session first = live();
    redirect(first);
    Session second = other.welcome();
    second.subscribed(",\"offset\":4,\"recovered\":true");
    assertThat(second.receive("closed").number("code")).isEqualTo(1000);
    first.message(5);
    assertThat(next()).isEqualTo("5");
    await().until(() -> client.state() == ConnectionState.OPEN);
  }

  @Test
  void shouldStayIfARedirectLeadsToANodeThatRefusesTheSubscription() throws Exception {
    subscribe();
    Session first = live();
    redirect(first);
    Session second = other.welcome();
    forbid(second);
    assertThat(second.receive("closed").number("code")).isEqualTo(1000);
    first.message(5);
    assertThat(next()).isEqualTo("5");
  }

  @Test
  void shouldStayStaleIfARedirectFails() throws Exception {
    subscribe();
    Session first = live();
    first.send("{\"type\":\"stale\"}");
    redirect(first);
    Session second = other.welcome();
    forbid(second);
    for (ConnectionState state :
        List.of(
            ConnectionState.OPEN,
            ConnectionState.STALE,
            ConnectionState.DRAINING,
            ConnectionState.STALE)) {
      assertThat(states.poll(TIMEOUT_S, TimeUnit.SECONDS)).isEqualTo(state);
    }
  }

  @Test
  void shouldOnlyTryTheAddressOfARedirectWhileTheNodeDrains() throws Exception {
    subscribe();
    Session first = live();
    drain(first);
    Session second = other.accept();
    second.receive("connect");
    try (ScriptedNode third = new ScriptedNode().expect()) {
      first.send("{\"type\":\"redirect\",\"url\":\"%s\"}".formatted(third.url()));
      first.message(5);
      assertThat(next()).isEqualTo("5");
      second.hello();
      second.receive("subscribe");
      second.close(4100);
      Session last = third.welcome();
      forbid(last);
      // The client has to leave, whatever the other node refuses.
      assertThat(first.receive("closed").number("code")).isEqualTo(1000);
    }
  }

  @Test
  void shouldTryAgainWhileTheNodeDrains() throws Exception {
    subscribe();
    Session first = live();
    node.refuse().expect();
    first.send("{\"type\":\"draining\",\"deadline\":9000000}");
    Session second = node.welcome();
    second.subscribed(",\"offset\":4,\"recovered\":true" + OTHER_EPOCH);
    assertThat(first.receive("closed").number("code")).isEqualTo(1000);
    second.message(5);
    assertThat(next()).isEqualTo("5");
  }

  @Test
  void shouldContinueOnTheOtherNodeIfTheConnectionEndsDuringTheMove() throws Exception {
    subscribe();
    Session first = live();
    drain(first);
    Session second = other.welcome();
    Frame subscribe = second.receive("subscribe");
    first.message(5);
    first.close(4100);
    assertThat(next()).isEqualTo("5");
    second.send(
        "{\"type\":\"subscribed\",\"ref\":%d,\"topic\":\"a\",\"epoch\":\"f\",\"offset\":6,\"replay\":2,\"recovered\":true}"
            .formatted(subscribe.ref()));
    second.message(5, 5);
    second.message(6, 6);
    assertThat(next()).isEqualTo("6");
  }

  @Test
  void shouldLeaveTheNodeAtItsDeadline() throws Exception {
    subscribe();
    Session first = live();
    node.expect().expect().expect();
    first.send("{\"type\":\"draining\",\"deadline\":1001,\"url\":\"ws://127.0.0.1:1/ws\"}");
    assertThat(first.receive("closed").number("code")).isEqualTo(1000);
    assertThat(nextSubscribe().map("from")).containsEntry("offset", 4L);
  }

  // Attempts to move may reach the node before the deadline, which closes them at any point.
  private Frame nextSubscribe() throws InterruptedException {
    while (true) {
      Session session = node.accept();
      if (session.next().type().equals("connect")) {
        session.hello();
        Frame next = session.next();
        if (next.type().equals("subscribe")) {
          return next;
        }
      }
    }
  }

  @Test
  void shouldFollowOneRedirectOfTheOtherNode() throws Exception {
    subscribe();
    Session first = live();
    try (ScriptedNode third = new ScriptedNode().expect()) {
      first.send("{\"type\":\"draining\",\"deadline\":9000000}");
      node.expect();
      Session second = node.accept();
      second.receive("connect");
      second.send("{\"type\":\"redirect\",\"url\":\"%s\"}".formatted(third.url()));
      Session last = third.accept();
      assertThat(last.receive("connect").flag("redirected")).isTrue();
      last.send(ScriptedNode.HELLO.formatted(""));
      assertThat(last.receive("subscribe").map("from"))
          .isEqualTo(Map.of("epoch", "e", "offset", 4L, "since", 7L));
    }
  }
}
