package io.sluice.gateway.link;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.SourceOptions;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfiguredSource;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.LinkGrants;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.TopicRules;
import io.sluice.gateway.tls.KeyPairOptions;
import java.util.List;
import java.util.function.Predicate;

/**
 * Options of the node's links to other nodes. Immutable, for any thread.
 *
 * @param host address of the port for links
 * @param port the port; 0 without one
 * @param loops number of event loops of the node
 * @param spread whether all accepted links are those of leaves, which any event loop may serve
 * @param dial URLs of leaves to which this node connects
 * @param group address and port of the group that the leaves of this node join; empty for none
 * @param peers names of the nodes that may have a link with this one
 * @param subscribe what leaves may receive
 * @param publish where leaves may publish
 * @param hasQueues whether the queues of this node are those of its root
 * @param tls files of this node's certificate
 * @param trust file with the authorities of other nodes' certificates
 * @param reloadMs interval of checks for changed files
 * @param rules rules for names of topics
 * @param logs maximum number of logs of a link
 * @param served whether clients of this node may subscribe to an interest of a name
 * @param warmTopics maximum number of topics in use that a leaf opens before it is ready
 * @param warmLingerMs time for which they stay open without a client
 * @param messageBytes maximum payload of a message in bytes
 * @param publishes maximum number of unconfirmed publishes of a link
 * @param publishBytes maximum bytes of a leaf's unconfirmed publishes
 * @param timeoutMs silence after which a link is lost
 * @param reconnectMaxMs upper bound of all delays before a reconnect
 */
public record LinkOptions(
    String host,
    int port,
    int loops,
    boolean spread,
    List<String> dial,
    String group,
    List<String> peers,
    LinkGrants subscribe,
    LinkGrants publish,
    boolean hasQueues,
    KeyPairOptions tls,
    String trust,
    long reloadMs,
    TopicRules rules,
    int logs,
    Predicate<String> served,
    int warmTopics,
    long warmLingerMs,
    long messageBytes,
    int publishes,
    long publishBytes,
    long timeoutMs,
    long reconnectMaxMs) {
  /** Reads the options from the configuration. */
  public static LinkOptions of(Config config) {
    return new LinkOptions(
        config.get(LinkSettings.HOST),
        config.get(LinkSettings.PORT),
        ServerSettings.eventLoops(config),
        !config.get(LinkSettings.ACCEPT) && LinkSettings.group(config).isEmpty(),
        LinkSettings.dialed(config),
        LinkSettings.group(config),
        config.get(LinkSettings.PEERS),
        LinkGrants.of(config, LinkSettings.SUBSCRIBE),
        LinkGrants.of(config, LinkSettings.PUBLISH),
        !ConfiguredSource.hasJmsBroker(config),
        KeyPairOptions.ofLinks(config),
        config.get(LinkSettings.TRUST),
        config.get(ServerSettings.TLS_RELOAD).toMillis(),
        TopicSettings.topicRules(config),
        config.get(LimitSettings.TOPICS),
        TopicSettings.served(config),
        config.get(ClusterSettings.KEEP_WARM) ? config.get(ClusterSettings.WARM_TOPICS) : 0,
        config.get(ClusterSettings.WARM_LINGER).toMillis(),
        config.get(LimitSettings.BROKER_MESSAGE_BYTES),
        config.get(BrokerSettings.PUBLISH_QUEUE),
        config.get(BrokerSettings.PUBLISH_QUEUE_BYTES),
        config.get(BrokerSettings.CANARY_TIMEOUT).toMillis(),
        config.get(BrokerSettings.RECONNECT_MAX).toMillis());
  }

  /** Returns whether leaves may see or report members of any topic. */
  boolean havePresence() {
    return subscribe.havePresence() || publish.havePresence();
  }

  /** Creates the backoff of reconnects. */
  Backoff newBackoff() {
    return SourceOptions.backoff(reconnectMaxMs);
  }
}
