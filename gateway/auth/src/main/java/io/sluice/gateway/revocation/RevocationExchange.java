package io.sluice.gateway.revocation;

import io.sluice.gateway.metrics.RevocationMeters;
import io.sluice.gateway.revocation.RevocationMessage.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exchange of revocations with the other nodes. Any thread may call it; one thread owns its state.
 *
 * <p>A command of an operator goes to all nodes at once. Lost messages, partitions and new nodes
 * are covered by digests: each node sends the hash of its set after changes and every 30 s. A node
 * with another hash copies the parts that differ, from one node at a time.
 *
 * <p>A root sends its revocations to its leaves likewise, but receives none from them.
 */
public final class RevocationExchange implements AutoCloseable {
  /** First byte of all messages. */
  public static final int CHANNEL = RevocationMessage.CHANNEL;

  /** Largest number of messages of other nodes that wait; digests cover the others. */
  private static final int MAX_QUEUED = 1024;

  /** Bytes of revocations in a reply, after which the node has to request the next parts. */
  private static final int REPLY_BYTES = 128 * 1024;

  private static final long TICK_MS = 250;
  private static final long SETTLE_MS = 500;
  private static final long DIGEST_MS = 30_000;

  /** Time after which digests are repeated for the members of a new view. */
  private static final long VIEW_MS = 2_000;

  private static final long COPY_TIMEOUT_MS = 5_000;
  private static final Logger log = LoggerFactory.getLogger(RevocationExchange.class);

  private final Revocations revocations;
  private final SessionSweep sessions;
  private final RevocationMeters meters;
  private final ScheduledThreadPoolExecutor thread;
  private final AtomicInteger queued = new AtomicInteger();

  /** Nodes from which revocations are copied: those of the view, and roots. */
  private final Map<Object, RevocationPeer> peers = new LinkedHashMap<>();

  private final Set<RevocationLink> leaves = new LinkedHashSet<>();

  /** Leaves whose request waits for its reply: one of each, because they may flood this node. */
  private final Set<RevocationLink> waiting = ConcurrentHashMap.newKeySet();

  private volatile BiConsumer<Object, byte[]> link = (peer, message) -> {};
  private volatile Map<String, Boolean> equalNodes = Map.of();

  /** Node that is copied from; null while none is. */
  private Object source;

  private long copyDeadlineMs;
  private long sentTotal;
  private long sentMs;

  /**
   * @param closer closes the sessions with such credentials; completes when it has visited all
   */
  public RevocationExchange(
      Revocations revocations,
      Function<Predicate<RevocableCredential>, CompletionStage<?>> closer,
      RevocationMeters meters) {
    this.revocations = revocations;
    this.sessions = new SessionSweep(revocations, closer);
    this.meters = meters;
    this.thread =
        new ScheduledThreadPoolExecutor(
            1, RevocationExchange::newThread, new ThreadPoolExecutor.DiscardPolicy());
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    revocations.shareWith(this::onOrdered, () -> equalNodes);
    thread.scheduleWithFixedDelay(() -> run(this::onTick), TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
    thread.scheduleWithFixedDelay(
        () -> run(revocations::evictExpired), DIGEST_MS, DIGEST_MS, TimeUnit.MILLISECONDS);
  }

  private static Thread newThread(Runnable task) {
    Thread thread = new Thread(task, "sluice-revocations");
    thread.setDaemon(true);
    return thread;
  }

  /** Sets the sender of messages to other nodes, before the first view. */
  public void join(BiConsumer<Object, byte[]> sender) {
    link = sender;
  }

  /** Replaces the other nodes of the cluster, which are compared by equality. */
  public void onView(List<?> view) {
    List<Object> copy = List.copyOf(view);
    execute(
        () -> {
          peers.keySet().removeIf(peer -> !isRoot(peer) && !copy.contains(peer));
          copy.forEach(peer -> peers.putIfAbsent(peer, new RevocationPeer()));
          // A new node may not have its view yet.
          sentMs = Math.min(sentMs, nowMs() - DIGEST_MS + VIEW_MS);
          if (revocations.size() > 0) {
            sendDigests();
          }
        });
  }

  /** A link is open. */
  public void onLinked(RevocationLink node) {
    execute(
        () -> {
          if (node.isRoot()) {
            peers.put(node, new RevocationPeer());
          } else {
            leaves.add(node);
          }
          send(node, digest()); // a leaf requests those of its root by it
        });
  }

  /** A link is closed. */
  public void onUnlinked(RevocationLink node) {
    execute(
        () -> {
          peers.remove(node);
          leaves.remove(node);
        });
  }

  /** Handles a message of a linked node. */
  public void onLinkMessage(RevocationLink from, byte[] message) {
    try {
      RevocationMessage decoded = RevocationMessage.decode(message);
      if (from.isRoot()) {
        onMessage((Object) from, decoded);
      } else if (decoded != null && decoded.kind() == Kind.REQUEST) {
        replyLater(from, decoded);
      } else if (decoded != null && decoded.kind() != Kind.DIGEST) {
        from.close("a leaf sends no revocations");
      }
    } catch (IOException e) {
      from.close("revocations: " + e.getMessage());
    }
  }

  private void replyLater(RevocationLink leaf, RevocationMessage request) {
    if (waiting.add(leaf)) {
      execute(
          () -> {
            waiting.remove(leaf);
            if (leaves.contains(leaf)) {
              reply(leaf, request);
            }
          });
    }
  }

  private static boolean isRoot(Object peer) {
    return peer instanceof RevocationLink;
  }

  private void sendDigests() {
    peers.keySet().stream().filter(peer -> !isRoot(peer)).forEach(peer -> send(peer, digest()));
    leaves.forEach(leaf -> send(leaf, digest()));
  }

  /** Handles a message of another node. */
  public void onMessage(Object from, byte[] message) {
    try {
      onMessage(from, RevocationMessage.decode(message));
    } catch (IOException e) {
      log.atWarn()
          .addKeyValue("node", from)
          .addKeyValue("why", e.getMessage())
          .log("revocations.malformed");
    }
  }

  private void onMessage(Object from, RevocationMessage decoded) {
    if (decoded != null && decoded.kind() == Kind.ORDER) {
      onOrder(from, decoded.revocations().get(0)); // at once, and never dropped
    } else if (decoded != null) {
      executeBounded(() -> process(from, decoded));
    }
  }

  private void onOrder(Object from, Revocation ordered) {
    Revocations.Merge merge = revocations.merge(List.of(ordered));
    onRejected(merge.rejected());
    if (!merge.changed().isEmpty()) {
      forward(ordered, isRoot(from));
      if (!ordered.isRemoved()) {
        sessions.onOrder(ordered);
      }
    }
  }

  private void onRejected(int rejected) {
    if (rejected > 0) {
      meters.onRejected(rejected);
      log.atError()
          .addKeyValue("rejected", rejected)
          .addKeyValue("max", revocations.maxEntries())
          .log("revocations.full");
    }
  }

  private RevocationMessage digest() {
    return RevocationMessage.digest(revocations.total());
  }

  private void process(Object from, RevocationMessage message) {
    RevocationPeer peer = peers.get(from);
    if (peer == null) {
      return; // a digest follows the next view
    }
    if (message.kind() == Kind.DIGEST) {
      peer.onDigest(message.number(), nowMs());
    } else if (message.kind() == Kind.REQUEST && !isRoot(from)) {
      reply(from, message);
    } else if (message.kind() == Kind.ENTRIES && from.equals(source)) {
      onEntries(peer, message);
    }
  }

  /** Sends the revocations of the first parts that differ. */
  private void reply(Object to, RevocationMessage request) {
    List<List<Revocation>> differing = differing(request);
    List<Revocation> piece = new ArrayList<>();
    int pieceBytes = 0;
    int replyBytes = 0;
    int next = (int) request.number();
    for (; next < RevocationDigest.BUCKETS && replyBytes < REPLY_BYTES; next++) {
      for (Revocation each : differing.get(next)) {
        int bytes = RevocationMessage.size(each);
        if (!piece.isEmpty() && pieceBytes + bytes > RevocationMessage.MAX_BYTES) {
          send(to, RevocationMessage.entries(RevocationMessage.MORE, piece));
          piece = new ArrayList<>();
          pieceBytes = 0;
        }
        piece.add(each);
        pieceBytes += bytes;
        replyBytes += bytes;
      }
    }
    send(to, RevocationMessage.entries(next, piece));
  }

  private List<List<Revocation>> differing(RevocationMessage request) {
    long[] own = revocations.hashes();
    List<List<Revocation>> parts = new ArrayList<>();
    for (int i = 0; i < RevocationDigest.BUCKETS; i++) {
      parts.add(new ArrayList<>());
    }
    for (Revocation each : revocations.entries()) {
      int bucket = RevocationDigest.bucket(each);
      if (own[bucket] != request.hashes()[bucket]) {
        parts.get(bucket).add(each);
      }
    }
    return parts;
  }

  private void onEntries(RevocationPeer peer, RevocationMessage entries) {
    Revocations.Merge merge = revocations.merge(entries.revocations());
    onRejected(merge.rejected());
    if (!merge.changed().isEmpty()) {
      sessions.onMerged();
      log.atInfo()
          .addKeyValue("node", source)
          .addKeyValue("revocations", merge.changed().size())
          .log("revocations.copied");
    }
    if (entries.number() == RevocationMessage.MORE) {
      return;
    }
    if (entries.number() < RevocationDigest.BUCKETS) {
      request((int) entries.number());
    } else {
      peer.onCopied(revocations.total(), nowMs());
      source = null;
    }
  }

  private void request(int from) {
    copyDeadlineMs = nowMs() + COPY_TIMEOUT_MS;
    send(source, RevocationMessage.request(from, revocations.hashes()));
  }

  private void onTick() {
    long nowMs = nowMs();
    long own = revocations.total();
    if (own != sentTotal || (own != 0 && nowMs - sentMs >= DIGEST_MS)) {
      sentTotal = own;
      sentMs = nowMs;
      sendDigests();
    }
    if (source != null && (nowMs >= copyDeadlineMs || !peers.containsKey(source))) {
      source = null;
    }
    copyIfRequired(own, nowMs);
    report(own);
  }

  private void copyIfRequired(long own, long nowMs) {
    if (source != null) {
      return;
    }
    for (Map.Entry<Object, RevocationPeer> each : peers.entrySet()) {
      if (each.getValue().isToCopy(own, SETTLE_MS, nowMs)) {
        source = each.getKey();
        request(0);
        return;
      }
    }
  }

  private void report(long own) {
    Map<String, Boolean> equal = new LinkedHashMap<>();
    peers.forEach(
        (peer, state) -> {
          if (!isRoot(peer)) { // this node may have further revocations
            equal.put(String.valueOf(peer), state.isEqualTo(own));
          }
        });
    equalNodes = equal;
    boolean empty = own == 0; // nodes without revocations send no digest
    meters.onExchanged(
        empty ? 0 : (int) equal.values().stream().filter(isEqual -> !isEqual).count());
  }

  private void onOrdered(Revocation revocation) {
    forward(revocation, true);
  }

  /**
   * Sends a command to the leaves.
   *
   * @param toCluster whether the nodes of the cluster lack it, too
   */
  private void forward(Revocation revocation, boolean toCluster) {
    RevocationMessage message = RevocationMessage.order(revocation);
    execute(
        () -> {
          if (toCluster) {
            peers.keySet().stream()
                .filter(peer -> !isRoot(peer))
                .forEach(peer -> send(peer, message));
          }
          leaves.forEach(leaf -> send(leaf, message));
        });
  }

  private void send(Object peer, RevocationMessage message) {
    byte[] bytes = message.encode();
    if (peer instanceof RevocationLink linked) {
      linked.send(bytes);
    } else {
      link.accept(peer, bytes);
    }
  }

  private void executeBounded(Runnable task) {
    if (queued.incrementAndGet() > MAX_QUEUED) {
      queued.decrementAndGet();
      return;
    }
    execute(
        () -> {
          queued.decrementAndGet();
          task.run();
        });
  }

  private void execute(Runnable task) {
    thread.execute(() -> run(task));
  }

  /** Runs a task; an exception must not end the periodic work. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      log.atError().setCause(e).log("revocations.task-failed");
    }
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
