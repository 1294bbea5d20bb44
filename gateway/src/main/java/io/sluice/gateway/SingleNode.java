package io.sluice.gateway;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.drain.ClusterMember;
import io.sluice.gateway.drain.DrainPace;
import io.sluice.gateway.http.ClientPorts;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.query.NodeStatus;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Node without the modules of the cluster. For any thread. */
final class SingleNode implements ClusterMember {
  private final Config config;
  private final String name;
  private final String version;
  private final Hub hub;
  private final ClientPorts clients;

  // Guarded by this.
  private boolean draining;
  private String state = "";
  private long sinceMs;

  SingleNode(Config config, String name, String version, Hub hub, ClientPorts clients) {
    this.config = config;
    this.name = name;
    this.version = version;
    this.hub = hub;
    this.clients = clients;
  }

  @Override
  public void start() {}

  @Override
  public boolean hasBeenReady() {
    return true;
  }

  @Override
  public boolean isServedElsewhere() {
    return false;
  }

  @Override
  public synchronized void onDraining() {
    draining = true;
  }

  @Override
  public synchronized void onUndrained() {
    draining = false;
  }

  @Override
  public DrainPace drainPace() {
    return DrainPace.of(config.get(TimeoutSettings.DRAIN_RATE));
  }

  @Override
  public String redirectForDrain() {
    return null;
  }

  @Override
  public CompletionStage<Integer> rebalance() {
    return CompletableFuture.completedStage(0);
  }

  @Override
  public synchronized NodeStatus self() {
    String now = state();
    if (!now.equals(state)) {
      state = now;
      sinceMs = System.currentTimeMillis();
    }
    NodeStatus.Load load = new NodeStatus.Load(clients.connections(), 0, 0, 0, 0);
    return new NodeStatus(name, "", "", version, state, sinceMs, load);
  }

  private String state() {
    if (draining) {
      return "draining";
    }
    if (hub.isLive()) {
      return NodeStatus.UP;
    }
    return hub.losses() > 0 ? "broker-lost" : "joining";
  }

  @Override
  public List<NodeStatus> nodes() {
    return List.of(self());
  }

  @Override
  public void close() {}
}
