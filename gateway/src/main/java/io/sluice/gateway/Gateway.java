package io.sluice.gateway;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.cluster.Exchange;
import io.sluice.gateway.audit.Operator;
import io.sluice.gateway.auth.Access;
import io.sluice.gateway.auth.AuthOptions;
import io.sluice.gateway.auth.AuthenticationFailure.Reason;
import io.sluice.gateway.auth.Principal.Mechanism;
import io.sluice.gateway.auth.UnusableAuth;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.ClusterSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigDraft;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LinkSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.drain.ClusterMember;
import io.sluice.gateway.drain.Drain;
import io.sluice.gateway.http.ClientPortOptions;
import io.sluice.gateway.http.ClientPorts;
import io.sluice.gateway.http.OpenProtocols;
import io.sluice.gateway.http.Pages;
import io.sluice.gateway.http.ProtocolMessages;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.hub.HubOptions;
import io.sluice.gateway.hub.HubParts;
import io.sluice.gateway.journal.Journal;
import io.sluice.gateway.journal.JournalLimits;
import io.sluice.gateway.limits.QuotaOptions;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.metrics.PauseWatch;
import io.sluice.gateway.node.Exposure;
import io.sluice.gateway.node.Opened;
import io.sluice.gateway.node.RunningNode;
import io.sluice.gateway.node.ShortHistory;
import io.sluice.gateway.node.StartFailure;
import io.sluice.gateway.query.PermissionLosses;
import io.sluice.gateway.query.ReloadOutcome;
import io.sluice.gateway.revocation.RevocationExchange;
import io.sluice.gateway.revocation.RevocationFile;
import io.sluice.gateway.revocation.RevocationOptions;
import io.sluice.gateway.revocation.UnusableRevocations;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.session.SessionFeatures;
import io.sluice.gateway.session.SessionOptions;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.socket.ClientTransport;
import io.sluice.gateway.store.MessageStore;
import io.sluice.gateway.store.StoreFailure;
import io.sluice.gateway.time.RunningClock;
import io.sluice.gateway.tls.Tls;
import io.sluice.gateway.tls.TlsOptions;
import io.sluice.gateway.tls.UnusableTls;
import io.sluice.gateway.trace.Tracing;
import io.sluice.gateway.trace.TracingOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Node of the gateway: wires, starts and stops all parts. For any thread. */
public final class Gateway implements RunningNode {
  private static final Logger log = LoggerFactory.getLogger(Gateway.class);
  private static final Duration START_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

  /** Shorter, because a broker that does not respond can block the control thread. */
  private static final Duration HUB_STOP_TIMEOUT = Duration.ofSeconds(5);

  private final Config config;
  private final Tls tls;
  private final String name;
  private final boolean readyWithoutBroker;
  private final Exposition exposition;
  private final GatewayMetrics metrics;

  /** Null without tracing. */
  private final Tracing tracing;

  private final ScheduledExecutorService control;
  private final int eventLoops;
  private final ClientTransport transport;
  private final Vertx vertx;
  private final NodeQueues queues;
  private final LinkModule links;
  private final Hub hub;
  private final ClientPorts clients;
  private final NodeAdmin admin;
  private final Reloads reloads;
  private final MessageStore journal;
  private final Access access;

  private final OpenProtocols protocols;
  private final NodePresence presence;
  private final RevocationFile revocationFile;
  private final RevocationExchange revocations;
  private final ClusterMember member;
  private final PauseWatch pauses;
  private final AtomicBoolean stopped = new AtomicBoolean();

  /** Set until the end of the process, or until the drain is ended. Written under this. */
  private volatile boolean draining;

  // Guarded by this.
  private boolean stopping;
  private Drain shutdown;
  private CountDownLatch drained;

  private volatile int linkPort = -1;

  /** Null until the port is open. */
  private volatile SessionPolicy policy;

  /** Applies reloaded log levels. */
  private volatile Consumer<Config> onReloaded = any -> {};

  /**
   * @param opened collects the parts to close if the constructor fails
   */
  private Gateway(Config config, Opened opened) throws StartFailure {
    this.config = config;
    this.tls = opened.add(tls(config));
    this.access = opened.add(access(config));
    this.journal = opened.add(journal(config));
    this.name = nodeName(config);
    this.readyWithoutBroker = !config.get(AdminSettings.READY_WITHOUT_BROKER).equals("never");
    this.exposition = opened.add(new Exposition(name));
    KnownTags tags =
        KnownTags.of(
            Stream.of(Mechanism.values()).map(Mechanism::word).toList(),
            Stream.of(Reason.values()).map(Reason::word).toList());
    this.metrics = opened.add(new GatewayMetrics(exposition, tags));
    this.pauses = opened.add(new PauseWatch(System::nanoTime, this.metrics).start());
    metrics.issuerFailures(this::issuerFailures);
    this.tracing = opened.add(tracing(config, name, metrics));
    this.control = new ControlThread();
    opened.add(control::shutdownNow);
    this.eventLoops = ServerSettings.eventLoops(config);
    this.transport = KernelTransport.choose(config.get(ServerSettings.TRANSPORT));
    this.vertx = vertx(transport, eventLoops);
    opened.add(vertx::close);
    this.queues = NodeQueues.of(config);
    this.links = LinkModule.of(config, vertx, name, metrics);
    this.protocols = ProtocolModules.of(config);
    this.hub =
        new Hub(
            HubOptions.of(config),
            HubParts.of(
                    control,
                    PooledByteBufAllocator.DEFAULT,
                    metrics,
                    SourceModule.parts(
                        config, new SourceModule.Parts(queues, links), control, metrics),
                    journal,
                    config.get(HistorySettings.RESUME_MARGIN).toMillis())
                .with(tracing, protocols.formats()));
    opened.add(this::stopHub);
    this.clients =
        new ClientPorts(vertx, transport, ClientPortOptions.of(config), protocols, metrics);
    this.presence =
        opened.add(
            NodePresence.of(
                config,
                name,
                !config.get(ClusterSettings.NAME).isEmpty(),
                metrics.meters(),
                links));
    this.revocationFile = opened.add(revocationFile());
    this.revocations =
        opened.add(
            new RevocationExchange(
                access.revocations(),
                revoked -> clients.revoke(peer -> revoked.test(peer.principal())),
                metrics.revocations()));
    links.revoke(revocations);
    metrics.revocations().source(access.revocations()::active);
    this.member = opened.add(member());
    access.audit().onDropped(metrics::auditDropped);
    this.reloads = new Reloads(config, access.audit(), this::apply, this::losses);
    this.admin =
        NodeAdmin.of(
            new NodeAdmin.Parts(
                config,
                name,
                exposition,
                metrics,
                access,
                hub,
                clients,
                links,
                presence,
                member,
                reloads,
                this::reasonsNotReady,
                this::drain,
                this::undrain),
            opened);
  }

  /**
   * Starts a node, which serves clients at once; the broker may connect later.
   *
   * @param pages served at {@code /}
   * @throws StartFailure if a port cannot be bound, or a file of the configuration is unusable; the
   *     message contains the key
   */
  public static Gateway start(Config config, Pages pages) throws StartFailure {
    Gateway gateway = create(config);
    try {
      gateway.open(pages);
      return gateway;
    } catch (StartFailure | RuntimeException e) {
      gateway.close();
      throw e;
    }
  }

  private static Gateway create(Config config) throws StartFailure {
    Opened opened = new Opened();
    try {
      return new Gateway(config, opened);
    } catch (StartFailure | RuntimeException e) {
      opened.close();
      throw e;
    }
  }

  private static Tls tls(Config config) throws StartFailure {
    try {
      return Tls.open(TlsOptions.of(config)).orElse(null);
    } catch (UnusableTls e) {
      throw new StartFailure(e.getMessage(), e);
    }
  }

  private static Access access(Config config) throws StartFailure {
    Config named = config.with(AdminSettings.NODE_NAME, nodeName(config));
    try {
      return Access.open(AuthOptions.of(named), NodeAudit.open(named));
    } catch (UnusableAuth e) {
      throw new StartFailure(e.getMessage(), e);
    }
  }

  private long issuerFailures() {
    return access.authentication().issuerFailures() + admin.issuerFailures();
  }

  private static Tracing tracing(Config config, String name, GatewayMetrics metrics)
      throws StartFailure {
    if (config.get(AdminSettings.TRACING_ENDPOINT).isEmpty()) {
      return null;
    }
    try {
      return Tracing.open(TracingOptions.of(config, name, version()), metrics.trace());
    } catch (IOException e) {
      throw new StartFailure(e.getMessage(), e);
    }
  }

  private RevocationFile revocationFile() throws StartFailure {
    try {
      return RevocationFile.open(
          RevocationOptions.of(config), access.revocations(), metrics.revocations());
    } catch (UnusableRevocations e) {
      throw new StartFailure(AuthSettings.REVOCATIONS_FILE.key() + ": " + e.getMessage(), e);
    }
  }

  private ClusterMember member() throws StartFailure {
    try {
      return ClusterModule.create(config, name, version(), hub, clients, exchanges(), metrics);
    } catch (NoClassDefFoundError e) {
      StartFailure failure = StartFailure.missing(ClusterSettings.NAME, e);
      if (config.get(ClusterSettings.NAME).isEmpty()) {
        return new SingleNode(config, name, version(), hub, clients);
      }
      throw failure;
    }
  }

  private List<Exchange> exchanges() {
    List<Exchange> exchanges = new ArrayList<>(presence.exchanges().get());
    exchanges.add(
        new Exchange(
            RevocationExchange.CHANNEL,
            revocations::join,
            revocations::onView,
            revocations::onMessage));
    for (ProtocolMessages each : protocols.messages()) {
      exchanges.add(new Exchange(each.channel(), each::join, each::onView, each::onMessage));
    }
    return exchanges;
  }

  private static MessageStore journal(Config config) throws StartFailure {
    String folder = config.get(HistorySettings.JOURNAL_FOLDER);
    if (folder.isEmpty()) {
      return null;
    }
    try {
      return Journal.open(Path.of(folder), JournalLimits.of(config));
    } catch (StoreFailure e) {
      throw unusable(e);
    } catch (NoClassDefFoundError e) {
      throw StartFailure.missing(HistorySettings.JOURNAL_FOLDER, e);
    }
  }

  private static StartFailure unusable(StoreFailure cause) {
    return new StartFailure(cause.getMessage() + " (journal.folder)", cause);
  }

  private void open(Pages pages) throws StartFailure {
    try {
      hub.restore();
    } catch (StoreFailure e) {
      throw unusable(e);
    }
    policy =
        new SessionPolicy(
            sessionOptions(config),
            name,
            version(),
            PooledByteBufAllocator.DEFAULT,
            hub,
            metrics,
            access);
    presence.starter().run();
    SessionFeature.Table features =
        SessionFeatures.of(
            Stream.of(presence.sessions(), queues.sessions()).flatMap(List::stream).toList());
    await(
        clients.open(tls, eventLoops, hub, policy, features, pages),
        config.get(ServerSettings.HOST),
        ServerSettings.PORT.key(),
        config.get(ServerSettings.PORT));
    await(
        admin.start(),
        config.get(AdminSettings.HOST),
        AdminSettings.PORT.key(),
        config.get(AdminSettings.PORT));
    Future<Integer> linked = links.serve(hub);
    await(
        linked,
        config.get(LinkSettings.HOST),
        LinkSettings.PORT.key(),
        config.get(LinkSettings.PORT));
    linkPort = linked.result();
    hub.start();
    member.start();
    if (tls != null) {
      tls.watch(metrics);
    }
    log.atInfo()
        .addKeyValue("node", name)
        .addKeyValue("version", version())
        .addKeyValue("port", port())
        .addKeyValue("tls", tls == null ? "off" : tls.engine())
        .addKeyValue("admin-port", adminPort())
        .addKeyValue("console", admin.console())
        .addKeyValue("event-loops", eventLoops)
        .addKeyValue("transport", clients.transport())
        .log("node.started");
    warnOfExposure(config);
    for (ShortHistory history : ShortHistory.of(config, ShortHistory.ASSUMED_RATE)) {
      log.atWarn()
          .addKeyValue("key", history.key())
          .addKeyValue("what", history.what())
          .log("history.short");
    }
  }

  private SessionOptions sessionOptions(Config given) {
    return SessionOptions.of(given, queues.isPresent());
  }

  private static void warnOfExposure(Config config) {
    for (Exposure exposure : Exposure.of(config)) {
      log.atWarn()
          .addKeyValue("key", exposure.key())
          .addKeyValue("what", exposure.access())
          .log("node.exposed");
    }
  }

  private static void await(Future<?> start, String host, String key, int port)
      throws StartFailure {
    try {
      start
          .toCompletionStage()
          .toCompletableFuture()
          .get(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new StartFailure(
          "cannot listen on " + host + ":" + port + " (" + key + "): " + e.getCause().getMessage(),
          e.getCause());
    } catch (TimeoutException e) {
      throw new StartFailure(
          "cannot listen on " + host + ":" + port + " (" + key + ") within " + START_TIMEOUT, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartFailure("interrupted while starting", e);
    }
  }

  @Override
  public int port() {
    return clients.port();
  }

  /** Returns the port for links; -1 without one. */
  public int linkPort() {
    return linkPort;
  }

  @Override
  public int adminPort() {
    return admin.port();
  }

  @Override
  public long bytesBeforeCompression() {
    return metrics.compression().bytesBefore();
  }

  @Override
  public long bytesAfterCompression() {
    return metrics.compression().bytesAfter();
  }

  /** Returns the sender for plain clients: {@code io-uring}, {@code epoll} or {@code channels}. */
  public String transport() {
    return clients.transport();
  }

  /**
   * Enables reloads of the configuration at the admin port and by {@link #reload}.
   *
   * @param file reads the configuration file, with the options that override it
   * @param logLevels applies changed log levels of a configuration
   */
  public void reloadFrom(Supplier<ConfigDraft> file, Consumer<Config> logLevels) {
    onReloaded = logLevels;
    reloads.from(file);
    admin.reloadFrom(file);
  }

  /**
   * Reloads the configuration file after SIGHUP, and logs the outcome; waits for the event loops.
   */
  public void reload() {
    reloads.reload(Operator.HANGUP);
  }

  private void apply(ConfigChange change) {
    if (change.applied().isEmpty()) {
      return;
    }
    Config next = change.effective();
    admin.onReloading(next);
    policy.reload(sessionOptions(next));
    clients.reload(next.get(ServerSettings.ALLOWED_ORIGINS), QuotaOptions.of(next));
    if (change.changesPermissions()) {
      access.reload(AuthOptions.of(next));
      await(clients.reloadPermissions());
    }
    if (change.applies(HistorySettings.WARM)) {
      hub.warm(next.get(HistorySettings.WARM));
    }
    admin.onReloaded(change, () -> onReloaded.accept(next));
    warnOfExposure(next);
  }

  /** Returns what sessions would lose by a change; waits for the event loops. */
  private ReloadOutcome.Losses losses(ConfigChange change) {
    if (!change.changesPermissions()) {
      return ReloadOutcome.Losses.NONE;
    }
    Access next = access.preview(AuthOptions.of(change.effective()));
    PermissionLosses losses =
        clients
            .losses(policy.preview(sessionOptions(change.effective()), next))
            .toCompletableFuture()
            .orTimeout(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS)
            .join();
    return new ReloadOutcome.Losses(
        losses.sessions(),
        losses.first(),
        List.copyOf(next.permissions().claimsNotIn(access.permissions())));
  }

  private static void await(CompletionStage<Integer> sessions) {
    try {
      sessions.toCompletableFuture().orTimeout(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      log.atError().setCause(e).log("config.reload-slow"); // sessions apply it later
    }
  }

  /** Returns the client ports. */
  ClientPorts clients() {
    return clients;
  }

  /** Returns the topics and patterns with subscribers, as of the last second. */
  List<String> topicsInUse() {
    return hub.topicsInUse();
  }

  /** Returns the number of connected clients. */
  public int connections() {
    return clients.connections();
  }

  /** Returns the version of this build, or {@code dev}. */
  public static String version() {
    String version = Gateway.class.getPackage().getImplementationVersion();
    return version == null ? "dev" : version;
  }

  /**
   * Returns whether the node accepts clients during this outage of a source. A node that never had
   * any source may be misconfigured, which a rolling upgrade has to notice.
   */
  private boolean isReadyWithoutBroker() {
    boolean hadBroker = hub.losses() > 0 || hub.isAnyLive();
    return readyWithoutBroker && hadBroker && !member.isServedElsewhere();
  }

  private List<String> reasonsNotReady() {
    List<String> reasons = new ArrayList<>();
    if (draining) {
      reasons.add("node: draining");
    }
    if (!hub.isLive() && !isReadyWithoutBroker()) {
      reasons.add("broker: " + hub.brokerState());
    }
    String lag = hub.lagProblem();
    if (lag != null) {
      reasons.add(lag);
    }
    hub.journalFailures().stream().sorted().distinct().limit(1).forEach(reasons::add);
    if (!member.hasBeenReady()) {
      reasons.add(
          "cluster: joining, pre-subscription of the topics of other nodes is not complete");
    }
    return reasons;
  }

  @Override
  public void drainAndStop() {
    CountDownLatch end;
    synchronized (this) {
      stopping = true;
      drain();
      end = drained;
    }
    try {
      // null if the node was closed without a drain
      if (end != null && !RunningClock.await(end, drainTimeout())) {
        log.atWarn().addKeyValue("part", "clients").log("node.stop-failed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      close();
    }
  }

  /**
   * Starts a drain without a stop: no further client is admitted once this returns.
   *
   * @return whether none had started before
   */
  private synchronized boolean drain() {
    if (draining) {
      return false;
    }
    draining = true;
    member.onDraining();
    Drain begun =
        new Drain(
            clients,
            Drain.Options.of(config),
            member.drainPace(),
            member::redirectForDrain,
            metrics);
    CountDownLatch end = new CountDownLatch(1);
    shutdown = begun;
    drained = end;
    begun.start();
    new Thread(() -> run(begun, end), "sluice-drain").start();
    return true;
  }

  private static void run(Drain begun, CountDownLatch end) {
    try {
      begun.run();
    } finally {
      end.countDown();
    }
  }

  /** Ends a drain; returns false if the node is stopping. */
  private synchronized boolean undrain() {
    if (stopping || stopped.get()) {
      return false;
    }
    if (draining) {
      shutdown.cancel();
      draining = false;
      member.onUndrained();
      log.atInfo().addKeyValue("clients", clients.connections()).log("node.undrained");
    }
    return true;
  }

  private Duration drainTimeout() {
    return STOP_TIMEOUT
        .plus(config.get(TimeoutSettings.DRAIN))
        .plus(config.get(TimeoutSettings.CLOSE));
  }

  @Override
  public void close() {
    if (!stopped.compareAndSet(false, true)) {
      return;
    }
    draining = true;
    clients.stop();
    presence.close();
    links.close();
    stopQuietly("cluster", CompletableFuture.runAsync(member::close), STOP_TIMEOUT);
    stopHub();
    control.shutdownNow(); // a call to an unresponsive broker may still block it
    stopQuietly("port", transport.stopListening().toCompletableFuture(), STOP_TIMEOUT);
    stopQuietly("clients", vertx.close().toCompletionStage().toCompletableFuture(), STOP_TIMEOUT);
    revocations.close();
    if (revocationFile != null) {
      revocationFile.close();
    }
    access.close();
    if (tls != null) {
      tls.close();
    }
    stopQuietly("admin", admin.close().toCompletionStage().toCompletableFuture(), STOP_TIMEOUT);
    if (journal != null) { // last, because a blocked disk must not delay the other parts
      stopQuietly("journal", CompletableFuture.runAsync(this::closeJournal), STOP_TIMEOUT);
    }
    pauses.close();
    if (tracing != null) {
      tracing.close();
    }
    metrics.close();
    exposition.close();
    log.atInfo().addKeyValue("node", name).log("node.stopped");
  }

  private void stopHub() {
    stopQuietly("hub", CompletableFuture.runAsync(hub::stop, control), HUB_STOP_TIMEOUT);
  }

  private void closeJournal() {
    try {
      journal.close();
    } catch (StoreFailure e) {
      log.atWarn().addKeyValue("part", "journal").setCause(e).log("node.stop-failed");
    }
  }

  private static void stopQuietly(String part, CompletableFuture<?> end, Duration limit) {
    try {
      end.get(limit.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      log.atWarn().addKeyValue("part", part).setCause(e).log("node.stop-failed");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Vertx vertx(ClientTransport transport, int eventLoops) {
    return Vertx.builder()
        .with(new VertxOptions().setEventLoopPoolSize(eventLoops))
        .withTransport(transport)
        .build();
  }

  static String nodeName(Config config) {
    String configured = config.get(AdminSettings.NODE_NAME);
    if (!configured.isEmpty()) {
      return configured;
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
