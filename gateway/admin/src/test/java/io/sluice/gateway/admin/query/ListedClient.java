package io.sluice.gateway.admin.query;

import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.query.SubscriptionFigures;
import io.sluice.gateway.query.TracedFrame;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** View of a client of a test with a number, of which the other figures are multiples. */
record ListedClient(long number, String subject) implements ClientView {
  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public String session() {
    return "gw-1-%d".formatted(number);
  }

  @Override
  public String mechanism() {
    return "jwt";
  }

  @Override
  public String token() {
    return "";
  }

  @Override
  public String address() {
    return "192.0.2.1";
  }

  @Override
  public long sinceMs() {
    return number;
  }

  @Override
  public long expiresMs() {
    return Long.MAX_VALUE;
  }

  @Override
  public int subscriptionCount() {
    return (int) number % 7;
  }

  @Override
  public int consumerCount() {
    return 0;
  }

  @Override
  public long pendingBytes() {
    return 2 * number;
  }

  @Override
  public int rttMs() {
    return number % 2 == 0 ? NO_RTT : (int) number;
  }

  @Override
  public long unansweredPingMs() {
    return NO_PING;
  }

  @Override
  public int gaps() {
    return 0;
  }

  @Override
  public List<SubscriptionFigures> subscriptions(Predicate<InterestKey> matches) {
    return List.of();
  }

  @Override
  public Map<String, List<String>> permissions() {
    return Map.of();
  }

  @Override
  public void disconnect(String by) {}

  @Override
  public boolean redirect(String url) {
    return false;
  }

  @Override
  public void trace(int seconds) {}

  @Override
  public List<TracedFrame> frames() {
    return null;
  }

  @Override
  public String subscribeProblem(String topic) {
    return null;
  }

  @Override
  public String limitProblem(String topic) {
    return null;
  }
}
