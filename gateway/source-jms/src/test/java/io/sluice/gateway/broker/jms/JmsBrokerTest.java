package io.sluice.gateway.broker.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.Wildcards;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.testkit.LoggedEvents;
import jakarta.jms.JMSException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Log lines about a broker that is not reachable. */
final class JmsBrokerTest {
  @ParameterizedTest
  @CsvSource({
    "artemis, tcp://user:secret@broker:61616, '', 'url=\"tcp://***@broker:61616\"'",
    "factory, , com.example.Factory, 'connection-factory=\"com.example.Factory\"'",
    "jndi, , jms/Factory, 'connection-factory=\"jms/Factory\"'",
    "jndi, , '', 'connection-factory=\"ConnectionFactory\"'",
  })
  void shouldLogTheAddressOfAnUnreachableBroker(
      String provider, String url, String factory, String pair) throws Exception {
    Config config =
        Config.defaults()
            .with(BrokerSettings.PROVIDER, provider)
            .with(BrokerSettings.CONNECTION_FACTORY, factory);
    if (url != null) {
      config = config.with(BrokerSettings.URL, url);
    }
    assertThat(pairs(config, false)).contains(pair).noneMatch(each -> each.startsWith("message"));
  }

  @Test
  void shouldLogTheMessageOfAnUnknownClient() throws Exception {
    assertThat(pairs(Config.defaults(), true))
        .contains(
            "cause=\"java.net.ConnectException: refused\"", "message=\"no route to mq:1414\"");
  }

  private static List<String> pairs(Config config, boolean isUnknown) throws Exception {
    ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
    try (Exposition exposition = new Exposition("jms-broker-test");
        GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
        LoggedEvents logged = LoggedEvents.of(JmsBroker.class)) {
      JmsBroker broker =
          new JmsBroker(
              JmsOptions.of(config),
              QueueSupport.ABSENT,
              control,
              listener(),
              metrics,
              new BrittleProvider(failing(isUnknown)));
      broker.start();
      await().until(() -> logged.names().contains("broker.unreachable"));
      control.submit(broker::stop).get(120, TimeUnit.SECONDS);

      return logged.pairs("broker.unreachable");
    } finally {
      control.shutdown();
    }
  }

  private static Provider failing(boolean isUnknown) {
    return proxy(
        Provider.class,
        isUnknown,
        () -> {
          JMSException failure = new JMSException("no route to mq:1414");
          failure.initCause(new ConnectException("refused"));
          throw failure;
        });
  }

  private static BrokerListener listener() {
    return proxy(BrokerListener.class, false, () -> {});
  }

  private static <T> T proxy(Class<T> type, boolean isUnknown, BrittleProvider.Fault call) {
    Object proxy =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getName().equals("isUnknown")) {
                return isUnknown;
              }
              if (method.getReturnType() == Wildcards.class) {
                return new Wildcards("*", "#", "."); // known without a connection
              }
              call.strike();
              return null;
            });
    return type.cast(proxy);
  }
}
