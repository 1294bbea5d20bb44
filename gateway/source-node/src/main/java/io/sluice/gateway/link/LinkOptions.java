package io.sluice.gateway.link;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.TopicRules;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Options of the node's links to other nodes. Immutable, for any thread.
 *
 * @param host address of the port for links
 * @param port the port; 0 without one
 * @param dial URLs of leaves to which this node connects
 * @param roots URLs of roots to which this node connects
 * @param topics patterns of the topics of roots
 * @param peers names of the nodes that may have a link with this one
 * @param subscribe patterns of the topics that leaves may open
 * @param publish patterns of the topics to which leaves may publish
 * @param tls files of the certificates
 * @param rules rules for names of topics
 * @param logs maximum number of logs of a link
 * @param messageBytes maximum payload of a message in bytes
 * @param publishes maximum number of unconfirmed publishes of a link
 * @param timeoutMs silence after which a link is lost
 * @param reconnectMaxMs upper bound of all delays before a reconnect
 */
public record LinkOptions(
    String host,
    int port,
    List<String> dial,
    List<String> roots,
    List<String> topics,
    List<String> peers,
    List<String> subscribe,
    List<String> publish,
    TlsFiles tls,
    TopicRules rules,
    int logs,
    long messageBytes,
    int publishes,
    long timeoutMs,
    long reconnectMaxMs) {
  private static final long RECONNECT_MIN_MS = 200;

  /**
   * Files of the certificates of links; each name may be empty.
   *
   * @param certificate certificate of this node
   * @param key its private key
   * @param trust authorities of the other nodes' certificates
   */
  public record TlsFiles(String certificate, String key, String trust) {}

  /** Reads the options from the configuration. */
  public static LinkOptions of(Config config) {
    return new LinkOptions(
        config.get(LinkSettings.HOST),
        config.get(LinkSettings.PORT),
        config.get(LinkSettings.DIAL),
        config.get(LinkSettings.ROOTS),
        config.get(LinkSettings.TOPICS),
        config.get(LinkSettings.PEERS),
        config.get(LinkSettings.SUBSCRIBE),
        config.get(LinkSettings.PUBLISH),
        new TlsFiles(
            config.get(LinkSettings.CERTIFICATE),
            config.get(LinkSettings.KEY),
            config.get(LinkSettings.TRUST)),
        TopicSettings.topicRules(config),
        config.get(LimitSettings.TOPICS),
        config.get(LimitSettings.BROKER_MESSAGE_BYTES),
        config.get(BrokerSettings.PUBLISH_QUEUE),
        config.get(BrokerSettings.CANARY_TIMEOUT).toMillis(),
        config.get(BrokerSettings.RECONNECT_MAX).toMillis());
  }

  /** Creates the backoff of reconnects. */
  Backoff newBackoff() {
    return new Backoff(RECONNECT_MIN_MS, reconnectMaxMs, RandomGenerator.getDefault());
  }
}
