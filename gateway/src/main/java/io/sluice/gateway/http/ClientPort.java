package io.sluice.gateway.http;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.sluice.gateway.admission.AcceptLimiter;
import io.sluice.gateway.admission.AdmissionCheck;
import io.sluice.gateway.admission.ClientAddresses;
import io.sluice.gateway.admission.HandshakeLimiter;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.Refusal;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.session.Session;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.shard.ShardLoop;
import io.sluice.gateway.socket.EpollSockets;
import io.sluice.gateway.socket.SocketHandover;
import io.sluice.gateway.tls.Tls;
import io.sluice.gateway.websocket.HandshakeRules;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * One event loop's share of the port on which clients connect: answers HTTP, upgrades WebSockets
 * and opens streams. Bound to its loop.
 */
final class ClientPort extends VerticleBase {
  private final ClientPortOptions options;
  private final Tls tls;
  private final ClientPorts node;
  private final Hub hub;
  private final SessionPolicy policy;
  private final GatewayMetrics metrics;
  private final RefusedHandshakes refused;
  private final Pages pages;
  private final HandshakeRules handshake;
  private final HandshakeRules echoHandshake;
  private final ClientAddresses addresses;
  private final String hsts;
  private EpollSockets descriptors;
  private LoopState connections;
  private ClientAdmission admission;
  private Streams streams;
  private HubShard shard;
  private HttpServer server;

  ClientPort(
      ClientPortOptions options,
      Tls tls,
      ClientPorts node,
      Hub hub,
      SessionPolicy policy,
      GatewayMetrics metrics,
      RefusedHandshakes refused,
      Pages pages) {
    this.options = options;
    this.tls = tls;
    this.node = node;
    this.hub = hub;
    this.policy = policy;
    this.metrics = metrics;
    this.refused = refused;
    this.pages = pages;
    this.addresses = new ClientAddresses(options.addresses());
    this.hsts = options.hstsSeconds() == 0 ? "" : "max-age=" + options.hstsSeconds();
    this.handshake =
        handshake(List.of(Encoding.BINARY_SUBPROTOCOL, Encoding.JSON_SUBPROTOCOL), options);
    this.echoHandshake = handshake(List.of(), options);
  }

  private static HandshakeRules handshake(List<String> subprotocols, ClientPortOptions options) {
    return new HandshakeRules(subprotocols, options.origins(), options.compression());
  }

  @Override
  public Future<?> start() {
    EventLoop loop = ((ContextInternal) context).nettyEventLoop();
    descriptors = tls == null ? EpollSockets.open(loop, wantsRing()) : null;
    shard = hub.newShard(new Loop(loop, descriptors));
    connections = node.newLoop(loop, gate());
    connections.start();
    admission =
        new ClientAdmission(
            node.admission(), new SocketHandover(descriptors), connections, refused, metrics);
    streams = new Streams(options, admission, connections, shard, policy, addresses);
    server =
        vertx
            .createHttpServer(serverOptions())
            .requestHandler(this::onRequest)
            .invalidRequestHandler(this::onInvalidRequest);
    if (tls == null) {
      server.connectionHandler(this::onConnection); // with TLS its handler knew earlier
    }
    return server
        .listen(address())
        .onSuccess(listening -> node.onListening(listening.actualPort(), transport()));
  }

  private SocketAddress address() {
    return options.port() == 0
        ? SocketAddress.sharedRandomPort(1, options.host()) // one free port for all loops
        : SocketAddress.inetSocketAddress(options.port(), options.host());
  }

  /** An event loop for the hub. */
  private record Loop(EventLoop loop, EpollSockets descriptors) implements ShardLoop {
    @Override
    public void execute(Runnable task) {
      loop.execute(task);
    }

    // Tasks can go on for a second before the sockets have their turn; timers come after them.
    @Override
    public void executeAfterIo(Runnable task) {
      loop.schedule(task, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public void executeLater(Runnable task, long delayMs) {
      loop.schedule(task, delayMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public void endBatch() {
      if (descriptors != null) {
        descriptors.endBatch();
      }
    }
  }

  private AdmissionCheck gate() {
    if (tls != null) {
      return new HandshakeLimiter(node.admission(), this::isOverloaded, addresses);
    }
    return node.admission().handshakeLimit().isSet()
        ? new AcceptLimiter(node.admission(), addresses)
        : null;
  }

  private boolean isOverloaded() {
    return connections.isOverloaded();
  }

  private boolean wantsRing() {
    return !"epoll".equals(options.transport());
  }

  private String transport() {
    return descriptors == null ? "channels" : descriptors.transport();
  }

  @Override
  public Future<?> stop() {
    connections.stop();
    if (descriptors != null) {
      descriptors.close();
    }
    return Future.succeededFuture();
  }

  private HttpServerOptions serverOptions() {
    HttpServerOptions server =
        new HttpServerOptions()
            .setHttp2ClearTextEnabled(false)
            // Everything here is done on the event loop; the queue for what comes from elsewhere
            // takes 4.7 KB of each connection, which counts when very many are half open.
            .setStrictThreadMode(true)
            // HandshakeRules negotiates it. Vert.x's own handlers would cost each connection
            // memory, and
            // one throws for each of ever more requests whose answers nobody reads.
            .setPerMessageWebSocketCompressionSupported(false)
            .setPerFrameWebSocketCompressionSupported(false)
            .setMaxHeaderSize(options.headerBytes())
            .setTcpNoDelay(true);
    server.setAcceptBacklog(options.backlog());
    if (tls != null) {
      tls.secure(server, node);
    }
    if (options.sendBuffer() > 0) {
      server.setSendBufferSize(options.sendBuffer());
    }
    return server;
  }

  private void onConnection(HttpConnection accepted) {
    Channel channel = SocketHandover.channel(accepted);
    connections.handshakes().add(channel, connections.nowMs());
    accepted.closeHandler(gone -> connections.handshakes().remove(channel));
  }

  /** What comes is no HTTP, or too long; Vert.x answers and closes. */
  private void onInvalidRequest(HttpServerRequest request) {
    HttpServerRequest.DEFAULT_INVALID_REQUEST_HANDLER.handle(request);
    metrics.handshakeRefused(String.valueOf(request.response().getStatusCode()));
  }

  private void onRequest(HttpServerRequest request) {
    Channel channel = SocketHandover.channel(request.connection());
    if (channel.remoteAddress() == null) {
      return; // the client has gone meanwhile, as NIO notices
    }
    if (!channel.isWritable()) {
      // It asks for more than it reads, and every further answer would wait in memory.
      connections.handshakes().reject(channel, "unread");
      return;
    }
    if (!hsts.isEmpty()) {
      request.response().putHeader("Strict-Transport-Security", hsts);
    }
    String path = request.path();
    if ("/ws".equals(path)) {
      upgrade(request, handshake, this::admitSession);
    } else if ("/stream".equals(path)) {
      streams.serve(request);
    } else if (options.echo() && "/echo".equals(path)) {
      upgrade(request, echoHandshake, this::admitEcho);
    } else {
      admission.answer(request, addresses, Map.of(), () -> pages.serve(vertx, request));
    }
  }

  /** Lets a client in whose handshake is right, or says why not. */
  @FunctionalInterface
  private interface Endpoint {
    Refusal admit(HttpServerRequest request, String address, HandshakeRules.Accepted accepted);
  }

  private void upgrade(HttpServerRequest request, HandshakeRules rules, Endpoint endpoint) {
    String address = addresses.of(request);
    Refusal refusal = admission.check(request, address);
    if (refusal == null) {
      refusal = upgrade(request, address, rules, endpoint);
    }
    if (refusal != null) {
      admission.refuse(request, address, refusal);
    }
  }

  private Refusal upgrade(
      HttpServerRequest request, String address, HandshakeRules rules, Endpoint endpoint) {
    HandshakeRules.Result result =
        rules.check(
            request.method().name(), version(request), name -> request.headers().getAll(name));
    return result instanceof HandshakeRules.Accepted accepted
        ? endpoint.admit(request, address, accepted)
        : ((HandshakeRules.Refused) result).refusal();
  }

  private Refusal admitSession(
      HttpServerRequest request, String address, HandshakeRules.Accepted accepted) {
    Credential shown = options.credentials().of(request);
    Refusal question = options.challenge().of(shown, request.query());
    if (question != null) {
      return question;
    }
    boolean binary = Encoding.BINARY_SUBPROTOCOL.equals(accepted.subprotocol());
    Encoding encoding = Encoding.of(binary, accepted.deflate());
    return admit(
        request,
        address,
        accepted,
        connection -> new Session(connection, shard, policy, encoding, shown));
  }

  private Refusal admitEcho(
      HttpServerRequest request, String address, HandshakeRules.Accepted accepted) {
    return admit(
        request,
        address,
        accepted,
        connection ->
            new Echo(
                connection,
                PooledByteBufAllocator.DEFAULT,
                accepted.deflate() ? connections.deflation() : null,
                connections.limits().maxPendingBytes()));
  }

  private Refusal admit(
      HttpServerRequest request,
      String address,
      HandshakeRules.Accepted accepted,
      Function<Connection, ConnectionListener> listener) {
    WebSocketConnection client =
        new WebSocketConnection(connections, address, accepted.deflate(), listener);
    return admission.admit(request, "101 Switching Protocols", accepted.headers(), client);
  }

  private static String version(HttpServerRequest request) {
    return request.version() == HttpVersion.HTTP_1_1 ? "HTTP/1.1" : "HTTP/1.0";
  }
}
