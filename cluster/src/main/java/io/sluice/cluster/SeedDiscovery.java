package io.sluice.cluster;

import java.net.InetSocketAddress;
import java.util.List;
import org.jgroups.Address;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TCPPING;
import org.jgroups.util.Responses;

/**
 * Discovery protocol that resolves the {@link Seeds} at each search for members. Bound to JGroups'
 * threads.
 *
 * <p>TCPPING itself resolves names only until each was resolved once. JGroups' DNS_PING queries the
 * name server only. It supports neither the hosts file nor search domains, which short names of
 * services require.
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
    max_dynamic_hosts = ClusterConfig.MAX_NODES;
    async_discovery = true;
    async_discovery_use_separate_thread_per_request = true;
  }

  @Override
  public void findMembers(List<Address> members, boolean initialDiscovery, Responses responses) {
    List<InetSocketAddress> found = seeds.lookUp(incidents::onUnknownName);
    if (seeds instanceof Seeds.Dns && !found.isEmpty()) {
      clearDynamicHostList(); // nodes that have gone would otherwise be tried forever
    }
    setInitialHosts(found.subList(0, Math.min(found.size(), ClusterConfig.MAX_NODES)));
    super.findMembers(members, initialDiscovery, responses);
  }
}
