package io.sluice.cluster;

import java.net.InetSocketAddress;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TCPPING;
import org.jgroups.util.Responses;

/**
 * TCPPING that looks the {@link Seeds} up whenever members are searched. Bound to JGroups' threads.
 *
 * <p>TCPPING itself looks names up until each has resolved once, and JGroups' DNS_PING asks the
 * name server alone: it knows neither the hosts file nor the search domains that make the short
 * name of a service work.
 */
final class SeedDiscovery extends TCPPING {
  private final Seeds seeds;
  private final Incidents incidents;

  SeedDiscovery(Seeds seeds, Incidents incidents) {
    this.seeds = seeds;
    this.incidents = incidents;
    setId(ClassConfigurator.getProtocolId(TCPPING.class));
    initial_hosts_set_programmatically = true;
    port_range = 0;
    max_dynamic_hosts = ClusterConfig.MOST_NODES;
    async_discovery = true;
    async_discovery_use_separate_thread_per_request = true;
  }

  @Override
  public void findMembers(List<Address> members, boolean initialDiscovery, Responses responses) {
    List<InetSocketAddress> found = seeds.lookUp(incidents::onUnknownName);
    if (seeds instanceof Seeds.Dns && !found.isEmpty()) {
      clearDynamicHostList(); // of nodes that have gone for good it would try each for ever
    }
    setInitialHosts(found.subList(0, Math.min(found.size(), ClusterConfig.MOST_NODES)));
    super.findMembers(members, initialDiscovery, responses);
  }
}
