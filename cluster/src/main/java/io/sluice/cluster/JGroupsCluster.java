package io.sluice.cluster;

import io.sluice.cluster.peer.PeerIdentity;
import io.sluice.cluster.peer.PeerTls;
import java.io.IOException;
import java.net.BindException;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.MergeView;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.util.DefaultSocketFactory;
import org.jgroups.util.SocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cluster based on JGroups. Any thread may call it. One thread processes all events and owns {@link
 * MemberTable} and {@link ActiveTopics}. JGroups' threads only enqueue, at most {@link #MAX_QUEUED}
 * messages.
 *
 * <p>In a steady state it sends nothing: only JGroups' heartbeats are exchanged. A status is sent
 * to all nodes after a material change, and once to each node that joins.
 */
public final class JGroupsCluster implements Cluster {
  private static final Logger log = LoggerFactory.getLogger(JGroupsCluster.class);

  private static final int MAX_QUEUED = 1024;
  private static final long RETRY_MS = 5_000;
  private static final long LEAVE_TIMEOUT_MS = 5_000;

  private final ClusterConfig config;
  private final Announcer announcer;
  private final MemberTable membership;
  private final ActiveTopics activeTopics;
  private final Optional<PeerTls> tls;
  private final JChannel channel;

  /** Discards tasks once it is shut down. */
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1, task -> daemon(task, "sluice-cluster"), new ThreadPoolExecutor.DiscardPolicy());

  private final CompletableFuture<Void> bound = new CompletableFuture<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Incidents incidents = new Incidents();
  private final AtomicInteger queued = new AtomicInteger();

  /** True if messages were discarded and {@link #exchanges} were not notified. */
  private volatile boolean discarded;

  private final LongAdder sent = new LongAdder();
  private final LongAdder sentBytes = new LongAdder();
  private final LongAdder views = new LongAdder();
  private volatile Runnable listener = () -> {};

  /** Receivers of messages, those of this class first. */
  private final List<Exchange> exchanges = new ArrayList<>();

  private List<Address> others = List.of();
  private boolean connected;
  private boolean statusScheduled;

  private JGroupsCluster(
      ClusterConfig config, Stack.Timing timing, Node self, Supplier<List<String>> ownTopics)
      throws Exception {
    this.config = config;
    this.announcer = new Announcer(self, config.reportInterval().toMillis(), System::nanoTime);
    this.membership = new MemberTable(self);
    this.activeTopics =
        new ActiveTopics(
            membership, ownTopics, config.maxTopics(), this::transmit, JGroupsCluster::nowMs);
    exchanges.add(new Exchange(Status.CHANNEL, sender -> {}, view -> {}, this::onStatus));
    exchanges.add(
        new Exchange(
            ActiveTopics.CHANNEL, sender -> {}, activeTopics::onView, activeTopics::onMessage));
    this.tls = PeerTls.of(config.identity(), config.name(), incidents);
    SocketFactory sockets = tls.map(PeerTls::sockets).orElseGet(DefaultSocketFactory::new);
    Stack.Bound whenBound = new Stack.Bound(() -> bound.complete(null));
    this.channel = Stack.channel(config.address(), config, timing, sockets, incidents, whenBound);
    channel.name(self.id());
    channel.setReceiver(new MessageReceiver());
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Starts to listen. Discovery of other nodes runs on a separate thread and is not waited for.
   *
   * @param self initial state of the node, {@link Node#starting}
   * @param ownTopics supplies the node's active topics, the same object until they change; called
   *     on the cluster's thread
   * @throws ClusterStartFailure if the port is not available, or the key or the certificates are
   *     unusable
   */
  public static JGroupsCluster start(
      ClusterConfig config, Node self, Supplier<List<String>> ownTopics)
      throws ClusterStartFailure {
    return start(config, Stack.Timing.of(config), self, ownTopics);
  }

  static JGroupsCluster start(
      ClusterConfig config, Stack.Timing timing, Node self, Supplier<List<String>> ownTopics)
      throws ClusterStartFailure {
    List<ClusterProblem> problems = config.problems(self);
    if (!problems.isEmpty()) {
      throw new ClusterStartFailure(problems.toString(), null);
    }
    JGroupsCluster cluster;
    try {
      cluster = new JGroupsCluster(config, timing, self, ownTopics);
    } catch (GeneralSecurityException e) {
      throw new ClusterStartFailure(
          "the cluster's secret or certificates cannot be used: " + e.getMessage(), e);
    } catch (Exception e) {
      throw new ClusterStartFailure("the cluster cannot be created: " + e.getMessage(), e);
    }
    cluster.listen();
    cluster.thread.scheduleWithFixedDelay(
        () -> run(cluster.activeTopics::onTick),
        ActiveTopics.TICK_MS,
        ActiveTopics.TICK_MS,
        TimeUnit.MILLISECONDS);
    return cluster;
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  private void listen() throws ClusterStartFailure {
    daemon(this::connect, "sluice-cluster-connect").start();
    try {
      bound.get();
    } catch (ExecutionException e) {
      close();
      String address = config.host() + ":" + config.port();
      String what =
          e.getCause() instanceof BindException
              ? "cluster.port: " + address + " is in use, or not an address of this machine"
              : "the cluster cannot listen on " + address + ": " + e.getCause().getMessage();
      throw new ClusterStartFailure(what, e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
      throw new ClusterStartFailure("interrupted during the start", e);
    }
  }

  /**
   * Connects the channel, and retries. Without a reply JGroups forms a cluster of one, and merges
   * with others later.
   */
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
      execute(this::sendStatusWhenDue);
    }
  }

  @Override
  public void report(Load load) {
    announcer.report(load);
    if (announcer.delayNs() >= 0) {
      execute(this::sendStatusWhenDue);
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
    execute(() -> activeTopics.request(limit, config.topicsTimeout().toMillis(), answer));
    return answer;
  }

  @Override
  public SharedTopics topicsOfOthers() {
    return activeTopics.ofOthers();
  }

  @Override
  public void join(List<Exchange> joined) {
    joined.forEach(each -> each.join().accept(this::send));
    execute(
        () -> {
          exchanges.addAll(joined);
          if (connected) {
            joined.forEach(each -> each.onView().accept(others));
          }
        });
  }

  private void send(Object peer, byte[] message) {
    if (message.length > Exchange.MAX_BYTES) {
      throw new IllegalArgumentException(
          "message of " + message.length + " bytes; at most " + Exchange.MAX_BYTES);
    }
    execute(() -> transmit(peer, message));
  }

  @Override
  public void onChange(Runnable onChange) {
    listener = onChange;
  }

  @Override
  public ClusterCounts counts() {
    return new ClusterCounts(
        sent.sum(),
        sentBytes.sum(),
        incidents.malformed.sum(),
        incidents.dropped.sum(),
        incidents.refused.sum(),
        views.sum());
  }

  /** Leaves the cluster on a separate thread, which may have to wait for a discovery. */
  @Override
  public void close() {
    closing.countDown();
    Thread leaving = daemon(channel::close, "sluice-cluster-close");
    leaving.start();
    try {
      leaving.join(LEAVE_TIMEOUT_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.shutdownNow();
  }

  private void execute(Runnable task) {
    thread.execute(() -> run(task));
  }

  /** Runs a task; an exception of a listener or supplier must not prevent the next task. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      log.atError().setCause(e).log("cluster.task-failed");
    }
  }

  private void sendStatusWhenDue() {
    long delayNs = announcer.delayNs();
    if (delayNs == 0) {
      Status status = announcer.nextStatus();
      membership.refresh(announcer.announced());
      transmit(null, status.encode());
    } else if (delayNs > 0 && !statusScheduled) {
      statusScheduled = true;
      thread.schedule(
          () -> run(this::sendScheduledStatus), delayNs + 1_000_000, TimeUnit.NANOSECONDS);
    }
  }

  private void sendScheduledStatus() {
    statusScheduled = false;
    sendStatusWhenDue();
  }

  /** Sends a message to one node, or to all others if it is null. */
  private void transmit(Object to, byte[] message) {
    if (!connected) {
      return;
    }
    try {
      channel.send(new BytesMessage((Address) to, message));
      sent.increment();
      sentBytes.add(message.length);
    } catch (Exception e) {
      // Not lost: the status is sent again to all nodes of the next view.
      log.atDebug().setCause(e).log("cluster.unsent");
    }
  }

  /** Returns the channel, by which tests send malformed messages and partition the network. */
  JChannel channel() {
    return channel;
  }

  private void onView(View view) {
    views.increment();
    connected = true;
    others =
        view.getMembers().stream().filter(member -> !member.equals(channel.getAddress())).toList();
    List<Address> newcomers = membership.onView(others);
    log.atInfo().addKeyValue("nodes", view.getMembers()).log("cluster.view");
    exchanges.forEach(each -> each.onView().accept(others));
    // Others may have removed this node and its status without this node noticing.
    if (view instanceof MergeView || (!others.isEmpty() && newcomers.size() == others.size())) {
      transmit(null, announcer.lastStatus().encode());
    } else {
      newcomers.forEach(newcomer -> transmit(newcomer, announcer.lastStatus().encode()));
    }
    onNodes();
  }

  private void onNodes() {
    membership.refresh(announcer.announced());
    listener.run();
  }

  /** Passes a message to the exchange of its channel. */
  private void onMessage(Address from, byte[] message) {
    for (Exchange each : exchanges) {
      if (message[0] == each.channel()) {
        try {
          each.onMessage().onMessage(from, message);
        } catch (IOException e) {
          incidents.onMalformed(from, e);
        }
      }
    }
  }

  private void onStatus(Object from, byte[] message) throws IOException {
    Status status = Status.decode(message);
    Node self = announcer.self();
    boolean sameName = status.node().id().equals(self.id());
    if (sameName && status.node().incarnation() != self.incarnation()) {
      incidents.onDuplicateName(status.node());
    }
    if (membership.onStatus((Address) from, status)) {
      onNodes();
    }
  }

  /** Receiver of messages and views, which it enqueues. Called on JGroups' threads. */
  private final class MessageReceiver implements Receiver {
    @Override
    public void viewAccepted(View view) {
      execute(() -> onView(view));
    }

    @Override
    public void receive(Message message) {
      try {
        enqueue(message.getSrc(), read(message));
      } catch (IOException e) {
        incidents.onMalformed(message.getSrc(), e);
      }
    }

    /**
     * Returns the content of a message of bytes; other types are rejected, because they may contain
     * serialized objects.
     */
    private static byte[] read(Message message) throws IOException {
      int length = message.getLength();
      if (!(message instanceof BytesMessage) || !message.hasArray()) {
        throw new IOException("unexpected message type " + message.getClass().getSimpleName());
      }
      if (length == 0 || length > Exchange.MAX_BYTES) {
        throw new IOException("message of " + length + " bytes");
      }
      int offset = message.getOffset();
      return Arrays.copyOfRange(message.getArray(), offset, offset + length);
    }

    private void enqueue(Address from, byte[] message) {
      if (queued.incrementAndGet() > MAX_QUEUED) {
        queued.decrementAndGet();
        incidents.dropped.increment();
        discarded = true;
        return;
      }
      execute(
          () -> {
            int left = queued.decrementAndGet();
            onMessage(from, message);
            if (discarded && left < MAX_QUEUED / 2) {
              discarded = false;
              exchanges.forEach(each -> each.onDiscarded().run());
            }
          });
    }
  }
}
