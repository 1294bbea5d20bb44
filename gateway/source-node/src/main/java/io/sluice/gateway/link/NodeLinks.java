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
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's links to other nodes: it accepts them at its port for links and dials others. One
 * event loop serves all of them. For any thread.
 */
public final class NodeLinks implements RootLinks {
  private static final Logger log = LoggerFactory.getLogger(NodeLinks.class);

  /** Path of links at the port. */
  private static final String PATH = "/link";

  /** Maximum number of nodes between a leaf and a broker. */
  private static final int MAX_TIERS = 8;

  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;

  private final Vertx vertx;
  private final Context loop;
  private final LinkOptions options;
  private final LinkTls tls;
  private final String node;
  private final LinkQueues queues;

  /** Null without it. */
  private volatile LinkPresence presence;

  private final String instance = UUID.randomUUID().toString();

  // Event loop.
  private final Set<Greeting> greetings = new LinkedHashSet<>();
  private final Set<LinkChannel> channels = new LinkedHashSet<>();
  private final Set<LinkRoot> roots = new LinkedHashSet<>();
  private final List<Dialer> dialers = new ArrayList<>();
  private HttpServer server;
  private Hub hub;

  /** Source whose roots connect to this node; null if they may not. */
  private Receiver accepting;

  private boolean stopped;

  /** Latest hello of each root. */
  private final Map<LinkChannel, LinkRecord.Hello> upstream = new LinkedHashMap<>();

  /**
   * Creates links that are not open yet.
   *
   * @param node name of this node
   * @param queues null without their module
   * @throws UnusableTls if a file of the links' certificates is unusable
   */
  public NodeLinks(Vertx vertx, LinkOptions options, String node, LinkQueues queues)
      throws UnusableTls {
    this.vertx = vertx;
    this.loop = vertx.getOrCreateContext();
    this.options = options;
    this.node = node;
    this.queues = queues;
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
  public void join(LinkPresence joined) {
    presence = joined;
  }

  @Override
  public LinkPresence presence() {
    return presence;
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
    return server == null
        ? Future.succeededFuture(true)
        : server.updateSSLOptions(tls.accepted(), true).map(true);
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

  /** Serves the topics of a hub: opens the port and dials leaves. Completes with the port. */
  public Future<Integer> serve(Hub served) {
    Promise<Integer> opened = Promise.promise();
    execute(
        () -> {
          hub = served;
          served.onSources(() -> execute(() -> roots.forEach(LinkRoot::onSources)));
          options.dial().forEach(url -> dial(List.of(url), null));
          if (options.port() < 0) {
            opened.complete(-1);
          } else {
            listen().onComplete(opened);
          }
        });
    return opened.future();
  }

  @Override
  public CompletionStage<Integer> preSubscribe(List<String> names) {
    return hub.preSubscribe(names, options.warmLingerMs());
  }

  private Future<Integer> listen() {
    server = vertx.createHttpServer(tls.server());
    server.webSocketHandshakeHandler(this::onHandshake);
    server.webSocketHandler(this::onAccepted);
    server.requestHandler(request -> request.response().setStatusCode(NOT_FOUND).end());
    return server.listen(options.port(), options.host()).map(HttpServer::actualPort);
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
    if (root == null) {
      upstream.remove(channel);
    } else {
      upstream.put(channel, root);
    }
    LinkRecord.Hello now = hello(true);
    if (!now.equals(before)) {
      roots.forEach(each -> each.channel().send(now));
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
    CompletableFuture<List<NodeLinkFigures>> figures = new CompletableFuture<>();
    execute(
        () ->
            figures.complete(
                greetings.stream().filter(Greeting::isOpen).map(Greeting::figures).toList()));
    return figures;
  }

  /** Closes all links. */
  public void close() {
    execute(
        () -> {
          stopped = true;
          List.copyOf(channels).forEach(channel -> channel.close("the node stops"));
          dialers.forEach(Dialer::close);
        });
  }

  /** Exchange of the first records, and then the receiver of the link. Event loop. */
  private final class Greeting implements LinkChannel.Listener {
    private final LinkSocket channel;
    private final Boolean asRoot;
    private final Receiver receiver;
    private final Runnable onEnd;
    private LinkChannel.Listener next;

    /** Null before the first record. */
    private LinkRecord.Hello peer;

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
        channel.send(hello(asRoot));
      }
      channel.later(this::checkHello, options.timeoutMs());
    }

    boolean isOpen() {
      return next != null;
    }

    NodeLinkFigures figures() {
      LinkRoot root = next instanceof LinkRoot served ? served : null;
      return new NodeLinkFigures(
          peer.node(),
          root == null,
          root == null ? 0 : root.topics(),
          root == null ? 0 : root.behind(),
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
          channel.send(hello(isRoot));
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
        LinkRoot root = new LinkRoot(options, hub, channel, queues);
        if (options.havePresence()) {
          root.join(presence, hello.node());
        }
        roots.add(root);
        root.onSources();
        root.sendUsed();
        next = root;
      } else {
        next = receiver.onRoot(channel, hello);
      }
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
        upstream(channel, null);
      }
      if (next != null) {
        next.onClosed(why);
      } else if (Boolean.FALSE.equals(asRoot)) {
        receiver.onUnreachable(why);
      }
      onEnd.run();
    }
  }

  /** Keeps a link to one of several nodes open. Event loop. */
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
      client().connect(to).onComplete(opened -> onOpened(url, opened.result(), opened.cause()));
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
