package io.sluice.gateway.broker.nats;

import io.nats.client.JetStreamApiException;
import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.CauseLog;
import io.sluice.gateway.broker.IdentityState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.SourceState;
import io.sluice.gateway.broker.StreamSource;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.TopicPattern;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's connection to NATS and its interests. Topics are subjects: those that a stream of
 * JetStream stores are ordered, the others are not. Bound to the control thread, except where
 * {@link StreamSource} states otherwise.
 */
public final class NatsSource implements StreamSource {
  private static final Logger log = LoggerFactory.getLogger(NatsSource.class);

  private static final String NOT_SERVED =
      "the subject is not in nats.topics, or reserved: below $ except $KV, or _INBOX";

  /** Delay before a feed that has failed is opened again. */
  private static final long RETRY_MS = 500;

  private static final long CHECK_MS = 1_000;

  private final NatsOptions options;
  private final BrokerListener listener;
  private final GatewayMetrics metrics;
  private final NatsThreads threads;
  private final NatsReader.Rules rules;
  private final NatsPublisher publisher;
  private final ReadBackQueue readBacks;
  private final Backoff backoff;
  private final CauseLog unreachable = new CauseLog();
  private final CauseLog reconnects = new CauseLog();
  private final CauseLog refusals = new CauseLog();
  private final String servers;
  private final Set<NatsInterest> interests = new LinkedHashSet<>();

  /** Interests whose opening has to end before {@link BrokerListener#onLive}. */
  private final Set<NatsInterest> restoring = new HashSet<>();

  /** The current connection; null while there is none. Written on the control thread. */
  private volatile NatsLink link;

  private final SourceState state = new SourceState();
  private boolean live;
  private boolean stopped;

  /**
   * Creates a source that is not connected yet.
   *
   * @param control executor of the control thread
   */
  public NatsSource(
      NatsOptions options,
      ScheduledExecutorService control,
      BrokerListener listener,
      GatewayMetrics metrics) {
    this.options = options;
    this.listener = listener;
    this.metrics = metrics;
    this.threads = new NatsThreads(control);
    this.rules =
        new NatsReader.Rules(
            options.rules(), options.forwardedHeaders(), options.messageBytes(), metrics);
    this.publisher = new NatsPublisher(options.publish(), threads, metrics);
    this.readBacks = new ReadBackQueue(() -> link, rules, this::onConfirmed);
    this.backoff = options.newBackoff();
    this.servers = String.join(",", options.servers());
  }

  private boolean isServed(String topic) {
    return !NatsReader.isInternal(topic) && TopicPattern.anyCovers(options.topics(), topic);
  }

  @Override
  public void start() {
    threads.onControl(
        () ->
            listener.onIdentity(
                IdentityState.NONE, "streams number their messages; core subjects do not"));
    connect();
    threads.later(this::check, CHECK_MS);
    threads.later(this::search, options.searchMs());
  }

  @Override
  public void stop() {
    stopped = true;
    NatsLink closing = link;
    link = null;
    publisher.onLost();
    readBacks.stop();
    interests.forEach(NatsInterest::retire);
    metrics.brokerConnected("nats", false);
    threads.stop(closing == null ? () -> {} : closing::close);
  }

  @Override
  public String state() {
    return state.toString();
  }

  @Override
  public String waiting(String topic) {
    NatsLink current = link;
    boolean stored = current == null || current.streams().find(topic).stream() != null;
    return stored || !topic.startsWith(NatsReader.KEYS)
        ? ""
        : "there is no such bucket; the node subscribes within %d s of its creation"
            .formatted(TimeUnit.MILLISECONDS.toSeconds(options.searchMs()));
  }

  private void connect() {
    threads.work(
        () -> {
          try {
            NatsLink connected = new NatsLink(options, threads, new LinkEvents());
            connected.streams().refresh(System.nanoTime());
            threads.onControl(() -> onConnected(connected));
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          } catch (Exception e) { // the client may fail in any way
            threads.onControl(() -> onUnreachable(e));
          }
        });
  }

  private void onUnreachable(Exception cause) {
    String why = state.onUnreachable(cause);
    unreachable.atWarn(log, "url", servers, why).log("broker.unreachable");
    reconnect();
  }

  private void reconnect() {
    if (stopped) {
      return;
    }
    long delayMs = backoff.nextMs();
    metrics.brokerReconnectAttempt("nats");
    reconnects
        .atInfo(log, state.toString())
        .addKeyValue("in-ms", delayMs)
        .log("broker.reconnecting");
    threads.later(this::connect, delayMs);
  }

  private void onConnected(NatsLink connected) {
    if (stopped || connected.isLost()) {
      threads.work(connected::close);
      reconnect();
      return;
    }
    link = connected;
    metrics.brokerConnected("nats", true);
    log.atInfo()
        .addKeyValue("url", servers)
        .addKeyValue("interests", interests.size())
        .log("broker.connected");
    publisher.onConnected(connected);
    restoring.addAll(interests);
    describe();
    if (restoring.isEmpty()) {
      onRestored();
    }
    List.copyOf(interests).forEach(interest -> open(interest, connected));
  }

  private void onRestored() {
    live = true;
    unreachable.reset();
    reconnects.reset();
    backoff.reset(); // not earlier: a server may accept connections and close them at once
    describe();
    listener.onLive();
  }

  private void describe() {
    int all = interests.size();
    long active = interests.stream().filter(interest -> interest.feed() != null).count();
    if (active == all) {
      state.onLive();
    } else {
      state.onOpening(active, all);
    }
  }

  private void onLost(NatsLink lost) {
    threads.work(lost::close);
    if (lost != link) {
      return;
    }
    link = null;
    live = false;
    restoring.clear();
    publisher.onLost();
    interests.forEach(NatsInterest::retire);
    metrics.brokerConnected("nats", false);
    state.onLost();
    log.atWarn().addKeyValue("url", servers).log("broker.lost");
    listener.onLost();
    reconnect();
  }

  /** Receiver of the events of connections. */
  private final class LinkEvents implements NatsLink.Events {
    @Override
    public void onLost(NatsLink lost) {
      threads.onControl(() -> NatsSource.this.onLost(lost));
    }

    @Override
    public void onDenied(boolean publish, String subject) {
      if (publish) {
        publisher.onDenied(subject);
      } else {
        threads.onControl(() -> refuseDenied(subject));
      }
    }

    @Override
    public void onDropped() {
      threads.onControl(
          () ->
              interests.forEach(
                  interest -> {
                    if (interest.feed() instanceof CoreFeed core) {
                      core.onDropped();
                    }
                  }));
    }
  }

  private void refuseDenied(String subject) {
    List.copyOf(interests).stream()
        .filter(interest -> interest.pattern().equals(subject))
        .forEach(interest -> refuse(interest, ErrorCode.FORBIDDEN, denied()));
  }

  private static String denied() {
    return "the server denies the node access to this topic";
  }

  @Override
  public Consumer open(InterestKey key, TopicListener topicListener) {
    NatsInterest interest = new NatsInterest(key, topicListener, rules, this::onClosed);
    if (key.hasSelector()) {
      interest.refuse(ErrorCode.UNSUPPORTED, "NATS evaluates no selectors");
    } else if (!isServed(key.topic())) {
      if (topicListener.user().isEmpty()) { // of history.warm
        logRefused(key, NOT_SERVED);
      }
      interest.refuse(ErrorCode.FORBIDDEN, NOT_SERVED);
    } else {
      interests.add(interest);
      metrics.interestOpened();
      if (link != null) {
        open(interest, link);
      }
    }
    return interest;
  }

  private void onClosed(NatsInterest interest) {
    if (interests.remove(interest)) {
      metrics.interestClosed();
      settle(interest);
    }
  }

  private void open(NatsInterest interest, NatsLink over) {
    long askedNs = System.nanoTime();
    threads.open(interest.listener().user(), () -> openNow(interest, over, askedNs));
  }

  private void openNow(NatsInterest interest, NatsLink over, long askedNs) {
    try {
      StreamDirectory.Found found = over.streams().find(interest.pattern(), askedNs);
      if (found.problem() != null) {
        ifCurrent(interest, over, () -> refuse(interest, ErrorCode.UNSUPPORTED, found.problem()));
        return;
      }
      if (found.stream() == null && interest.position() != null) {
        throw new IOException("the stream of the topic does not exist at the moment");
      }
      NatsFeed feed = feed(interest, over, found.stream());
      feed.open();
      threads.onControl(() -> begin(interest, over, feed));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) { // the client may fail in any way
      ifCurrent(interest, over, () -> onFailed(interest, over, e));
    }
  }

  private NatsFeed feed(NatsInterest interest, NatsLink over, SubjectStream stream) {
    return stream == null
        ? new CoreFeed(over, interest, interest::onActive)
        : new StreamFeed(over, stream, interest, options.maxLagMs(), new FeedOwner(interest, over));
  }

  private void ifCurrent(NatsInterest interest, NatsLink over, Runnable task) {
    threads.onControl(
        () -> {
          if (over == link && !interest.isClosed()) {
            task.run();
          }
        });
  }

  private void begin(NatsInterest interest, NatsLink over, NatsFeed feed) {
    if (over != link || interest.isClosed()) {
      feed.end();
    } else if (feed instanceof CoreFeed && over.denies(interest.pattern())) {
      feed.end();
      refuse(interest, ErrorCode.FORBIDDEN, denied());
    } else {
      interest.begin(feed);
      log.atDebug().addKeyValue("topic", interest.key()).log("interest.opened");
      settle(interest);
    }
  }

  private void onFailed(NatsInterest interest, NatsLink over, Exception cause) {
    log.atWarn()
        .addKeyValue("topic", interest.key())
        .addKeyValue("cause", cause.toString())
        .log("interest.failed");
    if (interest.wasActive()) {
      openLater(interest, over);
    } else if (over.deniesBelow("$JS.API.")) {
      refuse(interest, ErrorCode.FORBIDDEN, denied());
    } else if (cause instanceof JetStreamApiException refused && refused.getErrorCode() == 400) {
      refuse(interest, ErrorCode.UNSUPPORTED, refused.getErrorDescription());
    } else {
      refuse(
          interest,
          ErrorCode.BROKER_UNAVAILABLE,
          "the server cannot serve this topic at the moment");
    }
  }

  private void openLater(NatsInterest interest, NatsLink over) {
    settle(interest);
    over.later(() -> ifCurrent(interest, over, () -> open(interest, over)), RETRY_MS);
  }

  private void refuse(NatsInterest interest, ErrorCode code, String why) {
    logRefused(interest.key(), why);
    interest.refuse(code, why);
    onClosed(interest);
  }

  private void logRefused(InterestKey key, String why) {
    refusals.atWarn(log, "topic", key, why).log("interest.refused");
  }

  private void settle(NatsInterest interest) {
    restoring.remove(interest);
    if (link != null) {
      describe();
    }
    if (link != null && !live && restoring.isEmpty()) {
      onRestored();
    }
  }

  /** Owner of the feed of an interest. */
  private final class FeedOwner implements StreamFeed.Owner {
    private final NatsInterest interest;
    private final NatsLink over;

    FeedOwner(NatsInterest interest, NatsLink over) {
      this.interest = interest;
      this.over = over;
    }

    @Override
    public void onActive() {
      interest.onActive();
    }

    @Override
    public void onFailed(String why) {
      ifCurrent(
          interest,
          over,
          () -> {
            log.atWarn()
                .addKeyValue("topic", interest.key())
                .addKeyValue("cause", why)
                .log("interest.lost");
            interest.retire();
            openLater(interest, over);
          });
    }
  }

  /** Checks feeds for silence. Timer thread. */
  private void check() {
    long nowNs = System.nanoTime();
    threads.onControl(
        () -> interests.stream().map(NatsInterest::feed).forEach(feed -> check(feed, nowNs)));
    threads.later(this::check, CHECK_MS);
  }

  private static void check(NatsFeed feed, long nowNs) {
    if (feed != null) {
      feed.check(nowNs);
    }
  }

  /** Searches for streams that store core subjects in use. Timer thread. */
  private void search() {
    NatsLink current = link;
    if (current != null) {
      threads.work(() -> search(current));
    }
    threads.later(this::search, options.searchMs());
  }

  private void search(NatsLink over) {
    try {
      over.streams().refresh(System.nanoTime());
      threads.onControl(() -> replaceCore(over));
    } catch (Exception e) { // the client may fail in any way
      log.atDebug().setCause(e).log("the streams cannot be read");
    }
  }

  private void replaceCore(NatsLink over) {
    List<NatsInterest> stored =
        interests.stream()
            .filter(interest -> interest.feed() instanceof CoreFeed)
            .filter(interest -> over.streams().find(interest.pattern()).stream() != null)
            .toList();
    if (over == link) {
      stored.forEach(NatsInterest::retire);
      stored.forEach(interest -> open(interest, over));
    }
  }

  @Override
  public String durableProblem() {
    return "NATS retains messages in streams; no topic is durable";
  }

  @Override
  public void readBack(ReadBack request) {
    readBacks.add(request);
  }

  // A feed that is behind its clients must not miss that the server loses their messages.
  private void onConfirmed(String topic, StreamFeed.Position place) {
    threads.onControl(
        () ->
            interests.stream()
                .filter(interest -> TopicPattern.covers(interest.pattern(), topic))
                .forEach(interest -> interest.onConfirmed(place)));
  }

  @Override
  public void publish(Publication publication, PublishListener publishListener) {
    if (publication.destination().isQueue() || isServed(publication.destination().name())) {
      publisher.publish(publication, publishListener);
    } else {
      publisher.refuse(publishListener, ErrorCode.FORBIDDEN, NOT_SERVED);
    }
  }

  @Override
  public Set<Feature> features() {
    return Set.of(Feature.PUBLISH_ID);
  }
}
