package io.sluice.gateway.broker.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.broker.provider.SubscriptionRefusal;
import io.sluice.gateway.protocol.ErrorCode;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SubscriptionRequestsTest {
  private static final long TIMEOUT_MS = 1_000;
  private static final TopicSubscription DESK = new TopicSubscription("ann", "a", "desk", true);

  private final ScriptedOwner owner = new ScriptedOwner();
  private final ScriptedLink link = new ScriptedLink();
  private final List<LinkUser> started = new ArrayList<>();
  private final List<String> results = new ArrayList<>();
  private final SubscriptionRequests requests =
      new SubscriptionRequests(owner, started::add, TIMEOUT_MS);

  private final class Result<T> implements ResultListener<T> {
    @Override
    public void onResult(T result) {
      results.add(String.valueOf(result));
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      results.add(code.code() + ": " + why);
    }
  }

  private LinkUser last() {
    return started.get(started.size() - 1);
  }

  @Test
  void shouldReturnTheBrokersAnswer() {
    requests.list("ann", "ann", 10, new Result<List<DurableState>>());
    last().onConnected(link);
    assertThat(link.run()).containsExactly("list ann");
    requests.delete("ann", DESK, new Result<Void>());
    last().onConnected(link);
    assertThat(link.run()).containsExactly("delete desk");

    assertThat(results).containsExactly("[]", "null");
    assertThat(owner.ended).isEqualTo(started);
  }

  @Test
  void shouldExplainFailures() {
    fail(new SubscriptionRefusal(ErrorCode.SUBSCRIPTION_IN_USE, "the subscription has consumers"));
    fail(new JMSSecurityException("no right"));
    fail(new JMSException("closed"));

    assertThat(results)
        .containsExactly(
            "subscription-in-use: the subscription has consumers",
            "forbidden: the broker denies access to this subscription",
            "broker-unavailable: the broker cannot serve the request at the moment");
  }

  private void fail(JMSException failure) {
    requests.delete("ann", DESK, new Result<Void>());
    link.fail(failure);
    last().onConnected(link);
    link.run();
  }

  @Test
  void shouldEndARequestOnceWhenTheConnectionIsLost() {
    requests.delete("ann", DESK, new Result<Void>());
    last().onConnected(link);
    last().onLost("the broker is not connected");
    last().close();

    assertThat(link.run()).isEmpty();
    assertThat(results).containsExactly("broker-unavailable: the broker is not connected");
    assertThat(owner.ended).hasSize(1);
  }

  @Test
  void shouldEndARequestAfterItsTimeLimit() {
    requests.delete("ann", DESK, new Result<Void>());
    last().check(TIMEOUT_MS * 1_000_000 - 1);
    assertThat(results).isEmpty();

    last().check(TIMEOUT_MS * 1_000_000);

    assertThat(results).containsExactly("broker-unavailable: the broker did not respond in time");
  }

  @Test
  void shouldLimitTheNumberOfRequests() {
    for (int i = 0; i < SubscriptionRequests.MAX / 2; i++) {
      requests.delete("ann", DESK, new Result<Void>());
    }
    assertThat(results).isEmpty();

    requests.delete("ann", DESK, new Result<Void>());
    assertThat(results)
        .containsExactly(
            "rate-limited: too many requests for subscriptions at the moment: at most 512 per node,"
                + " and per user as many as are left for others");
    requests.delete("bob", DESK, new Result<Void>());
    assertThat(results).as("another user's request").hasSize(1);

    requests.onEnded("ann");
    requests.onEnded("bob");
    requests.delete("ann", DESK, new Result<Void>());
    assertThat(results).hasSize(1);
  }

  @Test
  void shouldCheckForUnusedSubscriptionsOnceAClientUsesOne() {
    requests.onUsed(new TopicSubscription("ann", "a", "workers", false));
    requests.expire();
    assertThat(started).isEmpty();

    requests.onUsed(DESK);
    requests.expire();
    last().onConnected(link);
    assertThat(link.run()).containsExactly("expire");
  }

  @Test
  void shouldSurviveACheckThatCannotStart() {
    SubscriptionRequests failing =
        new SubscriptionRequests(
            owner,
            user -> {
              throw new OutOfMemoryError("no thread can be started");
            },
            TIMEOUT_MS);
    failing.onUsed(DESK);

    assertThatCode(failing::expire).doesNotThrowAnyException();
  }
}
