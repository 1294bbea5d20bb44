package io.sluice.cluster;

import io.sluice.cluster.peer.PeerIdentity;
import io.sluice.cluster.peer.PeerTls;
import java.net.BindException;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.MergeView;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.protocols.DISCARD;
import org.jgroups.stack.ProtocolStack;
import org.jgroups.util.DefaultSocketFactory;
import org.jgroups.util.SocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cluster by JGroups. Any thread may call it. Everything that happens, happens on one thread,
 * which alone touches {@link Membership} and {@link TopicsExchange}; JGroups' own threads only hand
 * over, at most {@link #MOST_WAITING} messages at a time.
 *
 * <p>In the steady state it says nothing: only the engine's heartbeats go from node to node. A
 * status goes to all when it has changed materially, and once to each node that comes.
 */
public final class JGroupsCluster implements Cluster {
  private static final Logger log = LoggerFactory.getLogger(JGroupsCluster.class);

  private static final int MOST_WAITING = 1024;
  private static final long RETRY_MS = 5_000;
  private static final long FAREWELL_MS = 5_000;

  private final ClusterConfig config;
  private final Announcer announcer;
  private final Membership membership;
  private final TopicsExchange topics;
  private final ActiveTopics activeTopics;
  private final Optional<PeerTls> tls;
  private final JChannel channel;
  private final ScheduledThreadPoolExecutor thread = newThread();
  private final CompletableFuture<Void> bound = new CompletableFuture<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Incidents incidents = new Incidents();
  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder told = new LongAdder();
  private final LongAdder toldBytes = new LongAdder();
  private final LongAdder views = new LongAdder();
  private volatile Runnable listener = () -> {};
  private boolean connected;
  private boolean tellScheduled;

  private JGroupsCluster(
      ClusterConfig config, Stack.Timing timing, Node self, IntFunction<List<String>> ownTopics)
      throws Exception {
    this.config = config;
    this.announcer = new Announcer(self, config.report().toMillis(), System::nanoTime);
    this.membership = new Membership(self);
    this.topics = new TopicsExchange(membership, ownTopics, config.topics(), this::send);
    this.activeTopics =
        new ActiveTopics(membership, config.topics(), this::send, JGroupsCluster::nowMs);
    this.tls = PeerTls.of(config.identity(), config.name(), incidents);
    SocketFactory sockets = tls.map(PeerTls::sockets).orElseGet(DefaultSocketFactory::new);
    Stack.Bound whenBound = new Stack.Bound(() -> bound.complete(null));
    this.channel = Stack.channel(config.address(), config, timing, sockets, incidents, whenBound);
    channel.name(self.id());
    channel.setReceiver(new FromOthers());
  }

  private static ScheduledThreadPoolExecutor newThread() {
    ScheduledThreadPoolExecutor thread =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread cluster = new Thread(task, "sluice-cluster");
              cluster.setDaemon(true);
              return cluster;
            });
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return thread;
  }

  /**
   * Listens, and looks for others by a thread of its own: it waits for nobody.
   *
   * @param self as it begins, {@link Node#starting}
   * @param ownTopics the node's active topics, as many as its argument allows; called by the
   *     cluster's thread
   * @throws ClusterStartFailure if the port can't be had, or the key or the certificates are of no
   *     use
   */
  public static JGroupsCluster start(
      ClusterConfig config, Node self, IntFunction<List<String>> ownTopics)
      throws ClusterStartFailure {
    return start(config, Stack.Timing.of(config), self, ownTopics);
  }

  static JGroupsCluster start(
      ClusterConfig config, Stack.Timing timing, Node self, IntFunction<List<String>> ownTopics)
      throws ClusterStartFailure {
    List<ClusterProblem> problems = config.problems(self);
    if (!problems.isEmpty()) {
      throw new ClusterStartFailure(problems.toString(), null);
    }
    JGroupsCluster cluster = create(config, timing, self, ownTopics);
    cluster.listen();
    cluster.thread.scheduleWithFixedDelay(
        () -> run(cluster.activeTopics::onTick),
        ActiveTopics.PACE_MS,
        ActiveTopics.PACE_MS,
        TimeUnit.MILLISECONDS);
    return cluster;
  }

  private static JGroupsCluster create(
      ClusterConfig config, Stack.Timing timing, Node self, IntFunction<List<String>> ownTopics)
      throws ClusterStartFailure {
    try {
      return new JGroupsCluster(config, timing, self, ownTopics);
    } catch (GeneralSecurityException e) {
      throw new ClusterStartFailure(
          "the cluster's secret or certificates can't be used: " + e.getMessage(), e);
    } catch (Exception e) {
      throw new ClusterStartFailure("the cluster can't be set up: " + e.getMessage(), e);
    }
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  private void listen() throws ClusterStartFailure {
    Thread connecting = new Thread(this::connect, "sluice-cluster-connect");
    connecting.setDaemon(true);
    connecting.start();
    try {
      bound.get();
    } catch (ExecutionException e) {
      close();
      String place = config.host() + ":" + config.port();
      String what =
          e.getCause() instanceof BindException
              ? "cluster.port: " + place + " is taken, or no address of this machine"
              : "the cluster can't listen on " + place + ": " + e.getCause().getMessage();
      throw new ClusterStartFailure(what, e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
      throw new ClusterStartFailure("interrupted while it started", e);
    }
  }

  /** JGroups itself becomes a cluster of one where nobody answers, and looks for others later. */
  private void connect() {
    while (closing.getCount() > 0) {
      try {
        channel.connect(config.name());
        return;
      } catch (Exception e) {
        if (bound.completeExceptionally(e)) {
          return;
        }
        log.atWarn().addKeyValue("cause", e).log("cluster.unreachable");
      }
      if (isClosedWithin(RETRY_MS)) {
        return;
      }
    }
  }

  private boolean isClosedWithin(long ms) {
    try {
      return closing.await(ms, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  @Override
  public Node self() {
    return announcer.self();
  }

  @Override
  public List<Node> nodes() {
    return membership.nodes();
  }

  @Override
  public void announce(NodeState state) {
    if (announcer.announce(state, System.currentTimeMillis())) {
      execute(this::tellWhenDue);
    }
  }

  @Override
  public void report(Load load) {
    announcer.report(load);
    if (announcer.waitNs() >= 0) {
      execute(this::tellWhenDue);
    }
  }

  @Override
  public void renew(PeerIdentity.Certified identity) throws GeneralSecurityException {
    if (!(config.identity() instanceof PeerIdentity.Certified)) {
      throw new IllegalStateException("nodes of this cluster have no certificates");
    }
    tls.orElseThrow().renew(identity);
  }

  @Override
  public CompletionStage<List<String>> activeTopics(int limit) {
    CompletableFuture<List<String>> answer = new CompletableFuture<>();
    execute(
        () -> {
          long id = topics.ask(limit, answer);
          long timeoutMs = config.topicsTimeout().toMillis();
          schedule(() -> topics.onSlow(id), timeoutMs / 2);
          schedule(() -> topics.onTimeout(id), timeoutMs);
          onTopicsMayBeAsked();
        });
    return answer;
  }

  @Override
  public void shareTopics(List<String> inUse) {
    execute(() -> activeTopics.share(inUse));
  }

  @Override
  public SharedTopics topicsOfOthers() {
    return activeTopics.ofOthers();
  }

  @Override
  public void onChange(Runnable onChange) {
    listener = onChange;
  }

  @Override
  public ClusterCounts counts() {
    return new ClusterCounts(
        told.sum(),
        toldBytes.sum(),
        incidents.malformed(),
        incidents.dropped(),
        incidents.refused(),
        views.sum());
  }

  /** The farewell has a thread of its own, since it may have to wait for a search for others. */
  @Override
  public void close() {
    closing.countDown();
    Thread farewell = new Thread(channel::close, "sluice-cluster-close");
    farewell.setDaemon(true);
    farewell.start();
    try {
      farewell.join(FAREWELL_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.shutdownNow();
  }

  private void execute(Runnable task) {
    try {
      thread.execute(() -> run(task));
    } catch (RejectedExecutionException e) {
      log.atDebug().setCause(e).log("cluster.closed");
    }
  }

  private void schedule(Runnable task, long delayMs) {
    try {
      thread.schedule(() -> run(task), delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.atDebug().setCause(e).log("cluster.closed");
    }
  }

  /** Whatever goes wrong in a listener or a supplier of topics, the next task has its turn. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      log.atError().setCause(e).log("cluster.task-failed");
    }
  }

  private void tellWhenDue() {
    long waitNs = announcer.waitNs();
    if (waitNs == 0) {
      ClusterMessage.Status status = announcer.tell();
      membership.refresh(announcer.told());
      send(null, status);
    } else if (waitNs > 0 && !tellScheduled) {
      tellScheduled = true;
      schedule(this::tellLate, TimeUnit.NANOSECONDS.toMillis(waitNs) + 1);
    }
  }

  private void tellLate() {
    tellScheduled = false;
    tellWhenDue();
  }

  /** To all others if there is no address. */
  private void send(Address to, ClusterMessage telegram) {
    if (!connected) {
      return;
    }
    byte[] bytes = MessageCodec.encode(telegram);
    try {
      channel.send(new BytesMessage(to, bytes));
      told.increment();
      toldBytes.add(bytes.length);
    } catch (Exception e) {
      // It isn't lost: the status goes to all again that are in the next view.
      log.atDebug().setCause(e).log("cluster.unsent");
    }
  }

  /** For tests: what a node of another version or mind may send. */
  void sendRaw(Message message) throws Exception {
    channel.send(message);
  }

  /** For tests: the network in front of this node lets nothing through. */
  void cut(boolean cut) throws Exception {
    ProtocolStack stack = channel.getProtocolStack();
    if (cut) {
      stack.insertProtocol(
          new DISCARD().discardAll(true), ProtocolStack.Position.ABOVE, Stack.Bound.class);
    } else {
      stack.removeProtocol(DISCARD.class);
    }
  }

  private void onTopicsMayBeAsked() {
    if (connected) {
      topics.onChange();
    }
  }

  private void onView(View view) {
    views.increment();
    connected = true;
    List<Address> others =
        view.getMembers().stream().filter(member -> !member.equals(channel.getAddress())).toList();
    List<Address> newcomers = membership.onView(others);
    log.atInfo().addKeyValue("nodes", view.getMembers()).log("cluster.view");
    activeTopics.onView();
    // Others may have dropped this node, and forgotten what it said, without its noticing.
    if (view instanceof MergeView || (!others.isEmpty() && newcomers.size() == others.size())) {
      greet(null);
    } else {
      newcomers.forEach(this::greet);
    }
    onNodes();
  }

  /** To all others if there is no address. */
  private void greet(Address newcomer) {
    send(newcomer, announcer.repeat());
    activeTopics.sendDigest(newcomer);
  }

  private void onNodes() {
    membership.refresh(announcer.told());
    onTopicsMayBeAsked();
    listener.run();
  }

  private void onTelegram(Address from, ClusterMessage telegram) {
    try {
      if (telegram instanceof ClusterMessage.Status status) {
        onStatus(from, status);
      } else if (telegram instanceof ClusterMessage.TopicsRequest request) {
        topics.onRequest(from, request);
      } else if (telegram instanceof ClusterMessage.Topics part) {
        topics.onPart(from, part);
      } else if (telegram instanceof ClusterMessage.TopicsChange change) {
        activeTopics.onChange(from, change);
      } else if (telegram instanceof ClusterMessage.TopicsStateRequest) {
        activeTopics.onRequest(from);
      } else if (telegram instanceof ClusterMessage.TopicsState part) {
        activeTopics.onState(from, part);
      }
    } catch (MessageCodec.Malformed e) {
      incidents.onMalformed(from, e);
    }
  }

  private void onStatus(Address from, ClusterMessage.Status status) {
    Node self = announcer.self();
    boolean namesake = status.node().id().equals(self.id());
    if (namesake && status.node().incarnation() != self.incarnation()) {
      incidents.onNamesake(status.node());
    }
    if (membership.onStatus(from, status)) {
      onNodes();
    }
  }

  /** JGroups' threads; they read a message, and hand it over. */
  private final class FromOthers implements Receiver {
    @Override
    public void viewAccepted(View view) {
      execute(() -> onView(view));
    }

    @Override
    public void receive(Message message) {
      Address from = message.getSrc();
      try {
        read(message).ifPresent(telegram -> handOver(from, telegram));
      } catch (MessageCodec.Malformed e) {
        incidents.onMalformed(from, e);
      }
    }

    /** No other kind of message is opened: some of them hold objects. */
    private static Optional<ClusterMessage> read(Message message) throws MessageCodec.Malformed {
      if (!(message instanceof BytesMessage) || !message.hasArray()) {
        throw new MessageCodec.Malformed("a message of " + message.getClass().getSimpleName());
      }
      return MessageCodec.decode(message.getArray(), message.getOffset(), message.getLength());
    }

    private void handOver(Address from, ClusterMessage telegram) {
      if (waiting.incrementAndGet() > MOST_WAITING) {
        waiting.decrementAndGet();
        incidents.onDropped();
        return;
      }
      execute(
          () -> {
            waiting.decrementAndGet();
            onTelegram(from, telegram);
          });
    }
  }
}
