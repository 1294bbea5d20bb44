package io.sluice.gateway.presence;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.metrics.MeterBuilder;
import io.sluice.gateway.protocol.presence.PresenceView;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.time.RunningClock;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Presence of all topics at this node: runs the changes of clients and other nodes on one thread.
 * It publishes new states to clients, at most one per topic and interval. Any thread may call it;
 * it never blocks.
 */
public final class PresenceHub implements AutoCloseable, PresenceTable.Listener {
  /** First byte of all messages to other nodes. */
  public static final int CHANNEL = PresenceCodec.CHANNEL;

  private static final Logger log = LoggerFactory.getLogger(PresenceHub.class);
  private static final long CATCH_UP_MS = 500;
  private static final long CLOSE_MS = 1_000;

  /** Maximum number of messages of one linked node that wait. */
  private static final int MAX_LINKED = 256;

  /** Longest time between two ticks that counts for grace times. */
  private static final long PAUSE_MS = 5 * PresenceTable.TICK_MS;

  private final PresenceOptions options;
  private final PresenceFrames frames;
  private final PresenceMeters meters;
  private final PresenceTable table;
  private final ScheduledThreadPoolExecutor thread;
  private final RunningClock clock;
  private final AtomicInteger queued = new AtomicInteger();

  /** Linked nodes, with the number of their messages that wait. */
  private final Map<LinkedNode, AtomicInteger> linked = new ConcurrentHashMap<>();

  private final Map<String, WatchedTopic> topics = new HashMap<>();

  /** Observed topics with a change that is not published. */
  private final Set<String> unpublished = new LinkedHashSet<>();

  private boolean started;

  /** Set while {@link #tick} is scheduled. */
  private boolean ticking;

  /** Set while the clock has no ticks. */
  private boolean idle = true;

  private volatile BiConsumer<Object, byte[]> link = (peer, message) -> {};

  /**
   * @param clustered whether {@link #onView} will be called
   */
  public PresenceHub(
      PresenceOptions options, boolean clustered, ByteBufAllocator allocator, MeterBuilder meters) {
    this(options, clustered, allocator, meters, System::nanoTime);
  }

  PresenceHub(
      PresenceOptions options,
      boolean clustered,
      ByteBufAllocator allocator,
      MeterBuilder meters,
      LongSupplier nanoTime) {
    this.options = options;
    this.frames = new PresenceFrames(allocator);
    this.meters = new PresenceMeters(meters);
    this.table = new PresenceTable(options, clustered, this::send, this);
    this.clock = new RunningClock(nanoTime, PAUSE_MS);
    this.thread =
        new ScheduledThreadPoolExecutor(
            1, PresenceHub::newThread, new ThreadPoolExecutor.DiscardPolicy());
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    thread.setRemoveOnCancelPolicy(true);
  }

  private static Thread newThread(Runnable task) {
    Thread thread = new Thread(task, "sluice-presence");
    thread.setDaemon(true);
    return thread;
  }

  /** Starts the periodic work, which pauses while there are neither members nor other nodes. */
  public PresenceHub start() {
    execute(() -> started = true);
    return this;
  }

  private void scheduleTick() {
    if (!started || ticking || thread.isShutdown()) {
      return;
    }
    if (unpublished.isEmpty() && table.isIdle()) {
      idle = true;
      return;
    }
    if (idle) {
      idle = false;
      clock.resume();
    }
    ticking = true;
    thread.schedule(this::tick, PresenceTable.TICK_MS, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    ticking = false;
    // After a pause, members that have returned in the meantime are read first.
    if (clock.tick()) {
      run(this::onTick);
    } else {
      scheduleTick();
    }
  }

  /**
   * Sets the link to the other nodes, before the first view. It is called on the presence thread,
   * must not block, and may lose messages.
   */
  public void join(BiConsumer<Object, byte[]> joined) {
    link = joined;
  }

  private void send(Object peer, byte[] message) {
    meters.sent(message.length);
    link.accept(peer, message);
  }

  /** Returns the feature of the node's sessions. */
  public SessionFeature<?> sessions() {
    return ClientPresence.feature(this);
  }

  /** Returns the encoder of frames for clients. */
  PresenceFrames frames() {
    return frames;
  }

  /**
   * Adds a client, or changes its presence. The answer follows.
   *
   * @param before the client's former presence of the topic, or null
   * @return false if too many requests wait
   */
  boolean attend(Attendance attendance, Attendance before) {
    return executeBounded(
        () -> {
          if (attendance.member != null) {
            table.enter(attendance.topic, attendance.member);
          }
          topic(attendance.topic).add(attendance);
          if (before != null) {
            remove(before, true);
          }
          unpublished.add(attendance.topic);
          publishIfDue(attendance.topic, nowMs());
          updateMeters();
        });
  }

  /**
   * Answers a client with the present state of a topic.
   *
   * @return false if too many requests wait
   */
  boolean query(Attendance query) {
    return executeBounded(
        () -> {
          topic(query.topic).query(query);
          unpublished.add(query.topic);
          publishIfDue(query.topic, nowMs());
        });
  }

  /**
   * Removes a client.
   *
   * @param atOnce whether its member leaves without a grace time
   */
  void leave(Attendance attendance, boolean atOnce) {
    execute(
        () -> {
          remove(attendance, atOnce);
          updateMeters();
        });
  }

  private void remove(Attendance attendance, boolean atOnce) {
    if (attendance.member != null) {
      table.leave(attendance.topic, attendance.member.id(), atOnce, nowMs());
    }
    WatchedTopic watched = topic(attendance.topic);
    watched.remove(attendance);
    removeIfUnused(attendance.topic, watched);
  }

  private void removeIfUnused(String name, WatchedTopic watched) {
    if (watched.isUnused()) {
      topics.remove(name);
      unpublished.remove(name);
      table.links().onWatched(name, false, nowMs());
    }
  }

  private WatchedTopic topic(String name) {
    table.links().onWatched(name, true, nowMs());
    return topics.computeIfAbsent(name, key -> new WatchedTopic(key, this::onLaggard));
  }

  /** Returns the present state of a topic. */
  public CompletionStage<PresenceView> view(String topic) {
    CompletableFuture<PresenceView> view = new CompletableFuture<>();
    if (!executeBounded(() -> view.complete(table.view(topic)))) {
      view.completeExceptionally(new RejectedExecutionException("presence is overloaded"));
    }
    return view;
  }

  /** Exchanges members with a linked node from now on. */
  public void onLinked(LinkedNode node) {
    linked.put(node, new AtomicInteger());
    execute(() -> table.links().onOpened(node, nowMs()));
  }

  /** Handles a message of a linked node. It is dropped if too many wait; the node repeats it. */
  public void onLinkMessage(LinkedNode from, byte[] message) {
    AtomicInteger waiting = linked.get(from);
    if (waiting == null) {
      return;
    }
    if (waiting.incrementAndGet() > MAX_LINKED) {
      waiting.decrementAndGet();
      meters.rejected.increment();
      return;
    }
    execute(
        () -> {
          waiting.decrementAndGet();
          table.links().onMessage(from, message, nowMs());
        });
  }

  /** The link to a node is closed. */
  public void onUnlinked(LinkedNode node) {
    if (linked.remove(node) != null) {
      execute(() -> table.links().onClosed(node, nowMs()));
    }
  }

  /** Replaces the other nodes of the cluster, which are compared by equality. */
  public void onView(List<?> peers) {
    List<Object> copy = List.copyOf(peers);
    execute(() -> table.onView(copy, nowMs()));
  }

  /** Handles a message of another node. It is dropped if too many wait; the node repeats it. */
  public void onMessage(Object from, byte[] message) {
    executeBounded(
        () -> {
          try {
            table.onMessage(from, message, nowMs());
          } catch (IOException e) {
            log.atWarn()
                .addKeyValue("node", from)
                .addKeyValue("why", e.getMessage())
                .log("presence.malformed");
          }
        });
  }

  @Override
  public void onStateRequested() {
    meters.stateRequests.increment();
  }

  @Override
  public void onChange(String topic) {
    WatchedTopic watched = topics.get(topic);
    if (watched != null) {
      if (watched.isObserved()) {
        unpublished.add(topic);
      } else {
        watched.forgetState();
      }
    }
  }

  @Override
  public void onPartial() {
    topics.keySet().forEach(this::onChange);
  }

  private void onTick() {
    long nowMs = nowMs();
    table.onTick(nowMs);
    List.copyOf(unpublished).forEach(topic -> publishIfDue(topic, nowMs));
    updateMeters();
  }

  private void updateMeters() {
    meters.members(table.localCount());
  }

  private void publishIfDue(String topic, long nowMs) {
    boolean isDue = topics.get(topic).dueMs(options.intervalMs()) <= nowMs;
    if (isDue && !table.links().isAwaited(topic, nowMs)) {
      publish(topic, nowMs);
    }
  }

  private void publish(String topic, long nowMs) {
    unpublished.remove(topic);
    WatchedTopic watched = topics.get(topic);
    PresenceState state = new PresenceState(frames, table.view(topic), watched.state());
    watched.publish(state, nowMs);
    meters.published.increment();
    removeIfUnused(topic, watched);
  }

  /** Handles a client that did not accept a change. On its event loop. */
  private void onLaggard(Attendance attendance) {
    meters.conflated.increment();
    execute(() -> catchUpLater(attendance, CATCH_UP_MS));
  }

  private void catchUpLater(Attendance attendance, long delayMs) {
    thread.schedule(() -> run(() -> catchUp(attendance, delayMs)), delayMs, TimeUnit.MILLISECONDS);
  }

  private void catchUp(Attendance attendance, long delayMs) {
    WatchedTopic watched = topics.get(attendance.topic);
    PresenceState state = watched == null ? null : watched.state();
    if (state != null) {
      attendance.client.execute(() -> sendWhole(attendance, state, delayMs));
    }
  }

  private void sendWhole(Attendance attendance, PresenceState state, long delayMs) {
    ByteBuf frame = frames.present(attendance.topic, state.whole(attendance.listed));
    boolean accepted = attendance.catchUp(frame);
    attendance.client.releaseAfterBatch(frame);
    if (!accepted) {
      execute(() -> catchUpLater(attendance, Math.min(2 * delayMs, 8 * CATCH_UP_MS)));
    }
  }

  private boolean executeBounded(Runnable task) {
    if (queued.incrementAndGet() > options.maxQueued()) {
      queued.decrementAndGet();
      meters.rejected.increment();
      return false;
    }
    execute(
        () -> {
          queued.decrementAndGet();
          task.run();
        });
    return true;
  }

  private void execute(Runnable task) {
    thread.execute(() -> run(task));
  }

  /** Runs a task; an exception must not end the periodic work. */
  private void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      log.atError().setCause(e).log("presence.task-failed");
    }
    scheduleTick();
  }

  private long nowMs() {
    return clock.nowMs();
  }

  /** Announces to the other nodes that this node leaves, and waits for the end of the thread. */
  @Override
  public void close() {
    execute(
        () -> {
          table.close();
          thread.shutdown();
        });
    try {
      thread.awaitTermination(CLOSE_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
