package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.SourceState;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.time.RunningClock;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's consumer: the only reader of new records of all topics in use. It has a thread, to
 * which its state is bound. {@link #execute}, {@link #start} and {@link #stop} are for any thread.
 */
final class KafkaFeed {
  private static final Logger log = LoggerFactory.getLogger(KafkaFeed.class);

  private static final Duration POLL = Duration.ofMillis(250);

  /** Interval at which a full listener is checked. */
  private static final Duration BLOCKED_POLL = Duration.ofMillis(10);

  /**
   * Minimum interval of two fetches, per partition: a fetch costs the node and the brokers time for
   * each partition, also for those without records.
   */
  private static final long FETCH_NS_PER_PARTITION = 30_000;

  private static final long MAX_FETCH_NS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Time without a connection after which the cluster is lost. */
  private static final long DISCONNECTED_NS = TimeUnit.SECONDS.toNanos(1);

  /** Time for which an interest waits for a topic that does not respond. */
  private static final long OPEN_NS = TimeUnit.SECONDS.toNanos(30);

  /** Time for which a client's position waits for records that other nodes have read. */
  private static final long AWAIT_NS = TimeUnit.SECONDS.toNanos(10);

  private static final long CLOCK_PERIOD_MS = 2_000;

  /** Number of topics whose states are requested at a time, and in one interval of checks. */
  private static final int TOPICS_PER_LOOK = 100;

  /** Number of identities that a position of a client can have. */
  private static final int MAX_PARTITIONS = 1_024;

  /** Receiver of events; called on the feed's thread. */
  interface Owner extends TopicFeed.Owner {
    /** The cluster responds, for the first time or again. */
    void onConnected();

    /** The cluster does not respond any more. */
    void onLost();

    /** The node cannot connect. */
    void onUnreachable(Throwable cause);

    /** The set of topics has changed whose records wait for a schema. */
    void onAwaitingSchemas(Set<String> awaiting);
  }

  /** A topic, and when its state is requested. */
  private static final class Watched {
    final TopicFeed feed;
    boolean looking;
    long nextLookNs;
    boolean missing;

    Watched(TopicFeed feed) {
      this.feed = feed;
      this.nextLookNs = System.nanoTime();
    }

    boolean isDue(long nowNs) {
      return !looking && (nowNs - nextLookNs >= 0 || !missing && feed.needsLook());
    }
  }

  private final KafkaOptions options;
  private final RecordReader reader;
  private final Owner owner;
  private final LinkedBlockingQueue<Runnable> commands = new LinkedBlockingQueue<>();
  private final Map<String, Watched> topics = new HashMap<>();

  /** By topic, also for those that are not in use at the moment. */
  private final Map<String, ReusedOffsets> reused = new HashMap<>();

  private final RunningClock clock = new RunningClock(System::nanoTime, CLOCK_PERIOD_MS);
  private final Backoff backoff;
  private final Thread thread = new Thread(this::run, "sluice-kafka");

  private volatile Consumer<byte[], byte[]> consumer;
  private TopicDirectory directory;
  private volatile boolean polling;
  private volatile boolean stopped;

  /** True if the set of partitions has changed. */
  private boolean assignmentChanged;

  /** Topics whose records wait for a schema. */
  private Set<String> awaiting = Set.of();

  private boolean connected;
  private boolean probing;
  private long nextProbeNs = System.nanoTime();
  private long respondedNs;
  private long connectedNs;

  /** Time before which no more new records are requested, because the latest poll had some. */
  private long nextPollNs = System.nanoTime();

  KafkaFeed(KafkaOptions options, RecordReader reader, Owner owner) {
    this.options = options;
    this.reader = reader;
    this.owner = owner;
    this.backoff = options.newBackoff();
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  void stop() {
    stopped = true;
    execute(() -> {});
  }

  /** Runs a command on the feed's thread. */
  void execute(Runnable command) {
    commands.add(command);
    if (polling) {
      consumer.wakeup();
    }
  }

  void open(KafkaInterest interest) {
    execute(() -> watched(interest).feed.open(interest));
  }

  void close(KafkaInterest interest) {
    execute(() -> closeNow(interest));
  }

  /** Ends the hold of interests. */
  void release(List<KafkaInterest> interests) {
    execute(
        () -> {
          for (KafkaInterest interest : interests) {
            Watched watched = topics.get(interest.route().kafkaTopic());
            if (watched != null) {
              watched.feed.release(interest);
            }
          }
        });
  }

  /** Passes the latest state of a topic in use, or null. */
  void look(String topic, java.util.function.Consumer<TopicLook> answer) {
    execute(
        () -> {
          Watched watched = topics.get(topic);
          answer.accept(watched == null ? null : watched.feed.look());
        });
  }

  /** See {@link TopicFeed#await}. */
  void await(
      String topic, String name, Set<Long> claimed, java.util.function.Consumer<String> answer) {
    execute(
        () -> {
          Watched watched = topics.get(topic);
          if (watched == null) {
            answer.accept("the topic is not in use");
          } else {
            watched.feed.await(name, claimed, AWAIT_NS, answer);
          }
        });
  }

  private Watched watched(KafkaInterest interest) {
    return topics.computeIfAbsent(
        interest.route().kafkaTopic(),
        topic ->
            new Watched(
                new TopicFeed(
                    interest.route(),
                    options.names(),
                    reader,
                    reused.computeIfAbsent(topic, any -> new ReusedOffsets()),
                    options.maxLagMs(),
                    owner)));
  }

  private void closeNow(KafkaInterest interest) {
    Watched watched = topics.get(interest.route().kafkaTopic());
    if (watched == null) {
      return;
    }
    watched.feed.close(interest);
    removeUnused(interest.route().kafkaTopic(), watched);
  }

  private void removeUnused(String topic, Watched watched) {
    if (watched.feed.isUnused()) {
      topics.remove(topic);
      assignmentChanged = true;
    }
  }

  private void run() {
    while (!stopped) {
      try {
        if (consumer == null) {
          connect();
        } else {
          step();
        }
      } catch (WakeupException e) {
        // a command waits
      } catch (OffsetOutOfRangeException e) {
        onOutOfRange(e);
      } catch (TopicAuthorizationException e) {
        deny(e.unauthorizedTopics(), e);
      } catch (AuthenticationException e) {
        disconnected(e);
        pause(backoff.nextMs());
      } catch (Throwable e) { // the node has to read all other topics nevertheless
        log.atError().setCause(e).log("broker.fault");
        pause(backoff.nextMs());
      }
    }
    closeClients();
  }

  private void connect() {
    try {
      directory = new TopicDirectory(options.admin());
      consumer = new KafkaConsumer<>(options.consumer("feed"));
    } catch (RuntimeException | LinkageError e) { // an address does not resolve, a key is unusable
      closeClients();
      owner.onUnreachable(e);
      pause(backoff.nextMs());
    }
  }

  private void closeClients() {
    try {
      if (consumer != null) {
        consumer.close(CloseOptions.timeout(Duration.ZERO));
      }
      if (directory != null) {
        directory.close();
      }
    } catch (RuntimeException e) {
      log.atDebug().setCause(e).log("Kafka client did not close cleanly");
    }
    consumer = null;
    directory = null;
  }

  /** Runs commands for a time. */
  private void pause(long ms) {
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
    while (awaitCommand(endNs)) {
      // until it has ended
    }
  }

  /** Waits until a time, or until it has run a command. Returns whether it has run one. */
  private boolean awaitCommand(long endNs) {
    try {
      long leftNs = endNs - System.nanoTime();
      Runnable next = leftNs > 0 && !stopped ? commands.poll(leftNs, TimeUnit.NANOSECONDS) : null;
      run(next);
      return next != null;
    } catch (InterruptedException e) {
      stopped = true;
      return false;
    }
  }

  private void step() {
    for (Runnable next = commands.poll(); next != null; next = commands.poll()) {
      run(next);
    }
    watch();
    passInTurn();
    reportAwaiting();
    boolean blocked = topics.values().stream().anyMatch(watched -> watched.feed.isBlocked());
    assign();
    if (consumer.assignment().isEmpty()) {
      pause(POLL.toMillis());
    } else if (!awaitCommand(nextPollNs)) {
      poll(blocked ? BLOCKED_POLL : POLL);
    }
  }

  // No topic waits for the backlog of another one.
  private void passInTurn() {
    boolean more = true;
    while (more) {
      more = false;
      for (Watched watched : topics.values()) {
        more |= watched.feed.pass();
      }
    }
    topics.values().forEach(watched -> watched.feed.answerAwaited());
  }

  private void reportAwaiting() {
    Set<String> now = new HashSet<>(0);
    topics.forEach(
        (topic, watched) -> {
          if (watched.feed.awaitsSchema()) {
            now.add(topic);
          }
        });
    if (!now.equals(awaiting)) {
      awaiting = now;
      owner.onAwaitingSchemas(now);
    }
  }

  private void run(Runnable command) {
    try {
      if (command != null) {
        command.run();
      }
    } catch (RuntimeException | Error e) {
      log.atError().setCause(e).log("broker.fault");
    }
  }

  private void poll(Duration timeout) {
    ConsumerRecords<byte[], byte[]> records;
    polling = true;
    try {
      records = consumer.poll(commands.isEmpty() ? timeout : Duration.ZERO);
    } finally {
      polling = false;
    }
    if (!records.isEmpty() && records.count() < KafkaOptions.MAX_RECORDS) {
      nextPollNs = System.nanoTime() + fetchIntervalNs(consumer.assignment().size());
    }
    for (TopicPartition partition : records.partitions()) {
      Watched watched = topics.get(partition.topic());
      if (watched != null) {
        watched.feed.add(partition.partition(), records.records(partition));
      }
    }
  }

  /** Returns the minimum interval of two fetches of new records. */
  static long fetchIntervalNs(int partitions) {
    return Math.min(partitions * FETCH_NS_PER_PARTITION, MAX_FETCH_NS);
  }

  /** Lets the consumer fetch the partitions that are neither waiting nor out of range. */
  private void assign() {
    if (assignmentChanged) {
      assignmentChanged = false;
      consumer.assign(
          topics.values().stream()
              .flatMap(watched -> Arrays.stream(watched.feed.partitions()))
              .map(feed -> feed.partition)
              .toList());
    }
    Set<TopicPartition> paused = consumer.paused();
    for (Watched watched : topics.values()) {
      for (PartitionFeed feed : watched.feed.partitions()) {
        if (feed.mustSeek()) {
          consumer.seek(feed.partition, feed.position());
        }
        if (feed.isPaused() != paused.contains(feed.partition)) {
          setPaused(feed);
        }
      }
    }
  }

  private void setPaused(PartitionFeed feed) {
    if (feed.isPaused()) {
      consumer.pause(List.of(feed.partition));
    } else {
      consumer.resume(List.of(feed.partition));
    }
  }

  private void onOutOfRange(OffsetOutOfRangeException e) {
    for (TopicPartition partition : e.offsetOutOfRangePartitions().keySet()) {
      Watched watched = topics.get(partition.topic());
      if (watched == null || partition.partition() >= watched.feed.partitions().length) {
        continue;
      }
      PartitionFeed feed = watched.feed.partitions()[partition.partition()];
      if (e instanceof LogTruncationException truncation) {
        feed.onTruncated(truncation.divergentOffsets().get(partition));
      } else {
        feed.onOutOfRange();
      }
    }
  }

  private void deny(Collection<String> denied, Exception cause) {
    for (String topic : denied) {
      Watched watched = topics.remove(topic);
      if (watched != null) {
        assignmentChanged = true;
        refuse(watched.feed.all(), cause);
      }
    }
  }

  /** Checks whether the cluster responds, and requests the state of topics. */
  private void watch() {
    boolean running = clock.tick();
    long nowNs = System.nanoTime();
    if (!probing && nowNs - nextProbeNs >= 0) {
      probing = true;
      nextProbeNs = nowNs + refreshNs();
      directory
          .probe()
          .whenComplete((done, failure) -> execute(() -> onProbe(TopicDirectory.cause(failure))));
    }
    if (directory.connections() > 0) {
      connectedNs = clock.nowNs();
    }
    boolean timedOut =
        clock.nowNs() - respondedNs > TimeUnit.MILLISECONDS.toNanos(options.timeoutMs())
            || clock.nowNs() - connectedNs > DISCONNECTED_NS;
    if (running && connected && timedOut) {
      disconnected(null);
    }
    if (connected) {
      look(nowNs);
    }
  }

  private long refreshNs() {
    return TimeUnit.MILLISECONDS.toNanos(options.refreshMs());
  }

  private void onProbe(Throwable failure) {
    probing = false;
    if (failure != null) {
      if (!connected) {
        owner.onUnreachable(failure);
      }
      return;
    }
    respondedNs = clock.nowNs();
    connectedNs = respondedNs;
    if (!connected) {
      connected = true;
      backoff.reset();
      owner.onConnected();
    }
  }

  private void disconnected(Throwable cause) {
    if (connected) {
      connected = false;
      owner.onLost();
    }
    if (cause != null) {
      owner.onUnreachable(cause);
    }
  }

  // Many topics are checked less often.
  private void look(long nowNs) {
    Map<String, Watched> due = new HashMap<>();
    long nextNs = nowNs + refreshNs() * (1 + topics.size() / TOPICS_PER_LOOK);
    topics.forEach(
        (topic, watched) -> {
          if (due.size() < TOPICS_PER_LOOK && watched.isDue(nowNs)) {
            watched.looking = true;
            watched.nextLookNs = nextNs;
            due.put(topic, watched);
          }
        });
    if (!due.isEmpty()) {
      directory.look(
          due.keySet(),
          (topic, look, failure) -> execute(() -> onLook(topic, due.get(topic), look, failure)));
    }
  }

  private void onLook(String topic, Watched watched, TopicLook look, Throwable failure) {
    watched.looking = false;
    if (topics.get(topic) != watched) {
      return; // closed or refused
    }
    if (failure == null && look.ends().length > MAX_PARTITIONS) {
      topics.remove(topic);
      assignmentChanged = true;
      String why = "the topic has more than " + MAX_PARTITIONS + " partitions";
      owner.onRefused(
          watched.feed.all(), ErrorCode.UNSUPPORTED, why, new InvalidTopicException(why));
      return;
    }
    if (failure == null) {
      watched.missing = false;
      assignmentChanged |= watched.feed.onLook(look);
      removeUnused(topic, watched);
      return;
    }
    if (!watched.missing) {
      watched.missing = true;
      log.atWarn()
          .addKeyValue("topic", topic)
          .addKeyValue("cause", SourceState.describe(failure))
          .log("source.topic-unavailable");
    }
    if (isPermanent(failure) || connected && watched.feed.isOverdue(OPEN_NS)) {
      refuse(watched.feed.takeWaiting(), failure);
      removeUnused(topic, watched);
    }
  }

  private static boolean isPermanent(Throwable failure) {
    return failure instanceof UnknownTopicOrPartitionException
        || failure instanceof InvalidTopicException
        || failure instanceof TopicAuthorizationException;
  }

  private void refuse(List<KafkaInterest> refused, Throwable cause) {
    if (cause instanceof TopicAuthorizationException) {
      owner.onRefused(
          refused,
          ErrorCode.FORBIDDEN,
          "the cluster does not permit this node to read this topic (Describe, Read)",
          cause);
    } else if (isPermanent(cause)) {
      owner.onRefused(refused, ErrorCode.UNKNOWN_TOPIC, "the cluster has no such topic", cause);
    } else {
      String why = "the cluster cannot serve this topic at the moment";
      owner.onRefused(refused, ErrorCode.BROKER_UNAVAILABLE, why, cause);
    }
  }
}
