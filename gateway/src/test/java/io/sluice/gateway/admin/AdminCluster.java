package io.sluice.gateway.admin;

import io.sluice.gateway.admin.AdminTokens.Unusable;
import io.sluice.gateway.admin.query.QueryOptions;
import io.sluice.gateway.auth.TestAccess;
import io.sluice.gateway.auth.UnusableAuth;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.hub.ScriptedQueues;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.query.NodeStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;

/** Real admin ports of nodes of one cluster without clients; the first node is overloaded. */
public final class AdminCluster implements AutoCloseable {
  private final List<Member> members = new ArrayList<>();
  private final Map<String, String> adminUrls = new HashMap<>();
  private final Set<String> commands = new ConcurrentSkipListSet<>();

  /** Starts one admin port per name. */
  public AdminCluster(Config config, String... names) throws Exception {
    for (String name : names) {
      Member member = new Member(config, name);
      members.add(member);
      member.server.start().toCompletionStage().toCompletableFuture().get(120, TimeUnit.SECONDS);
      adminUrls.put(name, url(name));
    }
  }

  /** Returns the URL of a node's admin port. */
  public String url(String name) {
    return members.stream()
        .filter(member -> member.name.equals(name))
        .map(member -> "http://127.0.0.1:" + member.server.port())
        .findFirst()
        .orElseThrow();
  }

  /** Changes the URL of a node's admin port that all nodes report. */
  public void tell(String name, String adminUrl) {
    adminUrls.put(name, adminUrl);
  }

  /** Returns the commands that nodes have received, such as {@code gw-1 drain}. */
  public Set<String> commands() {
    return commands;
  }

  @Override
  public void close() {
    for (Member member : members) {
      member.server.close().toCompletionStage().toCompletableFuture().join();
      member.exposition.close();
    }
  }

  private final class Member implements ClusterView {
    private final String name;
    private final Exposition exposition;
    private final AdminServer server;

    private Member(Config config, String name) throws Unusable, UnusableAuth {
      this.name = name;
      this.exposition = new Exposition(name);
      this.server =
          new AdminServer(
              AdminOptions.of(config),
              AdminTokens.read(AdminOptions.of(config)),
              null,
              exposition,
              List::of,
              TestAccess.open(config),
              new NoClients(),
              new ScriptedQueues(),
              this,
              new NoFigures(name),
              QueryOptions.of(config),
              List::of,
              new NoFile());
    }

    @Override
    public String name() {
      return "test";
    }

    @Override
    public NodeStatus self() {
      boolean drains = commands.contains(name + " drain");
      return new NodeStatus(
          name,
          "wss://" + name + ".example.com/ws",
          adminUrls.get(name),
          "0.1.0",
          drains ? "draining" : NodeStatus.UP,
          1_700_000_000_000L,
          new NodeStatus.Load(1_234, 1_200, 56_789, 0.5, 1.25));
    }

    @Override
    public List<NodeStatus> nodes() {
      return members.stream().map(Member::self).toList();
    }

    @Override
    public boolean drain() {
      return commands.add(name + " drain");
    }

    @Override
    public boolean undrain() {
      return commands.remove(name + " drain");
    }

    @Override
    public CompletionStage<Integer> rebalance() {
      commands.add(name + " rebalance");
      return CompletableFuture.completedStage(members.get(0) == this ? 12 : 0);
    }
  }
}
