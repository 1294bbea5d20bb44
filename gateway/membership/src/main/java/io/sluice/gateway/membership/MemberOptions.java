package io.sluice.gateway.membership;

import io.sluice.cluster.peer.PeerIdentity;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.InterestKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;

/**
 * Options of a node's membership. Immutable, for any thread.
 *
 * @param redirects whether clients that connect may be redirected
 * @param rest shortest time between two redirects of one client
 * @param tolerance share of connections above the mean at which a node begins to rebalance
 * @param rebalancedPerMinute connected clients that all nodes redirect a minute
 * @param brokerLossAfter outage of the broker after which clients are redirected; 0: never
 * @param report interval between two measurements of the load
 * @param keepWarm whether topics of other nodes are kept open
 * @param warmTopics largest number of them
 * @param warmLinger time for which they stay open after their last use
 * @param served whether clients of this node may subscribe to an interest of this {@linkplain
 *     InterestKey#name name}
 * @param settle minimum age of logs that accept positions of other nodes
 * @param drain timeout of a drain
 * @param drainPerSecond clients that leave a second; 0: evenly within the timeout
 * @param identityFiles files of this node's identity
 * @param identityReload interval at which changes of these files are checked
 * @param identity reads the identity that the files hold now
 */
record MemberOptions(
    boolean redirects,
    Duration rest,
    double tolerance,
    int rebalancedPerMinute,
    Duration brokerLossAfter,
    Duration report,
    boolean keepWarm,
    int warmTopics,
    Duration warmLinger,
    Predicate<String> served,
    Duration settle,
    Duration drain,
    int drainPerSecond,
    List<String> identityFiles,
    Duration identityReload,
    Callable<PeerIdentity> identity) {

  static MemberOptions of(Config config) {
    return new MemberOptions(
        config.get(ClusterSettings.BALANCE_REDIRECT),
        config.get(ClusterSettings.BALANCE_COOLDOWN),
        config.get(ClusterSettings.BALANCE_TOLERANCE) / 100.0,
        config.get(ClusterSettings.BALANCE_REBALANCE_RATE),
        config.get(ClusterSettings.BALANCE_BROKER_LOSS_AFTER),
        config.get(ClusterSettings.REPORT),
        config.get(ClusterSettings.KEEP_WARM),
        config.get(ClusterSettings.WARM_TOPICS),
        config.get(ClusterSettings.WARM_LINGER),
        TopicSettings.served(config),
        // A younger log rejects positions of other nodes, and clients would receive gaps.
        config
            .get(HistorySettings.RESUME_MARGIN)
            .multipliedBy(2)
            .plus(config.get(HistorySettings.RESUME_SPREAD))
            .plus(config.get(BrokerSettings.CANARY_INTERVAL)),
        config.get(TimeoutSettings.DRAIN),
        config.get(TimeoutSettings.DRAIN_RATE),
        List.of(
            config.get(ClusterSettings.TLS_CERTIFICATE),
            config.get(ClusterSettings.TLS_KEY),
            config.get(ClusterSettings.TLS_CA)),
        config.get(ServerSettings.TLS_RELOAD),
        () -> MemberConfig.identity(config));
  }
}
