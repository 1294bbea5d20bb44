package io.sluice.gateway.hub;

import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.protocol.Message;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;

/** Rate-limited log of messages without an identity: one event per topic. Any thread. */
final class UnidentifiedLog {
  private static final long INTERVAL_MS = 1_000;
  private static final int MAX_TOPICS = 1_024;

  private final Logger log;
  private final HubClock clock;
  private final Set<String> topics = new HashSet<>();
  private long nextMs;

  UnidentifiedLog(Logger log, HubClock clock) {
    this.log = log;
    this.clock = clock;
    this.nextMs = clock.monoMs();
  }

  /** Logs a message unless one of its topic was logged, or any in the last second. */
  synchronized void add(Message message) {
    long nowMs = clock.monoMs();
    if (nowMs < nextMs || topics.size() == MAX_TOPICS || !topics.add(message.topic())) {
      return;
    }
    nextMs = nowMs + INTERVAL_MS;
    log.atWarn()
        .addKeyValue("topic", message.topic())
        .addKeyValue("cause", message.isIdentified() ? "repeated id" : "no id")
        .addKeyValue("until-then", "no position of another node is recovered")
        .addKeyValue("heals", "when the history of the topic no longer contains the message")
        .log("message.unidentified");
  }
}
