package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.gateway.query.NodeTotals;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Meters of a node, listed in docs/operations/metrics.md. Any thread may call it, including event
 * loops: an event costs one {@link LongAdder}, and the registries read the sums only for a scrape.
 */
public final class GatewayMetrics implements AutoCloseable {
  private static final String PUBLISHED = "published";

  private final MeterRegistry registry;
  private final MeterBuilder meters;
  private final LongAdder connections;
  private final LongAdder connectionsOpened;
  private final LongAdder streams;
  private final TaggedCounter connectionsClosed;
  private final TaggedCounter handshakesRefused;
  private final TaggedCounter limitsReached;
  private final LongAdder overloaded;
  private final TaggedCounter authentications;
  private final TaggedCounter authenticationFailures;
  private final LongAdder subscriptions;
  private final LongAdder interests;
  private final LongAdder warmRefused;
  private final LongAdder messagesIn;
  private final LongAdder messageBytesIn;
  private final EgressMeters egress;
  private final LongAdder framesIn;
  private final TaggedCounter drops;
  private final TaggedCounter gapsSent;
  private final TaggedCounter clientErrors;
  private final TaggedCounter publishes;
  private final LongAdder publishesWaiting;
  private final LongAdder schemaTopicsWaiting;
  private final LongAdder publishesInFlight;
  private final TaggedCounter transactions;
  private final LongAdder requestsPending;
  private final TaggedCounter requests;
  private final LongAdder repliesLate;
  private final TaggedCounter reconnectAttempts;
  private final LongAdder silentLosses;
  private final TaggedCounter resumes;
  private final LongAdder replayed;
  private final LongAdder logBytes;
  private final LongAdder frameBytes;
  private final LongAdder leftOut;
  private final LongAdder durableLate;
  private final LongAdder journalFailures;
  private final LongAdder unidentified;
  private final LongAdder auditDropped;
  private final LongAdder pauses;
  private final LongAdder pausedMs = new LongAdder();
  private final TaggedCounter drained;
  private final TaggedCounter redirected;
  private final LatencyHistogram fanoutLatency =
      new LatencyHistogram(
          "sluice.fanout.latency",
          "Time from the broker's timestamp of a message to the write of its frame, per frame.",
          System::nanoTime);
  private final LatencyHistogram loopLag =
      new LatencyHistogram(
          "sluice.event.loop.lag", "Delay of event loop timers.", System::nanoTime);
  private final LatencyHistogram journalSync =
      new LatencyHistogram(
          "sluice.journal.sync",
          "Time to store messages of a durable interest on the disk.",
          System::nanoTime);
  private final TlsMeters tls;
  private final TraceMeters trace;
  private final RevocationMeters revocations;
  private final QueueMeters queues;
  private final CompressionMeters compression;
  private final ProcessMeters processMeters;
  private final ScheduledExecutorService collector;
  private volatile LongSupplier issuerFailures = () -> 0;
  private final Map<String, AtomicInteger> brokerConnected = new ConcurrentHashMap<>();
  private volatile String identity = "none";
  private volatile long brokerProvenNs;
  private volatile double ingressLagSeconds;
  private volatile long journalBytes;

  /** Registers all meters with {@code exposition}, which the caller closes after this. */
  public GatewayMetrics(Exposition exposition, KnownTags known) {
    registry = exposition.registry();
    meters = new MeterBuilder(registry);
    connections = meters.gauge("sluice.connections", "Connected clients.");
    connectionsOpened =
        meters.counter("sluice.connections.opened", "Connections whose handshake succeeded.");
    streams =
        meters.gauge(
            "sluice.streams", "Connected clients that use plain HTTP instead of a WebSocket.");
    connectionsClosed =
        meters.tagged(
            "sluice.connections.closed",
            "code",
            "Connections that ended, by WebSocket close code.",
            known.closeCodes().stream().map(String::valueOf).toList());
    handshakesRefused =
        meters.tagged(
            "sluice.handshakes.refused",
            "cause",
            "Requests and connections that were refused.",
            known.refusals());
    overloaded =
        meters.gauge(
            "sluice.event.loops.overloaded",
            "Event loops that accept no new clients because of their lag.");
    limitsReached =
        meters.tagged(
            "sluice.limits.reached",
            "limit",
            "Client requests or connections that exceeded a limit, by the limit's key.",
            known.limits());
    authentications =
        meters.tagged(
            "sluice.authentications",
            "mechanism",
            "Authenticated clients, by mechanism.",
            known.mechanisms());
    authenticationFailures =
        meters.tagged(
            "sluice.authentication.failures",
            "reason",
            "Rejected credentials of clients, by reason.",
            known.authenticationFailures());
    FunctionCounter.builder("sluice.auth.issuer.failures", this, m -> m.issuerFailures.getAsLong())
        .description("Requests to the token issuer without a valid response.")
        .register(registry);
    subscriptions = meters.gauge("sluice.subscriptions", "Active subscriptions of all clients.");
    interests =
        meters.gauge(
            "sluice.interests",
            "Consumers of topics and patterns of the node at the broker. A selector that the node"
                + " evaluates shares the consumer of its topic.");
    warmRefused =
        meters.gauge(
            "sluice.history.warm.refused",
            "Patterns of history.warm that the broker refuses; opening them is retried.");
    messagesIn = meters.counter("sluice.messages.in", "Messages received from the broker.");
    messageBytesIn = meters.bytes("sluice.messages.in", "Payload bytes received from the broker.");
    egress = new EgressMeters(registry);
    framesIn = meters.counter("sluice.frames.in", "WebSocket frames received from clients.");
    drops =
        meters.tagged("sluice.drops", "cause", "Messages that were not forwarded.", known.drops());
    gapsSent =
        meters.tagged(
            "sluice.gaps.sent",
            "reason",
            "Gaps sent to clients, per subscription, by reason.",
            known.gaps());
    clientErrors =
        meters.tagged(
            "sluice.client.errors",
            "code",
            "Error frames sent to clients, by error code.",
            known.errors());
    publishes =
        meters.tagged(
            "sluice.publishes",
            "outcome",
            "Publishes of clients: published, or the error code of the refusal.",
            outcomes(known.errors(), PUBLISHED));
    transactions =
        meters.tagged(
            "sluice.transactions",
            "outcome",
            "Transactions of clients: committed, or the error code of the refusal.",
            outcomes(known.errors(), "committed"));
    publishesWaiting = meters.gauge("sluice.publishes.waiting", "Queued publishes of clients.");
    schemaTopicsWaiting =
        meters.gauge(
            "sluice.schema.topics.waiting", "Kafka topics that wait for the schema registry.");
    publishesInFlight =
        meters.gauge(
            "sluice.publishes.in.flight", "Publishes sent to the broker and not yet confirmed.");
    requests =
        meters.tagged(
            "sluice.requests",
            "outcome",
            "Requests of clients: replied, cancelled because the client has disconnected, or the"
                + " error code.",
            outcomes(known.errors(), "replied", "cancelled"));
    requestsPending =
        meters.gauge("sluice.requests.pending", "Requests of clients without a reply yet.");
    repliesLate =
        meters.counter(
            "sluice.replies.late",
            "Replies that belong to no pending request: late, repeated, or without the request's"
                + " correlation id.");
    reconnectAttempts =
        meters.tagged(
            "sluice.broker.reconnect.attempts",
            "source",
            "Attempts to reconnect to a source, by its name.",
            List.of("jms", "kafka", "nats"));
    resumes =
        meters.tagged(
            "sluice.resumes",
            "recovered",
            "Subscriptions of clients that sent a position, by whether all missed messages could be"
                + " replayed.",
            List.of("true", "false"));
    replayed =
        meters.counter("sluice.replayed", "Messages sent from logs, for snapshots and resumes.");
    frameBytes =
        meters.gauge(
            "sluice.history.frames.bytes", "Direct memory of the encoded frames of messages.");
    logBytes = meters.gauge("sluice.history.bytes", "Estimated memory of the logs of all topics.");
    leftOut =
        meters.counter(
            "sluice.history.keys.left.out",
            "Messages that history.keys or history.memory left out of snapshots.");
    durableLate =
        meters.gauge("sluice.durable.late", "Durable interests whose messages are delayed.");
    journalFailures =
        meters.counter(
            "sluice.journal.failures",
            "Failed attempts to store messages on the disk, which are retried.");
    unidentified =
        meters.counter(
            "sluice.messages.unidentified",
            "Messages without an id, or with the id of an earlier message of their topic.");
    auditDropped =
        meters.counter("sluice.audit.dropped", "Events that are missing in the audit log.");
    pauses =
        meters.counter(
            "sluice.process.pauses", "Pauses of the whole process of a second or longer.");
    FunctionCounter.builder("sluice.process.paused", pausedMs, ms -> ms.sum() / 1000.0)
        .description("Total duration of these pauses.")
        .baseUnit("seconds")
        .register(registry);
    meters.gauge(
        "sluice.ingress.lag",
        "Lag behind the broker of the topic that lags most; 0 while none exceeds"
            + " resume.margin.",
        "seconds",
        () -> ingressLagSeconds);
    drained =
        meters.tagged(
            "sluice.drain.clients",
            "outcome",
            "Clients of a draining node: requested to leave, moved after the request, closed at the"
                + " deadline.",
            List.of("notified", "moved", "closed"));
    redirected =
        meters.tagged(
            "sluice.redirects",
            "cause",
            "Clients redirected to another node: at connect, by a rebalance, by an operator's"
                + " command, or because only this node had lost its broker.",
            List.of("connect", "rebalance", "command", "broker-lost"));
    meters.gauge(
        "sluice.journal.bytes",
        "Bytes of the files in journal.folder.",
        "bytes",
        () -> journalBytes);
    silentLosses =
        meters.counter(
            "sluice.broker.silent.losses",
            "Times that the broker was considered lost because it no longer delivered.");
    meters.gauge(
        "sluice.broker.proof.age",
        "Age of the latest proof that the broker delivers; NaN before the first.",
        "seconds",
        this::proofAgeSeconds);
    for (String state : List.of("verified", "property", "none")) {
      Gauge.builder("sluice.broker.identity", this, m -> m.identity.equals(state) ? 1 : 0)
          .strongReference(true)
          .tag("state", state)
          .description("1 for the state of message identities, 0 for the others.")
          .register(registry);
    }
    exposition.register(fanoutLatency);
    exposition.register(loopLag);
    exposition.register(journalSync);
    tls = new TlsMeters(meters);
    trace = new TraceMeters(meters);
    revocations = RevocationMeters.of(registry);
    queues = new QueueMeters(meters);
    compression = new CompressionMeters(registry);
    processMeters = new ProcessMeters(registry);
    collector = startCollector();
  }

  public void connectionOpened() {
    connections.increment();
    connectionsOpened.increment();
  }

  /** Counts a closed connection; its code is 1006 without a close frame. */
  public void connectionClosed(int code) {
    connections.decrement();
    connectionsClosed.add(Integer.toString(code), 1);
  }

  /** Changes the number of connections that are streams. */
  public void streams(int change) {
    streams.add(change);
  }

  /** Counts an authentication of a client. */
  public void authenticated(String mechanism) {
    authentications.add(mechanism, 1);
  }

  /** Counts a rejected credential of a client. */
  public void authenticationFailed(String reason) {
    authenticationFailures.add(reason, 1);
  }

  /** Counts a client of the draining node: a request to leave, or its outcome. */
  public void drained(String outcome) {
    drained.add(outcome, 1);
  }

  /** Counts a client that was redirected to another node. */
  public void redirected(String cause) {
    redirected.add(cause, 1);
  }

  /** Sets the source of the number of failed requests to the token issuer. */
  public void issuerFailures(LongSupplier count) {
    issuerFailures = count;
  }

  public void handshakeRefused(String cause) {
    handshakesRefused.add(cause, 1);
  }

  /** Counts a refusal because of the limit with this key. */
  public void limitReached(String key) {
    limitsReached.add(key, 1);
  }

  /** Changes the number of event loops that accept no new clients. */
  public void overloaded(int change) {
    overloaded.add(change);
  }

  public void subscriptionAdded() {
    subscriptions.increment();
  }

  public void subscriptionRemoved() {
    subscriptions.decrement();
  }

  /** Counts a subscription with a position. */
  public void resumed(boolean recovered) {
    resumes.add(Boolean.toString(recovered), 1);
  }

  /** Adds messages of a log that were replayed to a new subscription. */
  public void replayed(long messages) {
    replayed.add(messages);
  }

  /** Changes the bytes of encoded frames of messages. */
  public void frameBytes(long change) {
    frameBytes.add(change);
  }

  /** Changes the bytes of the logs. */
  public void logBytes(long change) {
    logBytes.add(change);
  }

  /** Counts a message whose topic or key exceeds the limit of snapshots. */
  public void leftOutOfSnapshots() {
    leftOut.increment();
  }

  /** Changes the number of durable interests whose messages are delayed. */
  public void durableLate(int change) {
    durableLate.add(change);
  }

  /** Counts a message without an identity on other nodes. */
  public void unidentified() {
    unidentified.increment();
  }

  /** Changes the number of topics that wait for a schema. */
  public void schemaTopicsWaiting(int change) {
    schemaTopicsWaiting.add(change);
  }

  public void journalFailed() {
    journalFailures.increment();
  }

  /** Counts a pause of the process and adds its duration. */
  public void paused(long ms) {
    pauses.increment();
    pausedMs.add(ms);
  }

  /** Sets the lag of the topic that lags most behind the broker; 0 if none exceeds the margin. */
  public void ingressLag(double seconds) {
    ingressLagSeconds = seconds;
  }

  /** Sets the bytes of the journal on the disk. */
  public void journalBytes(long bytes) {
    journalBytes = bytes;
  }

  /** Creates a recorder of sync durations. One durable interest retains it for its lifetime. */
  public LatencyRecorder journalSyncRecorder() {
    return journalSync.newRecorder("");
  }

  /** Changes the number of patterns of {@code history.warm} that the broker refuses. */
  public void warmRefused(int change) {
    warmRefused.add(change);
  }

  public void interestOpened() {
    interests.increment();
  }

  public void interestClosed() {
    interests.decrement();
  }

  /** Counts a message from the broker and the bytes of its payload. */
  public void messageIn(long bytes) {
    messagesIn.increment();
    messageBytesIn.add(bytes);
  }

  /** Creates the counters of the frames that one event loop sends. */
  public EgressCounters egressCounters() {
    return egress.newCounters();
  }

  /** Returns the number of frames passed to the kernel since the start. */
  public long framesOut() {
    return egress.frames();
  }

  /** Returns the median lag of event loops in the last minute, in milliseconds. */
  public double medianLoopLagMs() {
    double seconds = loopLag.quantileSeconds(0.5);
    return Double.isNaN(seconds) ? 0 : seconds * 1000;
  }

  /**
   * Returns the totals of the node.
   *
   * @param clients number of connected clients
   */
  public NodeTotals totals(int clients) {
    NodeTotals.Latency latency =
        new NodeTotals.Latency(latencyMs(0.5), latencyMs(0.99), latencyMs(0.999));
    long messages = messagesIn.sum();
    return new NodeTotals(
        clients, messages, egress.frames(), egress.bytes(), latency, medianLoopLagMs());
  }

  private double latencyMs(double quantile) {
    double seconds = fanoutLatency.quantileSeconds(quantile);
    return seconds * 1000;
  }

  /** Returns the meters of the TLS files of the clients' port. */
  public TlsMeters tls() {
    return tls;
  }

  /** Returns the meters of tracing. */
  public TraceMeters trace() {
    return trace;
  }

  /** Returns the meters of revocations. */
  public RevocationMeters revocations() {
    return revocations;
  }

  /** Returns the meters of the consumers of queues. */
  public QueueMeters queues() {
    return queues;
  }

  /** Returns the meters of compressed messages. */
  public CompressionMeters compression() {
    return compression;
  }

  /** Returns the registration of meters of features. */
  public MeterBuilder meters() {
    return meters;
  }

  public void frameIn() {
    framesIn.increment();
  }

  public void dropped(String cause, long count) {
    drops.add(cause, count);
  }

  /** Adds gaps sent to subscriptions; called once per event loop. */
  public void gapsSent(String reason, long subscriptions) {
    gapsSent.add(reason, subscriptions);
  }

  public void clientError(String code) {
    clientErrors.add(code, 1);
  }

  public void published() {
    publishes.add(PUBLISHED, 1);
  }

  public void publishesWaiting(int change) {
    publishesWaiting.add(change);
  }

  public void publishesInFlight(int change) {
    publishesInFlight.add(change);
  }

  public void publishRefused(String code) {
    publishes.add(code, 1);
  }

  /** Counts a transaction: committed, or refused with an error code. */
  public void transaction(String outcome) {
    transactions.add(outcome, 1);
  }

  /** Changes the number of pending requests. */
  public void requestsPending(int change) {
    requestsPending.add(change);
  }

  /** Counts a request that has ended, by its outcome. */
  public void requestEnded(String outcome) {
    requests.add(outcome, 1);
  }

  /** Counts a reply that belongs to no pending request. */
  public void replyLate() {
    repliesLate.increment();
  }

  /** Sets the state of message identities. */
  public void identity(String state) {
    identity = state;
  }

  /** Sets whether the node is connected to a source. */
  public void brokerConnected(String source, boolean connected) {
    brokerConnected.computeIfAbsent(source, this::connectedGauge).set(connected ? 1 : 0);
  }

  private AtomicInteger connectedGauge(String source) {
    AtomicInteger value = new AtomicInteger();
    Gauge.builder("sluice.broker.connected", value, AtomicInteger::get)
        .strongReference(true)
        .tag("source", source)
        .description("1 while the node is connected to a source, otherwise 0.")
        .register(registry);
    return value;
  }

  /** Counts an attempt to reconnect to a source. */
  public void brokerReconnectAttempt(String source) {
    reconnectAttempts.add(source, 1);
  }

  /**
   * Records the proof that the broker has delivered messages that it accepted before a time.
   *
   * @param sentNs time by {@link System#nanoTime}
   */
  public void brokerProven(long sentNs) {
    brokerProvenNs = sentNs;
  }

  public void brokerTimedOut() {
    silentLosses.increment();
  }

  private double proofAgeSeconds() {
    long provenNs = brokerProvenNs;
    return provenNs == 0 ? Double.NaN : (System.nanoTime() - provenNs) / 1e9;
  }

  /** Adds events that could not be written to the audit log. */
  public void auditDropped(long count) {
    auditDropped.add(count);
  }

  /** Creates a recorder of fan-out latency, which one event loop retains for its lifetime. */
  public LatencyRecorder latencyRecorder() {
    return fanoutLatency.newRecorder("");
  }

  /** Creates a recorder of the lag of one event loop, which retains it for its lifetime. */
  public LatencyRecorder lagRecorder(int loop) {
    return loopLag.newRecorder(Integer.toString(loop));
  }

  /** Stops the background thread; the meters remain readable. */
  @Override
  public void close() {
    collector.shutdownNow();
    processMeters.close();
  }

  private ScheduledExecutorService startCollector() {
    ScheduledExecutorService executor =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "sluice-metrics");
              thread.setDaemon(true);
              return thread;
            });
    executor.scheduleAtFixedRate(this::collectLatencies, 1, 1, TimeUnit.SECONDS);
    return executor;
  }

  private void collectLatencies() {
    fanoutLatency.update();
    loopLag.update();
    journalSync.update();
  }

  private static Collection<String> outcomes(Collection<String> errors, String... others) {
    Collection<String> outcomes = new LinkedHashSet<>(errors);
    outcomes.addAll(List.of(others));
    return outcomes;
  }
}
