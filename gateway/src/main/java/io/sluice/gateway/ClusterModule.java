package io.sluice.gateway;

import io.sluice.cluster.Exchange;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.drain.ClusterMember;
import io.sluice.gateway.http.ClientPorts;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.membership.Member;
import io.sluice.gateway.membership.MemberConfig;
import io.sluice.gateway.membership.UnusableCluster;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.node.StartFailure;
import java.util.List;

/** Membership by the modules of the cluster, which may be missing. Stateless, for any thread. */
final class ClusterModule {
  private ClusterModule() {}

  static ClusterMember create(
      Config config,
      String name,
      String version,
      Hub hub,
      ClientPorts clients,
      List<Exchange> exchanges,
      GatewayMetrics metrics)
      throws StartFailure {
    try {
      return new Member(MemberConfig.read(config, name, version), hub, clients, exchanges, metrics);
    } catch (UnusableCluster e) {
      throw new StartFailure(e.getMessage(), e);
    }
  }
}
