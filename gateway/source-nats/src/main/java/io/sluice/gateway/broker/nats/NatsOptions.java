package io.sluice.gateway.broker.nats;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.SourceOptions;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.NatsSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.TopicRules;
import java.util.List;

/**
 * Options of the node's connection to NATS. Immutable, for any thread.
 *
 * @param servers URLs of the servers
 * @param topics patterns of the subjects that clients may use
 * @param credentials identity of the node at the server
 * @param trust file with authorities; empty for those of the JDK
 * @param rules rules for names of topics
 * @param forwardedHeaders headers that are forwarded with a message
 * @param messageBytes maximum payload of a message in bytes
 * @param pingMs interval of pings, after two of which without an answer the server is lost
 * @param reconnectMaxMs upper bound of all delays before a reconnect
 * @param searchMs interval of searches for streams that store core subjects in use
 * @param maxLagMs time for which messages may wait for an overloaded node
 * @param publish limits of publishing
 */
public record NatsOptions(
    List<String> servers,
    List<String> topics,
    Credentials credentials,
    String trust,
    TopicRules rules,
    List<String> forwardedHeaders,
    long messageBytes,
    long pingMs,
    long reconnectMaxMs,
    long searchMs,
    long maxLagMs,
    PublishLimits publish) {
  /** Pings within {@code broker.canary.timeout}. */
  private static final int PINGS_PER_TIMEOUT = 3;

  /**
   * Identity of the node at the server; each text may be empty. Never printed.
   *
   * @param file file with a JWT and an NKey seed
   */
  record Credentials(String user, String password, String token, String file) {
    /** Returns which keys a server refuses that refuses this identity. */
    String refusal() {
      if (!file.isEmpty()) {
        return "refuses the user of nats.credentials-file";
      }
      if (!token.isEmpty()) {
        return "refuses nats.token";
      }
      return user.isEmpty()
          ? "requires nats.user, nats.token or nats.credentials-file"
          : "refuses nats.user or nats.password";
    }

    @Override
    public String toString() {
      return "Credentials[]";
    }
  }

  /**
   * Limits of publishing.
   *
   * @param waiting maximum number of unconfirmed publishes
   * @param waitingBytes maximum bytes of these
   * @param timeoutMs time limit of a confirmation
   */
  record PublishLimits(int waiting, long waitingBytes, long timeoutMs) {}

  /** Reads the options from the configuration. */
  public static NatsOptions of(Config config) {
    return new NatsOptions(
        config.get(NatsSettings.SERVERS),
        config.get(NatsSettings.TOPICS),
        new Credentials(
            config.get(NatsSettings.USER),
            config.get(NatsSettings.PASSWORD),
            config.get(NatsSettings.TOKEN),
            config.get(NatsSettings.CREDENTIALS_FILE)),
        config.get(NatsSettings.TRUST),
        TopicSettings.topicRules(config),
        SourceOptions.forwardedProperties(config),
        config.get(LimitSettings.BROKER_MESSAGE_BYTES),
        config.get(BrokerSettings.CANARY_TIMEOUT).toMillis() / PINGS_PER_TIMEOUT,
        config.get(BrokerSettings.RECONNECT_MAX).toMillis(),
        config.get(NatsSettings.SEARCH_INTERVAL).toMillis(),
        config.get(HistorySettings.AGE).toMillis(),
        new PublishLimits(
            config.get(BrokerSettings.PUBLISH_QUEUE),
            config.get(BrokerSettings.PUBLISH_QUEUE_BYTES),
            config.get(BrokerSettings.PUBLISH_TIMEOUT).toMillis()));
  }

  /** Creates the backoff of reconnects. */
  Backoff newBackoff() {
    return SourceOptions.backoff(reconnectMaxMs);
  }
}
