package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.BrokerThreads;
import io.sluice.gateway.broker.CauseLog;
import io.sluice.gateway.broker.DiscardRisk;
import io.sluice.gateway.broker.DurableListener;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.Requests;
import io.sluice.gateway.broker.SourceState;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.broker.provider.BrokerNames;
import io.sluice.gateway.broker.provider.Provider;
import io.sluice.gateway.broker.provider.SubscriptionRefusal;
import io.sluice.gateway.config.ServiceUrl;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.PublishHeaders;
import io.sluice.gateway.time.RunningClock;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Queue;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The node's connections to the broker and the consumers on them. Bound to the control thread,
 * except {@link #publish} and {@link #start}, which any thread may call.
 *
 * <p>If one connection is lost, all are closed, except a {@linkplain SeparateTopics separate} one.
 * After a reconnect, the {@link ConsumerOpener} opens several interests in parallel, and each is
 * reported when it is active.
 */
public final class JmsBroker implements Broker {
  private static final Logger log = LoggerFactory.getLogger(JmsBroker.class);

  /** Largest number of characters of the broker's explanation that a client receives. */
  private static final int MAX_EXPLANATION = 500;

  private static final long CHECK_MS = 2_000;

  /** Minimum interval between gaps for bridges of the broker. */
  private static final long BRIDGE_GAP_MS = 10_000;

  /** Maximum number of separate connections of lagging topics. */
  private static final int SEPARATE_CONNECTIONS = 4;

  /** Number of checks between two examinations of the broker's settings. */
  private static final int CHECKS_PER_EXAMINATION = 30;

  /** Key of the replies in the log; no topic. */
  private static final InterestKey REPLIES = InterestKey.of("reply queue");

  /** Key of the queues in the log; no topic. */
  private static final InterestKey QUEUES = InterestKey.of("queues");

  private static final String UNSUPPORTED = "the JMS client does not support this subscription";
  private static final String NOT_SERVED = "name is reserved or invalid for this broker";

  private final ScheduledExecutorService control;
  private final BrokerListener listener;
  private final GatewayMetrics metrics;
  private final Provider provider;
  private final MessageReader.Rules messageRules;
  private final JmsPublisher publisher;

  /**
   * Publisher of delayed messages. It is another one where the broker is unknown: a broker may
   * close the connection of a delayed publish.
   */
  private final JmsPublisher delayed;

  private final QueueSupport queues;
  private final Canary canary;
  private final DurableSubscriptions subscriptions;
  private final Backoff backoff;
  private final CauseLog unreachable = new CauseLog();
  private final CauseLog reconnects = new CauseLog();
  private final CauseLog refusals = new CauseLog();
  private final SourceState state = new SourceState();

  /** Clock of the timeouts of the broker's connections. */
  private final RunningClock clock = new RunningClock(System::nanoTime, CHECK_MS);

  private final KeyValuePair address;
  private final JmsOptions options;

  private final BrokerInterest.Owner owner = new Interests();
  private final Set<BrokerInterest> interests = new LinkedHashSet<>();
  private List<BrokerConnection> connections = List.of();

  /** Opens interests on these connections; null while there are none. */
  private ConsumerOpener opener;

  /** Proof of patterns by the current connections; null if none is required. */
  private volatile PatternProof patterns;

  private final DiscardChecks discards;
  private final SeparateTopics separate;

  /** Number of separate connections so far, also of failed ones. */
  private final AtomicInteger separateConnections = new AtomicInteger();

  /** True while a gap for a changed bridge is scheduled. */
  private boolean bridgeGap;

  private long bridgeGapMs = -BRIDGE_GAP_MS;

  private int checksUntilExamination = CHECKS_PER_EXAMINATION;

  /** Number of interests whose opening has to end before {@link BrokerListener#onLive}. */
  private int restoring;

  /** Number of interests that existed when the connection was established. */
  private int restored;

  /** Number of connects and losses, which identifies late calls of an earlier connection. */
  private int generation;

  /** Periodic check for an unresponsive broker, and for consumers that it has closed. */
  private volatile ScheduledFuture<?> checks;

  /** True while a scan for consumers that the broker has closed is scheduled. */
  private final AtomicBoolean disconnects = new AtomicBoolean();

  private boolean recovering;
  private boolean stopped;

  /**
   * Creates a broker that is not connected yet.
   *
   * @param queues factory of its queues and requests
   * @param control executor of the control thread
   */
  public JmsBroker(
      JmsOptions options,
      QueueSupport.Factory queues,
      ScheduledExecutorService control,
      BrokerListener listener,
      GatewayMetrics metrics) {
    this(options, queues, control, listener, metrics, options.provider().newProvider());
  }

  JmsBroker(
      JmsOptions options,
      QueueSupport.Factory queues,
      ScheduledExecutorService control,
      BrokerListener listener,
      GatewayMetrics metrics,
      Provider provider) {
    this.control = control;
    this.listener = listener;
    this.metrics = metrics;
    this.provider = provider;
    this.options = options;
    this.address = options.provider().logPair();
    this.publisher =
        new JmsPublisher(
            options.publish(),
            provider,
            options.publishPersistent(),
            options.newBackoff(),
            metrics);
    this.delayed =
        provider.isUnknown() ? publisher.another(Provider.DELAYS, options.newBackoff()) : publisher;
    this.canary = new Canary(options, provider, this::execute, listener, clock::nowNs, metrics);
    BrokerNames names =
        new BrokerNames(
            provider.wildcards(), provider::isPlainName, options.provider().topicRules());
    this.messageRules =
        new MessageReader.Rules(
            provider,
            names,
            options.forwardedProperties(),
            options.keyProperties(),
            options.messageBytes(),
            this::isHidden,
            new RefusedMessages(System::nanoTime),
            metrics);
    this.queues =
        queues.create(
            new BrokerAccess(
                provider,
                names,
                new MessageReader(messageRules.withoutKeys(), QUEUES, () -> {})::readDelivery,
                new MessageReader(messageRules.withoutKeys(), REPLIES, () -> {})::readReply,
                new ServedByQueues(),
                this::sendReply,
                this::sendRequest,
                new TransactionSenders(provider, options.publishPersistent(), this::isServed),
                options::newBackoff,
                metrics,
                BrokerThreads.SYSTEM));
    this.subscriptions =
        new DurableSubscriptions(
            provider,
            new DurableMarker(
                options.markerFile(), provider, canary.markerTopic(options.clientId())));
    this.backoff = options.newBackoff();
    this.discards = new DiscardChecks(provider::discardRisks);
    this.separate =
        new SeparateTopics(new SeparateOwner(), SEPARATE_CONNECTIONS, backoff, clock::nowNs);
  }

  @Override
  public void start() {
    publishers().forEach(JmsPublisher::start);
    onControl(canary::start);
    onControl(this::connect);
    checks =
        control.scheduleWithFixedDelay(
            () -> guard(this::check), CHECK_MS, CHECK_MS, TimeUnit.MILLISECONDS);
  }

  private Set<JmsPublisher> publishers() {
    return publisher == delayed ? Set.of(publisher) : Set.of(publisher, delayed);
  }

  @Override
  public void stop() {
    stopped = true;
    generation++;
    publishers().forEach(JmsPublisher::stop);
    queues.stop();
    canary.stop();
    if (checks != null) {
      checks.cancel(false);
    }
    endOpener();
    interests.forEach(BrokerInterest::discard);
    closeInBackground(jms(connections));
    connections = List.of();
    closeInBackground(separate.stop());
    metrics.brokerConnected("jms", false);
  }

  private void endOpener() {
    if (opener != null) {
      opener.end();
      opener = null;
    }
  }

  @Override
  public String state() {
    return state.toString();
  }

  @Override
  public List<DiscardRisk> risks() {
    return Stream.of(discards.latest(), provider.reportedRisks(), separate.risks())
        .flatMap(List::stream)
        .toList();
  }

  @Override
  public Consumer open(InterestKey key, TopicListener topicListener) {
    return open(new NonDurableInterest(owner, key, topicListener));
  }

  @Override
  public Consumer openDurable(String pattern, DurableListener durableListener) {
    return open(new DurableInterest(owner, InterestKey.of(pattern), durableListener));
  }

  @Override
  public boolean selectsConsumersAtSend() {
    return provider.selectsConsumersAtSend();
  }

  @Override
  public boolean preservesOrderAcrossTopics() {
    return provider.preservesOrderAcrossTopics();
  }

  @Override
  public void unsubscribeDurable(String pattern, Runnable done) {
    subscriptions.removeLater(pattern, done);
  }

  private Consumer open(BrokerInterest interest) {
    if (!isServed(interest.pattern())) {
      interest.refuse(ErrorCode.FORBIDDEN, NOT_SERVED);
      return interest;
    }
    interests.add(interest);
    metrics.interestOpened();
    if (opener != null && !separate.open(interest, false)) {
      opener.open(new Opening(interest, connection(interest), null, false));
    }
    return interest;
  }

  @Override
  public void publish(Publication publication, PublishListener publishListener) {
    if (isServed(publication)) {
      boolean isDelayed = publication.headers().delayMs() != PublishHeaders.NONE;
      (isDelayed ? delayed : publisher).publish(publication, publishListener);
    } else {
      publisher.refuse(publishListener, ErrorCode.FORBIDDEN, NOT_SERVED);
    }
  }

  @Override
  public Queues queues() {
    return queues.queues();
  }

  @Override
  public Set<Feature> features() {
    return queues.usable(provider.features());
  }

  @Override
  public Requests requests() {
    return queues.requests();
  }

  private void sendReply(
      Publication reply, Destination to, String correlationId, PublishListener result) {
    try {
      if (isReplyDestination(to)) {
        publisher.publish(reply, RequestHeaders.reply(to, correlationId), result);
        return;
      }
    } catch (JMSException e) {
      log.atDebug().setCause(e).log("reply destination without a name");
    }
    publisher.refuse(result, ErrorCode.NO_RECIPIENT, "the reply destination is not usable");
  }

  // The sender of the message has chosen the destination; clients must not reach internal ones.
  private boolean isReplyDestination(Destination to) throws JMSException {
    if (to instanceof TemporaryQueue || to instanceof TemporaryTopic) {
      return true;
    }
    if (to instanceof Queue queue) {
      return isServedQueue(provider.wildcards().fromProvider(queue.getQueueName()));
    }
    return to instanceof Topic topic
        && isServed(provider.wildcards().fromProvider(topic.getTopicName()));
  }

  private void sendRequest(
      Publication publication,
      Destination replyTo,
      String correlationId,
      long ttlMs,
      PublishListener result) {
    if (isServed(publication)) {
      publisher.publish(publication, RequestHeaders.request(replyTo, correlationId, ttlMs), result);
    } else {
      publisher.refuse(result, ErrorCode.FORBIDDEN, NOT_SERVED);
    }
  }

  private boolean isServed(Publication publication) {
    String name = publication.destination().name();
    io.sluice.gateway.protocol.Destination replyTo = publication.headers().replyTo();
    return (replyTo == null || isServed(replyTo.name()))
        && (publication.destination().isQueue()
            ? provider.isPlainName(name) && !provider.isInternal(name)
            : isServed(name));
  }

  private boolean isServed(String topic) {
    return provider.isPlainName(topic) && !provider.isInternal(topic) && !canary.isCanary(topic);
  }

  // Operators' applications read dead letters.
  private boolean isServedQueue(String queue) {
    return isServed(queue) || queue.equals(provider.deadLetterQueue());
  }

  /** Names that clients may use at the queues' connection. */
  private final class ServedByQueues implements ServedNames {
    @Override
    public boolean isServedQueue(String queue) {
      return JmsBroker.this.isServedQueue(queue);
    }

    // The broker would store internal messages and canaries for a pattern that matches them.
    @Override
    public boolean isServedTopic(String topic) {
      return isServed(topic)
          && !topic.startsWith("*")
          && !topic.startsWith(">")
          && !canary.mayMatch(topic);
    }
  }

  /** Returns whether a topic that matches a pattern is hidden from clients. Any thread. */
  private boolean isHidden(String topic, String providerTopic) {
    return provider.isInternal(providerTopic) || canary.isCanary(topic);
  }

  /** Handler of requests of the interests. */
  private final class Interests implements BrokerInterest.Owner {
    @Override
    public void remove(BrokerInterest interest) {
      if (interests.remove(interest)) {
        metrics.interestClosed();
      }
    }

    @Override
    public void close(OpenedConsumer unused) {
      if (opener != null) {
        opener.close(unused);
      }
    }

    @Override
    public void requirePatterns() throws JMSException {
      PatternProof current = patterns;
      if (current != null) {
        current.require();
      }
    }

    // One scan finds all closed consumers of a session.
    @Override
    public void onDisconnect() {
      if (!disconnects.getAndSet(true)) {
        onControl(JmsBroker.this::reopenDisconnected);
      }
    }
  }

  private void connect() {
    if (stopped) {
      return;
    }
    int attempt = ++generation;
    List<Connection> opened = new ArrayList<>();
    List<BrokerConnection> usable = new ArrayList<>();
    try {
      for (int i = 0; i < options.connections(); i++) {
        opened.add(provider.connect(i, () -> onControl(() -> onLost(attempt))));
      }
      for (Connection connection : opened) {
        usable.add(new BrokerConnection(connection, clock::nowNs));
      }
    } catch (Throwable e) { // a provider's class loading, lookup or client may fail in any way
      retry(e);
      closeInBackground(opened);
      return;
    }
    connections = usable;
    provider.inContext(this::onConnected).run();
  }

  private void reopenDisconnected() {
    disconnects.set(false);
    if (opener != null && !recovering) {
      reopenBroken();
    }
  }

  private void check() {
    if (!clock.tick() || opener == null) {
      return; // what arrived during a pause is read first
    }
    if (!recovering && canary.isTimedOut()) {
      onLost(generation);
      return;
    }
    if (canary.pollReturned()) {
      publishers().forEach(JmsPublisher::onBrokerResponse);
    }
    opener.check();
    separate.check();
    if (opener != null && !recovering) {
      opener.deleteOrphanedQueues(connections.get(0));
      reopenBroken();
      if (checksUntilExamination-- == 0) {
        examineDiscards();
      }
    }
  }

  private void examineDiscards() {
    checksUntilExamination = CHECKS_PER_EXAMINATION;
    discards.start(
        connections.get(0).jms(),
        interests.stream().map(BrokerInterest::pattern).toList(),
        durable().stream().map(BrokerInterest::pattern).toList());
  }

  // A bridge may change often; one gap covers all changes before it. While the broker reports the
  // bridges of a new connection, the topics are not active yet.
  private void onBridge() {
    long nowMs = clock.nowMs();
    if (bridgeGap || recovering) {
      return;
    }
    if (nowMs - bridgeGapMs >= BRIDGE_GAP_MS) {
      reportBridge();
      return;
    }
    bridgeGap = true;
    schedule(this::reportBridge, bridgeGapMs + BRIDGE_GAP_MS - nowMs);
  }

  private void reportBridge() {
    bridgeGap = false;
    bridgeGapMs = clock.nowMs();
    listener.onMessagesMissing();
  }

  // Reopens consumers that the broker has closed without their connection; their gap is reported.
  private void reopenBroken() {
    for (BrokerInterest interest : interests) {
      if (!interest.isOpening() && interest.isBroken() && opener.canOpen(interest)) {
        if (separate.reopen(interest)) {
          continue;
        }
        log.atWarn().addKeyValue("topic", interest.key()).log("interest.lost");
        if (interest instanceof DurableInterest durable) {
          durable.openLater();
        }
        opener.open(new Opening(interest, connection(interest), interest.release(), false));
      }
    }
  }

  private void onConnected() {
    metrics.brokerConnected("jms", true);
    log.atInfo()
        .addKeyValue(address.key, address.value)
        .addKeyValue("interests", interests.size())
        .log("broker.connected");
    publishers().forEach(JmsPublisher::onBrokerConnected);
    queues.onBrokerConnected();
    recovering = true;
    if (!subscriptions.onConnected(connections.get(0), durable())) {
      onLost(generation);
      return;
    }
    if (provider.isUnknown()) {
      patterns = new PatternProof(provider, connections.get(0), canary.proofTopic());
      patterns.start();
    }
    provider.watch(connections.get(0).jms(), () -> onControl(this::onBridge));
    restored = interests.size();
    restoring = restored;
    opener =
        new ConsumerOpener(
            new Results(),
            this::onControl,
            provider,
            options.openParallelism(),
            options.openTimeoutMs(),
            clock::nowNs);
    state.onOpening(0, restoring);
    if (restoring == 0) {
      onRestored();
    }
    int current = generation;
    for (BrokerInterest interest : List.copyOf(interests)) {
      if (current == generation && !separate.open(interest, true)) {
        opener.open(new Opening(interest, connection(interest), null, true));
      }
    }
  }

  private List<DurableInterest> durable() {
    return interests.stream()
        .filter(DurableInterest.class::isInstance)
        .map(DurableInterest.class::cast)
        .toList();
  }

  /** Receiver of the results of the current opener. */
  private final class Results implements ConsumerOpener.Owner {
    @Override
    public void onSettled(Opening opening) {
      if (!opening.restores) {
        return;
      }
      restoring--;
      state.onOpening(restored - restoring, restored);
      if (restoring == 0) {
        onRestored();
      }
    }

    @Override
    public void onOpened(Opening opening, OpenedConsumer consumer) throws JMSException {
      opening.interest.begin(consumer, messageRules, opening.connection::onArrival);
      if (!recovering && opening.interest instanceof DurableInterest) {
        subscriptions.updateMarker(connections.get(0), durable());
      }
    }

    @Override
    public void onFailed(Opening opening, Throwable cause, boolean responsive) {
      BrokerInterest interest = opening.interest;
      if (cause instanceof InvalidDestinationException e) {
        onDenied(interest, ErrorCode.UNKNOWN_TOPIC, "the broker has no such topic", e);
      } else if (cause instanceof JMSSecurityException e) {
        onDenied(interest, ErrorCode.FORBIDDEN, "the broker denies access to this topic", e);
      } else if (cause instanceof InvalidSelectorException e) {
        onDenied(interest, ErrorCode.INVALID_SELECTOR, explanation(e), e);
      } else if (cause instanceof SubscriptionRefusal e) {
        onDenied(interest, e.code(), e.getMessage(), e);
      } else if (Provider.isUnsupported(cause)) {
        refuse(interest, ErrorCode.UNSUPPORTED, UNSUPPORTED, cause);
      } else if (opening.connection.isSeparate()) {
        separate.reopen(interest);
      } else if (!responsive) {
        log.atWarn().addKeyValue("topic", interest.key()).setCause(cause).log("interest.failed");
        onLost(generation);
      } else if (interest instanceof DurableInterest durable) {
        openLater(durable, cause);
      } else {
        // If the broker fails to serve a single topic, the connection of all others is retained.
        String why = "the broker cannot serve this topic at the moment";
        refuse(interest, ErrorCode.BROKER_UNAVAILABLE, why, cause);
      }
    }

    @Override
    public void onUnresponsive() {
      log.atWarn().addKeyValue(address.key, address.value).log("broker.unanswered");
      onLost(generation);
    }
  }

  // The message of a broker may contain the whole selector.
  private static String explanation(InvalidSelectorException invalid) {
    Throwable cause = SourceState.rootCause(invalid);
    String text =
        ServiceUrl.masked(cause.getMessage() == null ? cause.toString() : cause.getMessage());
    boolean isLong = text.length() > MAX_EXPLANATION;
    return "the broker refuses the selector: "
        + (isLong ? text.substring(0, MAX_EXPLANATION) + "\u2026" : text);
  }

  private void onRestored() {
    recovering = false;
    subscriptions.updateMarker(connections.get(0), durable());
    unreachable.reset();
    reconnects.reset();
    backoff.reset(); // not earlier: a broker may accept connections and close them at once
    state.onLive();
    listener.onLive();
    canary.onLive(connections);
    examineDiscards();
  }

  // A topic that was active may be reported as forbidden or unknown while the broker's directory is
  // not reachable.
  private void onDenied(BrokerInterest interest, ErrorCode code, String why, JMSException cause) {
    if (interest instanceof DurableInterest durable && durable.wasActive()) {
      openLater(durable, cause);
    } else {
      refuse(interest, code, why, cause);
    }
  }

  private static void openLater(DurableInterest durable, Throwable cause) {
    durable.openLater();
    if (cause instanceof TimeoutException) {
      durable.delayAttempt();
    }
    log.atWarn()
        .addKeyValue("topic", durable.key())
        .addKeyValue("cause", ServiceUrl.masked(String.valueOf(cause)))
        .log("durable.waits");
  }

  /** Access of the separate topics to the broker. */
  private final class SeparateOwner implements SeparateTopics.Owner {
    @Override
    public Connection connect(Runnable onLost) throws Exception {
      int index = options.connections() + separateConnections.getAndIncrement();
      return provider.connect(index, onLost);
    }

    @Override
    public void onControl(Runnable task) {
      JmsBroker.this.onControl(task);
    }

    @Override
    public void later(Runnable task, long delayMs) {
      schedule(task, delayMs);
    }

    @Override
    public boolean isOpen(BrokerInterest interest) {
      return interests.contains(interest);
    }

    @Override
    public void open(
        BrokerInterest interest, BrokerConnection own, OpenedConsumer replaced, boolean restores) {
      if (opener != null) {
        BrokerConnection used = own == null ? connection(interest) : own;
        opener.open(new Opening(interest, used, replaced, restores));
      }
    }

    @Override
    public void close(List<Connection> unused) {
      closeInBackground(unused);
    }
  }

  // A durable subscription belongs to the client ID of one connection.
  private BrokerConnection connection(BrokerInterest interest) {
    int index =
        interest instanceof DurableInterest
            ? 0
            : Math.floorMod(interest.key().toString().hashCode(), connections.size());
    return connections.get(index);
  }

  private void refuse(BrokerInterest interest, ErrorCode code, String why, Throwable cause) {
    owner.remove(interest);
    String text = ServiceUrl.masked(String.valueOf(cause));
    refusals.atWarn(log, "topic", interest.key(), text).log("interest.refused");
    interest.refuse(code, why);
  }

  private void onLost(int lostGeneration) {
    if (stopped || lostGeneration != generation || connections.isEmpty()) {
      return;
    }
    generation++;
    recovering = false;
    List<Connection> lost = new ArrayList<>(jms(connections));
    connections = List.of();
    lost.addAll(separate.onLost(interests));
    try {
      publishers().forEach(JmsPublisher::onBrokerLost);
    } catch (Throwable e) { // the node has to reconnect nevertheless
      fault(e);
    }
    try {
      queues.onBrokerLost();
    } catch (Throwable e) { // the node has to reconnect nevertheless
      fault(e);
    }
    endOpener();
    interests.forEach(BrokerInterest::discard);
    metrics.brokerConnected("jms", false);
    state.onLost();
    log.atWarn().addKeyValue(address.key, address.value).log("broker.lost");
    try {
      listener.onLost();
    } catch (Throwable e) { // the node has to reconnect nevertheless
      fault(e);
    }
    scheduleConnect();
    canary.onLost();
    closeInBackground(lost);
  }

  private void retry(Throwable cause) {
    state.onUnreachable(cause);
    separate.onUnreachable();
    logUnreachable(cause);
    scheduleConnect();
  }

  private void logUnreachable(Throwable cause) {
    String root = ServiceUrl.masked(String.valueOf(SourceState.rootCause(cause)));
    LoggingEventBuilder line = unreachable.atWarn(log, address.key, address.value, root);
    if (provider.isUnknown() && cause instanceof JMSException && cause.getCause() != null) {
      line.addKeyValue("message", ServiceUrl.masked(cause.getMessage())); // may name the address
    }
    line.log("broker.unreachable");
  }

  private void scheduleConnect() {
    long delayMs = backoff.nextMs();
    metrics.brokerReconnectAttempt("jms");
    reconnects
        .atInfo(log, state.toString())
        .addKeyValue("in-ms", delayMs)
        .log("broker.reconnecting");
    schedule(this::connect, delayMs);
  }

  private void schedule(Runnable task, long delayMs) {
    try {
      control.schedule(() -> guard(task), delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }

  private static List<Connection> jms(List<BrokerConnection> connections) {
    return connections.stream().map(BrokerConnection::jms).toList();
  }

  // Closing a lost connection may block until its timeouts.
  private static void closeInBackground(List<Connection> lost) {
    if (lost.isEmpty()) {
      return;
    }
    List<Connection> closing = List.copyOf(lost);
    try {
      BrokerThreads.SYSTEM.start(() -> close(closing), "sluice-broker-close");
    } catch (OutOfMemoryError e) { // open connections would occupy the client ID
      close(closing);
    }
  }

  private static void close(List<Connection> lost) {
    for (Connection connection : lost) {
      try {
        connection.close();
      } catch (Throwable e) {
        log.atDebug().setCause(e).log("lost connection did not close cleanly");
      }
    }
  }

  private void onControl(Runnable task) {
    execute(() -> guard(task));
  }

  private void execute(Runnable task) {
    try {
      control.execute(task);
    } catch (RejectedExecutionException e) {
      // The node is stopping.
    }
  }

  // The executor would swallow a failure of a task, and recovery would end without this step.
  private void guard(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      fault(e);
      onLost(generation);
    }
  }

  private void fault(Throwable cause) {
    log.atError().addKeyValue(address.key, address.value).setCause(cause).log("broker.fault");
  }
}
