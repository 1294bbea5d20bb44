package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.CauseLog;
import io.sluice.gateway.broker.IdentityState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.SourceState;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.StreamSource;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.broker.selector.InvalidSelector;
import io.sluice.gateway.broker.selector.Selector;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.InterestKey;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kafka cluster as the node's broker. Its state is bound to the control thread; the methods state
 * which ones any thread may call.
 *
 * <p>The feed reads new records of all topics with interests. A new interest is assigned a place by
 * the feed. In a compacted topic, the snapshots' thread then passes older messages. An outage
 * changes nothing: the feed continues at its offsets.
 */
public final class KafkaSource implements StreamSource {
  private static final Logger log = LoggerFactory.getLogger(KafkaSource.class);
  private static final long RETRY_MS = 1_000;
  private static final String NO_QUEUES = "Kafka has no queues";

  private final KafkaOptions options;
  private final ScheduledExecutorService control;
  private final BrokerListener listener;
  private final GatewayMetrics metrics;
  private final ValueSchemas schemas;
  private final RecordReader reader;
  private final KafkaFeed feed;
  private final RangeReader snapshots;
  private final RangeReader readBacks;
  private final KafkaPublisher publisher;
  private final AwaitedSchemas awaited;
  private final SourceState state = new SourceState();

  private final Set<KafkaInterest> interests = new LinkedHashSet<>();

  /** Interests that have to be active before {@link BrokerListener#onLive}. */
  private final Set<KafkaInterest> restoring = new LinkedHashSet<>();

  private boolean connected;
  private boolean live;
  private boolean stopped;

  private final CauseLog unreachable = new CauseLog();
  private final CauseLog refusals = new CauseLog();

  /**
   * Creates a source that is not connected yet.
   *
   * @param schemas schemas of record values, which the source stops
   * @param control executor of the control thread
   */
  public KafkaSource(
      KafkaOptions options,
      ValueSchemas schemas,
      ScheduledExecutorService control,
      BrokerListener listener,
      GatewayMetrics metrics) {
    this.options = options;
    this.control = control;
    this.listener = listener;
    this.metrics = metrics;
    this.schemas = schemas;
    this.awaited = new AwaitedSchemas(metrics);
    this.reader =
        new RecordReader(
            options.forwarded(), options.keys(), options.messageBytes(), schemas, metrics);
    this.feed = new KafkaFeed(options, reader, new FeedEvents());
    this.snapshots = new RangeReader(options.consumer("snapshot"), "sluice-kafka-snapshot");
    this.readBacks = new RangeReader(options.consumer("read-back"), "sluice-kafka-read-back");
    this.publisher = new KafkaPublisher(options, schemas, metrics);
  }

  @Override
  public void start() {
    feed.start();
  }

  @Override
  public void stop() {
    stopped = true;
    publisher.stop();
    feed.stop();
    snapshots.stop();
    readBacks.stop();
    schemas.stop();
    metrics.brokerConnected("kafka", false);
  }

  @Override
  public String state() {
    return state.toString();
  }

  @Override
  public String waiting() {
    return awaited.summary();
  }

  @Override
  public String waiting(String topic) {
    KafkaNames.Route route = options.names().route(topic);
    return route == null ? "" : awaited.of(route.kafkaTopic());
  }

  @Override
  public Consumer open(InterestKey key, TopicListener topicListener) {
    KafkaNames.Route route = options.names().route(key.topic());
    KafkaInterest interest = new KafkaInterest(key, route, topicListener, this::onClosed);
    if (route == null) {
      boolean pattern = interest.isPattern();
      ErrorCode code = pattern ? ErrorCode.UNSUPPORTED : ErrorCode.UNKNOWN_TOPIC;
      if (topicListener.user().isEmpty()) { // of history.warm
        logRefused(key, KafkaNames.refusal(key.topic()));
      }
      topicListener.onRefused(code, KafkaNames.refusal(key.topic()));
    } else if (key.hasSelector()) {
      topicListener.onRefused(
          ErrorCode.UNSUPPORTED, "Kafka evaluates no selectors (topics.broker-selectors)");
    } else {
      interests.add(interest);
      metrics.interestOpened();
      feed.open(interest);
    }
    return interest;
  }

  private void onClosed(KafkaInterest interest) {
    if (interests.remove(interest)) {
      metrics.interestClosed();
      feed.close(interest);
      onRestored(List.of(interest));
      log.atDebug().addKeyValue("topic", interest.key()).log("interest.closed");
    }
  }

  @Override
  public String durableProblem() {
    return "Kafka stores all messages, broker.durable has no effect";
  }

  @Override
  public void readBack(ReadBack request) {
    KafkaNames.Route route = options.names().route(request.key().topic());
    String problem = route == null ? KafkaNames.refusal(request.key().topic()) : null;
    if (request.after().stream() != request.upTo().stream()) {
      problem = "the topic was created again";
    }
    try {
      String text = request.key().selector();
      Selector selector = text == null ? null : Selector.compile(text);
      if (problem == null) {
        feed.look(route.kafkaTopic(), look -> readBack(request, route, look, selector));
      }
    } catch (InvalidSelector e) {
      problem = e.getMessage();
    }
    if (problem != null) {
      request.answer().accept(null, problem);
    }
  }

  // A client may have received a message before this node, or one that the cluster has lost.
  private void readBack(
      ReadBack request, KafkaNames.Route route, TopicLook look, Selector selector) {
    if (look == null) {
      request.answer().accept(null, "the topic is not in use");
      return;
    }
    ReadBack verified =
        request.answering(
            (messages, why) -> {
              if (messages == null) {
                request.answer().accept(null, why);
              } else {
                feed.await(
                    route.kafkaTopic(),
                    request.key().topic(),
                    request.claimed(),
                    failure -> request.answer().accept(failure == null ? messages : null, failure));
              }
            });
    readBacks.read(new ReadBackRange(verified, route, look, options.names(), reader, selector));
  }

  @Override
  public void publish(Publication publication, PublishListener publishListener) {
    String name = publication.destination().name();
    KafkaNames.Route route = options.names().route(name);
    if (publication.destination().isQueue()) {
      publisher.refuse(publishListener, ErrorCode.UNSUPPORTED, NO_QUEUES);
    } else if (route == null) {
      publisher.refuse(publishListener, ErrorCode.UNKNOWN_TOPIC, KafkaNames.refusal(name));
    } else {
      publisher.publish(publication, route, publishListener);
    }
  }

  /** Events of the feed, which continue on the control thread. */
  private final class FeedEvents implements KafkaFeed.Owner {
    @Override
    public void onConnected() {
      publisher.onConnected();
      onControl(KafkaSource.this::onConnected);
    }

    @Override
    public void onLost() {
      publisher.onLost();
      onControl(KafkaSource.this::onLost);
    }

    @Override
    public void onUnreachable(Throwable cause) {
      onControl(() -> KafkaSource.this.onUnreachable(cause));
    }

    @Override
    public void onAwaitingSchemas(Set<String> awaiting) {
      awaited.onLive(awaiting);
    }

    @Override
    public void onRefused(
        List<KafkaInterest> refused, ErrorCode code, String why, Throwable cause) {
      onControl(() -> refused.forEach(interest -> refuse(interest, code, why, cause)));
    }

    @Override
    public void onJoined(List<KafkaInterest> joined, StreamPlace place, TopicLook look) {
      onControl(() -> begin(joined, place, look));
    }

    @Override
    public void onRestarted(KafkaInterest held, StreamPlace place) {
      onControl(
          () -> {
            open(List.of(held)).forEach(interest -> interest.listener().onStream(place));
            feed.release(List.of(held));
          });
    }
  }

  private void begin(List<KafkaInterest> joined, StreamPlace place, TopicLook look) {
    List<KafkaInterest> open = open(joined);
    open.forEach(interest -> interest.listener().onStream(place));
    if (look.compacted()) {
      readSnapshot(open, place, look);
    } else {
      activate(open);
    }
  }

  // A snapshot is complete or fails, so that another attempt repeats nothing.
  private void readSnapshot(List<KafkaInterest> joined, StreamPlace place, TopicLook look) {
    List<KafkaInterest> open = open(joined);
    if (open.isEmpty() || stopped) {
      awaited.onSnapshot(joined.get(0).route().kafkaTopic(), false);
      return;
    }
    long[] ends = new long[look.ends().length];
    for (int partition = 0; partition < ends.length; partition++) {
      ends[partition] = place.offsetOf(partition) + 1;
    }
    snapshots.read(
        new SnapshotScan(
            open,
            place,
            ends,
            options,
            reader,
            metrics,
            failure -> onControl(() -> onSnapshot(open, place, look, failure))));
  }

  private void onSnapshot(
      List<KafkaInterest> open, StreamPlace place, TopicLook look, String failure) {
    awaited.onSnapshot(open.get(0).route().kafkaTopic(), RecordReader.NO_SCHEMA.equals(failure));
    if (failure == null) {
      activate(open);
      return;
    }
    log.atInfo()
        .addKeyValue("topic", open.get(0).route().kafkaTopic())
        .addKeyValue("cause", failure)
        .log("source.snapshot-delayed");
    later(() -> readSnapshot(open, place, look));
  }

  private void activate(List<KafkaInterest> joined) {
    List<KafkaInterest> open = open(joined);
    for (KafkaInterest interest : open) {
      interest.listener().onActive(false);
      log.atDebug().addKeyValue("topic", interest.key()).log("interest.opened");
    }
    feed.release(open);
    onRestored(open);
  }

  private List<KafkaInterest> open(List<KafkaInterest> some) {
    return some.stream().filter(interests::contains).toList();
  }

  private void refuse(KafkaInterest interest, ErrorCode code, String why, Throwable cause) {
    if (interests.remove(interest)) {
      metrics.interestClosed();
      logRefused(interest.key(), SourceState.describe(cause));
      interest.listener().onRefused(code, why);
      onRestored(List.of(interest));
    }
  }

  private void logRefused(InterestKey key, String cause) {
    refusals.atWarn(log, "topic", key, cause).log("interest.refused");
  }

  private void onConnected() {
    if (stopped) {
      return;
    }
    connected = true;
    unreachable.reset();
    metrics.brokerConnected("kafka", true);
    log.atInfo()
        .addKeyValue("servers", options.servers())
        .addKeyValue("interests", interests.size())
        .log("broker.connected");
    listener.onIdentity(IdentityState.VERIFIED, "Kafka numbers the messages of each partition");
    interests.stream().filter(interest -> interest.place() == null).forEach(restoring::add);
    onRestored(List.of());
  }

  private void onRestored(List<KafkaInterest> active) {
    active.forEach(restoring::remove);
    if (!connected || live) {
      return;
    }
    if (restoring.isEmpty()) {
      live = true;
      state.onLive();
      listener.onLive();
    } else {
      state.onOpening(interests.size() - restoring.size(), interests.size());
    }
  }

  private void onLost() {
    if (stopped) {
      return;
    }
    connected = false;
    live = false;
    restoring.clear();
    metrics.brokerConnected("kafka", false);
    state.onLost();
    log.atWarn().addKeyValue("servers", options.servers()).log("broker.lost");
    listener.onLost();
  }

  private void onUnreachable(Throwable cause) {
    metrics.brokerReconnectAttempt("kafka");
    String text = state.onUnreachable(cause);
    unreachable.atWarn(log, "servers", options.servers(), text).log("broker.unreachable");
  }

  private void later(Runnable task) {
    try {
      control.schedule(task, RETRY_MS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }

  private void onControl(Runnable task) {
    try {
      control.execute(task);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }
}
