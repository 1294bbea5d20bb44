package io.sluice.gateway.link;

import io.sluice.gateway.broker.Backoff;
import io.sluice.gateway.broker.Broker;
import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.SourceState;
import io.sluice.gateway.config.NodeRoots;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.query.NodeLinkFigures;
import io.sluice.gateway.tls.UnusableTls;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.ServerWebSocketHandshake;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketBase;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's links to other nodes: it accepts them at its port for links and dials others. One
 * event loop has the links to roots; those to leaves are spread over all. For any thread.
 */
public final class NodeLinks implements RootLinks {
  private static final Logger log = LoggerFactory.getLogger(NodeLinks.class);

  /** Path of links at the port. */
  private static final String PATH = "/link";

  /** Maximum number of nodes between a leaf and a broker. */
  private static final int MAX_TIERS = 8;

  /** Lets Vert.x select one port for all event loops; clients have that of -1. */
  private static final int SAME_FREE_PORT = -2;

  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;

  private final Vertx vertx;

  /** Event loop of the links to roots, and of changes to what all links have in common. */
  private final Context loop;

  private final LinkOptions options;
  private final LinkTls tls;
  private final String node;
  private final LinkQueues queues;
  private final LinkMeters meters;

  /** Null without its module. */
  private final LinkGroup group;

  /** Null without it. */
  private volatile LinkExchange presence;

  /** Null without them. */
  private volatile LinkExchange revocations;

  private final String instance = UUID.randomUUID().toString();

  private final Set<Greeting> greetings = ConcurrentHashMap.newKeySet();
  private final Set<LinkChannel> channels = ConcurrentHashMap.newKeySet();
  private final Set<LinkRoot> roots = ConcurrentHashMap.newKeySet();
  private final List<Dialer> dialers = new CopyOnWriteArrayList<>();

  /** One per event loop that accepts links. They share the port. */
  private final List<HttpServer> servers = new CopyOnWriteArrayList<>();

  /** Event loops of links to leaves. */
  private final List<Context> serving = new CopyOnWriteArrayList<>();

  private volatile Hub hub;

  /** Source whose roots connect to this node; null if they may not. */
  private volatile Receiver accepting;

  private volatile boolean stopped;

  /** Latest hello of each root. Replaced on the event loop of links to roots. */
  private volatile Map<LinkChannel, LinkRecord.Hello> upstream = Map.of();

  /**
   * Creates links that are not open yet.
   *
   * @param node name of this node
   * @param queues null without their module
   * @param group null without its module
   * @throws UnusableTls if a file of the links' certificates is unusable
   */
  public NodeLinks(
      Vertx vertx,
      LinkOptions options,
      String node,
      LinkQueues queues,
      LinkGroup group,
      LinkMeters meters)
      throws UnusableTls {
    this.meters = meters;
    this.vertx = vertx;
    this.loop = vertx.getOrCreateContext();
    this.options = options;
    this.node = node;
    this.queues = queues;
    this.group = group;
    this.tls = new LinkTls(options);
    if (tls.isEnabled()) {
      vertx.setPeriodic(options.reloadMs(), any -> execute(this::reload));
    }
  }

  /** Returns a source whose roots these links reach, which does not connect yet. */
  public Broker source(
      NodeRoots from,
      ScheduledExecutorService control,
      BrokerListener listener,
      GatewayMetrics metrics) {
    return new LinkSource(options, from, this, control, listener, metrics);
  }

  /** Exchanges presence with linked nodes, before {@link #serve} and the start of sources. */
  public void join(LinkExchange joined) {
    presence = joined;
  }

  @Override
  public LinkExchange presence() {
    return presence;
  }

  /** Sends revocations to leaves, and receives those of roots, likewise. */
  public void revoke(LinkExchange exchange) {
    revocations = exchange;
  }

  @Override
  public LinkExchange revocations() {
    return revocations;
  }

  private void reload() {
    if (stopped) {
      return;
    }
    vertx
        .executeBlocking(tls::reload)
        .compose(changed -> changed ? renew() : Future.succeededFuture(false))
        .onComplete(
            renewed -> {
              if (renewed) {
                log.atInfo().log("link.tls-reloaded");
              }
            },
            e -> tls.onUnusable(SourceState.describe(e)));
  }

  /** Uses changed files for new connections; open ones continue. */
  private Future<Boolean> renew() {
    return Future.all(
            servers.stream().map(each -> each.updateSSLOptions(tls.accepted(), true)).toList())
        .map(true);
  }

  @Override
  public void follow(List<String> urls, Receiver receiver) {
    execute(
        () -> {
          if (urls.isEmpty()) {
            accepting = receiver;
          } else {
            dial(urls, receiver);
          }
        });
  }

  /**
   * @param receiver null if this node is the root
   */
  private void dial(List<String> urls, Receiver receiver) {
    Dialer dialer = new Dialer(urls, receiver);
    dialers.add(dialer);
    dialer.connect();
  }

  @Override
  public void execute(Runnable task) {
    loop.runOnContext(any -> task.run());
  }

  @Override
  public LinkQueues.Leaf newLeaf() {
    return queues == null ? null : queues.newLeaf(this::execute);
  }

  @Override
  public LinkGroup.Leaf join(
      LinkChannel channel, String root, IntFunction<LinkGroup.LeafLog> logs) {
    return group == null ? null : group.join(channel, root, logs);
  }

  /** Serves the topics of a hub: opens the port and dials leaves. Completes with the port. */
  public Future<Integer> serve(Hub served) {
    hub = served;
    served.onSources(() -> roots.forEach(LinkRoot::onSources));
    // A port for roots has the event loop of the links to roots.
    Future<?> opened =
        options.spread()
            ? vertx.deployVerticle(
                () -> this::serve, new DeploymentOptions().setInstances(options.loops()))
            : onLoop(() -> serve(loop));
    return opened.map(
        any -> {
          dialLeaves();
          return servers.isEmpty() ? -1 : servers.get(0).actualPort();
        });
  }

  private Future<?> onLoop(Supplier<Future<?>> task) {
    Promise<Object> done = Promise.promise();
    execute(() -> task.get().mapEmpty().onComplete(done));
    return done.future();
  }

  /** Serves leaves on an event loop. */
  private Future<?> serve(Context context) {
    serving.add(context);
    return options.port() < 0 ? Future.succeededFuture() : listen();
  }

  private void dialLeaves() {
    int next = 0;
    for (String url : options.dial()) {
      serving.get(next++ % serving.size()).runOnContext(any -> dial(List.of(url), null));
    }
  }

  @Override
  public CompletionStage<Integer> preSubscribe(List<String> names) {
    return hub.preSubscribe(names, options.warmLingerMs());
  }

  private Future<HttpServer> listen() {
    HttpServer server = vertx.createHttpServer(tls.server());
    server.webSocketHandshakeHandler(this::onHandshake);
    server.webSocketHandler(this::onAccepted);
    server.requestHandler(request -> request.response().setStatusCode(NOT_FOUND).end());
    boolean selects = options.port() == 0 && options.spread();
    return server
        .listen(selects ? SAME_FREE_PORT : options.port(), options.host())
        .onSuccess(servers::add);
  }

  private void onHandshake(ServerWebSocketHandshake handshake) {
    String problem =
        handshake.path().equals(PATH) ? tls.problem(handshake.sslSession()) : "no such path";
    if (problem == null) {
      handshake.accept();
    } else {
      log.atWarn()
          .addKeyValue("address", handshake.remoteAddress())
          .addKeyValue("cause", problem)
          .log("link.refused");
      handshake.reject(FORBIDDEN);
    }
  }

  private void onAccepted(ServerWebSocket socket) {
    String address = String.valueOf(socket.remoteAddress());
    LinkSocket channel = open(socket, tls.peer(socket.sslSession()), address);
    channel.listener(new Greeting(channel, null, accepting, () -> {}));
  }

  private LinkSocket open(WebSocketBase socket, String peer, String address) {
    LinkSocket channel = new LinkSocket(vertx, socket, peer, address, options.timeoutMs());
    channels.add(channel);
    return channel;
  }

  private LinkRecord.Hello hello(boolean isRoot) {
    List<String> path = isRoot ? path() : List.of(instance);
    int tiers = isRoot ? tiers() : 0;
    return new LinkRecord.Hello(LinkCodec.VERSION, isRoot, node, path, tiers, capabilities(isRoot));
  }

  private List<String> capabilities(boolean isRoot) {
    List<String> all = new ArrayList<>(LinkCodec.CAPABILITIES);
    if (presence != null && (!isRoot || options.havePresence())) {
      all.add(LinkPeer.PRESENCE);
    }
    if (revocations != null) {
      all.add(LinkPeer.REVOCATIONS);
    }
    if (group != null) {
      all.add(LinkGroup.CAPABILITY);
    }
    return all;
  }

  private List<String> path() {
    Set<String> path = new LinkedHashSet<>(List.of(instance));
    upstream.values().forEach(root -> path.addAll(root.path()));
    return List.copyOf(path);
  }

  private int tiers() {
    return 1 + upstream.values().stream().mapToInt(LinkRecord.Hello::tiers).max().orElse(0);
  }

  /**
   * Sets what a root has sent, and notifies the leaves.
   *
   * @param root null when its link is closed
   */
  private void upstream(LinkChannel channel, LinkRecord.Hello root) {
    LinkRecord.Hello before = hello(true);
    Map<LinkChannel, LinkRecord.Hello> changed = new LinkedHashMap<>(upstream);
    if (root == null) {
      changed.remove(channel);
    } else {
      changed.put(channel, root);
    }
    upstream = changed;
    if (!hello(true).equals(before)) {
      roots.stream()
          .map(LinkRoot::channel)
          .forEach(each -> each.execute(() -> each.send(hello(true))));
    }
  }

  /** Returns why a root cannot serve this node, or null. */
  private String rootProblem(LinkRecord.Hello root) {
    if (root.path().contains(instance)) {
      return "node " + root.node() + " receives its messages from this node";
    }
    return root.tiers() >= MAX_TIERS
        ? "node " + root.node() + " is " + root.tiers() + " nodes away from its broker"
        : null;
  }

  /** Returns the figures of all links. Any thread. */
  public CompletionStage<List<NodeLinkFigures>> figures() {
    List<CompletableFuture<Optional<NodeLinkFigures>>> each =
        greetings.stream().map(Greeting::figures).toList();
    return CompletableFuture.allOf(each.toArray(CompletableFuture[]::new))
        .thenApply(any -> each.stream().flatMap(link -> link.join().stream()).toList());
  }

  /** Closes all links. Waits for the end of multicast, therefore not on an event loop. */
  public void close() {
    execute(
        () -> {
          stopped = true;
          channels.forEach(each -> each.execute(() -> each.close("the node stops")));
          dialers.forEach(Dialer::close);
        });
    if (group != null) {
      group.close();
    }
  }

  /** Exchange of the first records, and then the receiver of the link. Event loop of the link. */
  private final class Greeting implements LinkChannel.Listener {
    private final LinkSocket channel;
    private final Boolean asRoot;
    private final Receiver receiver;
    private final Runnable onEnd;
    private LinkChannel.Listener next;

    /** Null before the first record. */
    private LinkRecord.Hello peer;

    /** Latest hello of this node; null before it. */
    private LinkRecord.Hello sent;

    /** Null until the link is open. */
    private LinkLag lag;

    /**
     * @param asRoot whether this node is the root; null if the other one decides
     * @param receiver source of this node if it is the leaf; null without one
     * @param onEnd called when the link is closed
     */
    Greeting(LinkSocket channel, Boolean asRoot, Receiver receiver, Runnable onEnd) {
      this.channel = channel;
      this.asRoot = asRoot;
      this.receiver = receiver;
      this.onEnd = onEnd;
      greetings.add(this);
      if (asRoot != null) {
        greet(asRoot);
      }
      channel.later(this::checkHello, options.timeoutMs());
    }

    private void greet(boolean isRoot) {
      sent = hello(isRoot);
      channel.send(sent);
    }

    /** Returns the figures of an open link. Any thread. */
    CompletableFuture<Optional<NodeLinkFigures>> figures() {
      CompletableFuture<Optional<NodeLinkFigures>> figures = new CompletableFuture<>();
      channel.execute(
          () -> figures.complete(next == null ? Optional.empty() : Optional.of(ofOpen())));
      return figures;
    }

    private NodeLinkFigures ofOpen() {
      LinkRoot root = next instanceof LinkRoot served ? served : null;
      return new NodeLinkFigures(
          peer.node(),
          root == null,
          root == null ? ((LinkLeaf) next).isMulticast() : root.isMulticast(),
          root == null ? 0 : root.topics(),
          root == null ? lag.messages() : root.behind(),
          channel.roundTripMs());
    }

    @Override
    public void onRecord(LinkRecord received) {
      if (received instanceof LinkRecord.Hello hello) {
        onHello(hello);
      } else if (next == null) {
        channel.close("the first record must be a hello");
      } else {
        next.onRecord(received);
      }
    }

    private void checkHello() {
      if (next == null && !channel.isClosed()) {
        channel.close("the other node sent no hello");
      }
    }

    private void onHello(LinkRecord.Hello hello) {
      boolean isRoot = asRoot == null ? !hello.isRoot() : asRoot;
      String problem = problem(hello, isRoot);
      if (problem != null) {
        log.atWarn()
            .addKeyValue("peer", hello.node())
            .addKeyValue("cause", problem)
            .log("link.refused");
        channel.close(problem);
        return;
      }
      peer = hello;
      if (next == null) {
        if (asRoot == null) {
          greet(isRoot);
        }
        begin(hello, isRoot);
      }
      if (!isRoot) {
        upstream(channel, hello);
      }
    }

    private String problem(LinkRecord.Hello hello, boolean isRoot) {
      if (hello.version() != LinkCodec.VERSION) {
        return "version %d of links instead of %d".formatted(hello.version(), LinkCodec.VERSION);
      }
      if (hello.isRoot() == isRoot) {
        return "both nodes are " + (isRoot ? "the root" : "leaves") + " of the link";
      }
      if (isRoot) {
        return hub == null ? "the node is starting" : null;
      }
      return receiver == null ? "this node accepts no root (nodes.accept)" : rootProblem(hello);
    }

    private void begin(LinkRecord.Hello hello, boolean isRoot) {
      log.atInfo()
          .addKeyValue("peer", hello.node())
          .addKeyValue("as", isRoot ? "root" : "leaf")
          .log("link.opened");
      if (isRoot) {
        boolean canJoin = hello.capabilities().contains(LinkGroup.CAPABILITY);
        LinkGroup.Root member = group == null || !canJoin ? null : group.serve(channel);
        LinkRoot root = new LinkRoot(options, hub, channel, queues, member);
        root.join(options.havePresence() ? presence : null, revocations, hello.node());
        roots.add(root);
        if (!hello(true).equals(sent)) { // changed since, and not sent to all
          greet(true);
        }
        root.onSources();
        root.sendUsed();
        next = root;
        lag = new LinkLag();
        measure(root, hello.capabilities().contains(LinkCodec.LAG));
      } else {
        LinkLeaf leaf = receiver.onRoot(channel, hello);
        next = leaf;
        lag = leaf.lag();
      }
      if (isRoot || hello.capabilities().contains(LinkCodec.LAG)) {
        meters.add(hello.node(), isRoot, lag);
      }
    }

    private void measure(LinkRoot root, boolean reports) {
      if (channel.isClosed()) {
        return;
      }
      LinkRecord.Lag now = root.lag();
      lag.set(now);
      if (reports) {
        channel.send(now);
      }
      channel.later(() -> measure(root, reports), LinkLag.INTERVAL_MS);
    }

    @Override
    public void onFrameEnd() {
      if (next != null) {
        next.onFrameEnd();
      }
    }

    @Override
    public void onRoom() {
      if (next != null) {
        next.onRoom();
      }
    }

    @Override
    public void onClosed(String why) {
      channels.remove(channel);
      greetings.remove(this);
      if (next instanceof LinkRoot root) {
        roots.remove(root);
      } else {
        execute(() -> upstream(channel, null));
      }
      if (next != null) {
        meters.remove(lag);
        next.onClosed(why);
      } else if (Boolean.FALSE.equals(asRoot)) {
        receiver.onUnreachable(why);
      }
      onEnd.run();
    }
  }

  /** Keeps a link to one of several nodes open. Bound to one event loop. */
  private final class Dialer {
    private final List<String> urls;
    private final Receiver receiver;
    private final Backoff backoff = options.newBackoff();
    private int next;

    /** Has no connection, or one: Vert.x closes those of a client without references. */
    private WebSocketClient client;

    /** Contents of the files that the client uses. */
    private LinkTls.Files files;

    /**
     * @param receiver null if this node is the root
     */
    Dialer(List<String> urls, Receiver receiver) {
      this.urls = urls;
      this.receiver = receiver;
    }

    void connect() {
      if (stopped) {
        return;
      }
      String url = urls.get(next++ % urls.size());
      WebSocketConnectOptions to =
          new WebSocketConnectOptions()
              .setAbsoluteURI(url + PATH)
              .addSubProtocol(LinkCodec.SUBPROTOCOL)
              .setTimeout(options.timeoutMs());
      // Vert.x limits the connect and the handshake, but never reports a connection that was reset
      // between the two.
      client()
          .connect(to)
          .timeout(3 * options.timeoutMs(), TimeUnit.MILLISECONDS)
          .onComplete(opened -> onOpened(url, opened.result(), opened.cause()));
    }

    private WebSocketClient client() {
      LinkTls.Files latest = tls.files();
      if (client == null || latest != files) {
        close();
        client = vertx.createWebSocketClient(tls.client(latest));
        files = latest;
      }
      return client;
    }

    void close() {
      if (client != null) {
        client.close();
      }
    }

    private void onOpened(String url, WebSocket socket, Throwable failure) {
      String problem =
          socket == null ? SourceState.describe(failure) : tls.problem(socket.sslSession());
      if (problem != null) {
        log.atDebug().addKeyValue("url", url).addKeyValue("cause", problem).log("link not opened");
        if (receiver != null) {
          receiver.onUnreachable(url + ": " + problem);
        }
        if (socket != null) {
          socket.close();
        }
        again();
        return;
      }
      backoff.reset();
      LinkSocket channel = open(socket, tls.peer(socket.sslSession()), url);
      channel.listener(new Greeting(channel, receiver == null, receiver, this::again));
    }

    private void again() {
      if (!stopped) {
        vertx.setTimer(backoff.nextMs(), any -> connect());
      }
    }
  }
}
