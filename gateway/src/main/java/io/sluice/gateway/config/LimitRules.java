package io.sluice.gateway.config;

/** What must hold between time limits, and between sizes. Used once, by one thread. */
final class LimitRules {
  private final Findings findings;
  private final Config config;

  LimitRules(Findings findings) {
    this.findings = findings;
    this.config = findings.config();
  }

  void check() {
    checkTimes();
    checkSizes();
  }

  private void checkTimes() {
    findings.ordered(BrokerSettings.RECONNECT_MIN, "more than", BrokerSettings.RECONNECT_MAX, 0);
    findings.ordered(TimeoutSettings.PING, "not less than", TimeoutSettings.IDLE, -1);
  }

  private void checkSizes() {
    findings.ordered(LimitSettings.FRAME_BYTES, "more than", LimitSettings.MESSAGE_BYTES, 0);
    findings.ordered(
        LimitSettings.STREAM_BODY_BYTES, "more than", LimitSettings.STREAM_BODIES_BYTES, 0);
    checkFrameRate();
    checkPublishBytes(LimitSettings.PRINCIPAL_PUBLISH_BYTES);
    checkPublishBytes(LimitSettings.ADDRESS_PUBLISH_BYTES);
    checkPublishBytes(LimitSettings.NODE_PUBLISH_BYTES);
  }

  /** A second's worth must hold the largest message. */
  private void checkPublishBytes(Setting<Long> share) {
    if (config.get(share) > 0) {
      findings.ordered(LimitSettings.MESSAGE_BYTES, "more than", share, 0);
    }
  }

  /** A client that comes back subscribes to all that it had at once. */
  private void checkFrameRate() {
    long atOnce = 10L * config.get(LimitSettings.FRAME_RATE);
    int subscriptions = config.get(LimitSettings.SUBSCRIPTIONS);
    if (atOnce > 0 && atOnce < subscriptions) {
      findings.report(
          "lets "
              + atOnce
              + " frames come at once, fewer than limits.subscriptions, "
              + subscriptions,
          "a tenth of limits.subscriptions or more, or 0",
          LimitSettings.FRAME_RATE,
          LimitSettings.SUBSCRIPTIONS);
    }
  }
}
