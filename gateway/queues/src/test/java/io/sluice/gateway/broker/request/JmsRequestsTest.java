package io.sluice.gateway.broker.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.ReplyListener;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.jms.BrokerAccess;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.queue.Reply;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Test of the timeouts of requests, with stepped threads and a stepped clock. */
final class JmsRequestsTest {
  private static final long MS = 1_000_000;
  private static final long HOUR_MS = 3_600_000;

  private final Exposition exposition = new Exposition("requests-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final List<ErrorCode> results = new ArrayList<>();
  private final Queue<Runnable> checks = new ArrayDeque<>();
  private long nowNs;

  /** Requests whose reply queue is never opened. */
  private final JmsRequests requests =
      new JmsRequests(
          new RequestLimits(10, 1_000, HOUR_MS),
          new BrokerAccess(
              null,
              null,
              null,
              null,
              null,
              null,
              null,
              null,
              () -> new Backoff(1, 1, new SplittableRandom(1)),
              metrics,
              new Stepped()));

  private final class Stepped implements BrokerThreads {
    @Override
    public long nowNs() {
      return nowNs;
    }

    @Override
    public long wallMs() {
      return nowNs / MS;
    }

    @Override
    public ExecutorService pool(int size, String name) {
      return timer(name);
    }

    @Override
    public ScheduledExecutorService timer(String name) {
      Class<?>[] types = {ScheduledExecutorService.class};
      return (ScheduledExecutorService)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              types,
              (proxy, method, arguments) -> {
                switch (method.getName()) {
                  case "execute" -> ((Runnable) arguments[0]).run();
                  case "schedule" -> checks.add((Runnable) arguments[0]);
                  default -> throw new UnsupportedOperationException(method.getName());
                }
                return null;
              });
    }

    @Override
    public void start(Runnable task, String name) {
      // the broker never answers
    }
  }

  private final class Listener implements ReplyListener {
    @Override
    public void onPublished() {
      throw new AssertionError("published");
    }

    @Override
    public void onReply(Reply reply) {
      throw new AssertionError("replied");
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      results.add(code);
    }

    @Override
    public Requester requester() {
      return Requester.NODE;
    }
  }

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private void request(long timeoutMs) {
    Publication publication = new Publication("quotes", PayloadKind.TEXT, new byte[] {1}, Map.of());
    requests.onBrokerConnected();
    requests.request(publication, timeoutMs, new Listener());
  }

  /** Runs the next check after a time. */
  private void checkAfter(long ms) {
    nowNs += ms * MS;
    checks.remove().run();
  }

  @Test
  void shouldKeepTimeoutWhileChecksAreLate() {
    request(900);
    for (int i = 0; i < 9; i++) {
      assertThat(results).isEmpty();
      checkAfter(100);
    }
    assertThat(results).containsExactly(ErrorCode.TIMEOUT);
    assertThat(checks).as("checks without requests").isEmpty();
  }

  @Test
  void shouldEndRequestThoughEachCheckFollowsPause() {
    request(350);
    for (int i = 0; i < 4; i++) {
      checkAfter(5_000);
    }
    assertThat(results).containsExactly(ErrorCode.TIMEOUT);
  }

  @Test
  void shouldDeferTimeoutsAfterPause() {
    request(50);
    checkAfter(5_000);
    assertThat(results).as("before the replies of the pause are read").isEmpty();
    checkAfter(20);
    assertThat(results).containsExactly(ErrorCode.TIMEOUT);
  }

  @Test
  void shouldNotCountTimeWithoutRequests() {
    request(50);
    checkAfter(60);
    nowNs += HOUR_MS * MS;
    request(50);
    checkAfter(20);
    assertThat(results).as("end of the first request").hasSize(1);
    checkAfter(30);
    assertThat(results).containsExactly(ErrorCode.TIMEOUT, ErrorCode.TIMEOUT);
  }
}
