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
    findings.ordered(Settings.BROKER_RECONNECT_MIN, "more than", Settings.BROKER_RECONNECT_MAX, 0);
    findings.ordered(Settings.TIMEOUT_PING, "not less than", Settings.TIMEOUT_IDLE, -1);
  }

  private void checkSizes() {
    findings.ordered(Settings.LIMIT_FRAME_BYTES, "more than", Settings.LIMIT_MESSAGE_BYTES, 0);
    findings.ordered(
        Settings.LIMIT_STREAM_BODY_BYTES, "more than", Settings.LIMIT_STREAM_BODIES_BYTES, 0);
    checkFrameRate();
    checkPublishBytes(Settings.LIMIT_PRINCIPAL_PUBLISH_BYTES);
    checkPublishBytes(Settings.LIMIT_ADDRESS_PUBLISH_BYTES);
    checkPublishBytes(Settings.LIMIT_NODE_PUBLISH_BYTES);
  }

  /** A second's worth must hold the largest message. */
  private void checkPublishBytes(Setting<Long> share) {
    if (config.get(share) > 0) {
      findings.ordered(Settings.LIMIT_MESSAGE_BYTES, "more than", share, 0);
    }
  }

  /** A client that comes back subscribes to all that it had at once. */
  private void checkFrameRate() {
    long atOnce = 10L * config.get(Settings.LIMIT_FRAME_RATE);
    int subscriptions = config.get(Settings.LIMIT_SUBSCRIPTIONS);
    if (atOnce > 0 && atOnce < subscriptions) {
      findings.report(
          "lets "
              + atOnce
              + " frames come at once, fewer than limits.subscriptions, "
              + subscriptions,
          "a tenth of limits.subscriptions or more, or 0",
          Settings.LIMIT_FRAME_RATE,
          Settings.LIMIT_SUBSCRIPTIONS);
    }
  }
}
