package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.DiscardRisk;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class DiscardChecksTest {
  private static final DiscardRisk RISK = new DiscardRisk("few", "ring-size", "5", "missing");

  private final AtomicInteger examinations = new AtomicInteger();

  private static Connection connection() {
    return (Connection)
        Proxy.newProxyInstance(
            DiscardChecksTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) ->
                method.getName().equals("equals") ? proxy == arguments[0] : null);
  }

  @Test
  void shouldKeepTheResultOfTheLatestExamination() {
    DiscardChecks checks =
        new DiscardChecks(
            (connection, topics, durable) ->
                examinations.incrementAndGet() == 1 ? List.of(RISK) : List.of());
    Connection connection = connection();

    checks.start(connection, List.of("few"), List.of());
    await().until(() -> checks.latest().equals(List.of(RISK)));
    await()
        .untilAsserted(
            () -> {
              checks.start(connection, List.of("few"), List.of());
              assertThat(checks.latest()).isEmpty();
            });
  }

  @Test
  void shouldRunOneExaminationAtATime() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    DiscardChecks checks =
        new DiscardChecks(
            (connection, topics, durable) -> {
              examinations.incrementAndGet();
              released.await();
              return List.of(RISK);
            });

    checks.start(connection(), List.of(), List.of());
    checks.start(connection(), List.of(), List.of());
    released.countDown();

    await().until(() -> !checks.latest().isEmpty());
    assertThat(examinations).hasValue(1);
  }

  @Test
  void shouldAskNoConnectionAgainWhoseBrokerRefuses() {
    DiscardChecks checks =
        new DiscardChecks(
            (connection, topics, durable) -> {
              if (examinations.incrementAndGet() == 1) {
                throw new JMSException("no permission to manage");
              }
              return List.of(RISK);
            });
    Connection refusing = connection();

    checks.start(refusing, List.of(), List.of());
    await().until(() -> !checks.latest().isEmpty());
    assertThat(checks.latest().get(0).value()).isEqualTo("unknown");
    assertThat(checks.latest().get(0).effect()).contains("no permission to manage");
    checks.start(refusing, List.of(), List.of());
    assertThat(examinations).hasValue(1);
    await()
        .untilAsserted(
            () -> {
              checks.start(connection(), List.of(), List.of());
              assertThat(checks.latest()).containsExactly(RISK);
            });
  }
}
