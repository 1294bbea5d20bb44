package io.sluice.gateway.http;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.sluice.gateway.admission.AcceptLimiter;
import io.sluice.gateway.admission.AdmissionCheck;
import io.sluice.gateway.admission.ClientAddresses;
import io.sluice.gateway.admission.HandshakeLimiter;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.handshake.HandshakeRules;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.handshake.UpgradeHead;
import io.sluice.gateway.hub.Hub;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.session.Session;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.shard.CompressionWindow;
import io.sluice.gateway.shard.HubShard;
import io.sluice.gateway.shard.ShardLoop;
import io.sluice.gateway.socket.AcceptedChannel;
import io.sluice.gateway.socket.AcceptedConnection;
import io.sluice.gateway.socket.ClientTransport;
import io.sluice.gateway.socket.EpollSockets;
import io.sluice.gateway.socket.RequestWatch;
import io.sluice.gateway.socket.SocketHandover;
import io.sluice.gateway.tls.Tls;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * HTTP server of one event loop on the clients' port: answers requests, upgrades WebSockets and
 * opens streams. Bound to its loop.
 */
final class ClientPort extends VerticleBase {
  private static final String WS = "/ws";
  private static final String ECHO = "/echo";

  /** Time for which a refused client may continue to send. */
  private static final long LINGER_MS = 1000;

  /** Maximum number of connections waiting to be accepted. */
  private static final int BACKLOG = 65_535;

  /** Maximum number of open requests of a connection of HTTP/2. */
  private static final int MAX_STREAMS = 100;

  private static final String HSTS = "Strict-Transport-Security";

  /** Maximum size of a request that is read without Vert.x; those of browsers have about 1 KB. */
  private static final int MAX_DIRECT_BYTES = 4096;

  private final ClientPortOptions options;
  private final ClientTransport transport;
  private final Tls tls;
  private final ClientPorts node;
  private final Hub hub;
  private final SessionPolicy policy;
  private final SessionFeature.Table features;
  private final GatewayMetrics metrics;
  private final RefusedHandshakes refusals;
  private final Pages pages;
  private final HandshakeRules handshake;
  private final HandshakeRules echoHandshake;

  /** Handshakes of open protocols on their own paths. */
  private final Map<SocketProtocol, HandshakeRules> protocolHandshakes = new HashMap<>();

  private final ClientAddresses addresses;
  private final String hsts;
  private EpollSockets epollSockets;
  private LoopState loopState;
  private SocketHandover handover;
  private ClientAdmission admission;
  private Streams streams;
  private ProtocolLoop protocolLoop;
  private HubShard shard;
  private HttpServer server;

  /**
   * @param transport passes accepted sockets to this loop
   * @param tls null for plain text
   */
  ClientPort(
      ClientPortOptions options,
      ClientTransport transport,
      Tls tls,
      ClientPorts node,
      Hub hub,
      SessionPolicy policy,
      SessionFeature.Table features,
      GatewayMetrics metrics,
      RefusedHandshakes refusals,
      Pages pages) {
    this.options = options;
    this.transport = transport;
    this.tls = tls;
    this.node = node;
    this.hub = hub;
    this.policy = policy;
    this.features = features;
    this.metrics = metrics;
    this.refusals = refusals;
    this.pages = pages;
    this.addresses = new ClientAddresses(options.addresses());
    this.hsts = options.hstsSeconds() == 0 ? "" : "max-age=" + options.hstsSeconds();
    this.handshake = handshake(subprotocols(node.protocols()), options);
    for (SocketProtocol each : node.protocols().sockets()) {
      protocolHandshakes.put(each, handshake(each.subprotocols(), options));
    }
    this.echoHandshake = handshake(List.of(), options);
  }

  private static List<String> subprotocols(OpenProtocols protocols) {
    List<String> all = new ArrayList<>();
    all.add(Encoding.BINARY_SUBPROTOCOL);
    all.add(Encoding.JSON_SUBPROTOCOL);
    protocols.sockets().forEach(each -> all.addAll(each.subprotocols()));
    return all;
  }

  private static HandshakeRules handshake(List<String> subprotocols, ClientPortOptions options) {
    return new HandshakeRules(subprotocols, options.origins(), options.compression());
  }

  @Override
  public Future<?> start() {
    EventLoop loop = ((ContextInternal) context).nettyEventLoop();
    epollSockets = EpollSockets.open(loop, useIoUring());
    shard = hub.newShard(new Loop(loop, epollSockets));
    loopState = node.newLoop(loop, admissionCheck());
    loopState.start();
    handover = new SocketHandover(epollSockets);
    admission = new ClientAdmission(node.admission(), loopState, refusals, metrics);
    protocolLoop = new ProtocolLoop(loop, shard, policy, features, node.protocols().formats());
    streams = new Streams(options, admission, loopState, shard, policy, features, addresses);
    server =
        vertx
            .createHttpServer(serverOptions())
            .requestHandler(this::onRequest)
            .invalidRequestHandler(this::onInvalidRequest);
    server.connectionHandler(this::onConnection);
    Future<?> ports = listenWithoutHttp();
    return server
        .listen(address())
        .onSuccess(listening -> onListening(listening.actualPort()))
        .compose(listening -> ports);
  }

  private Future<?> listenWithoutHttp() {
    List<Future<?>> ports = new ArrayList<>();
    for (SocketProtocol protocol : node.protocols().sockets()) {
      for (int port : protocol.ports()) {
        NetServer raw = vertx.createNetServer(rawOptions());
        raw.connectHandler(accepted -> onRawConnection(accepted, protocol));
        ports.add(raw.listen(port, options.host()));
      }
    }
    return Future.all(ports);
  }

  private NetServerOptions rawOptions() {
    HttpServerOptions server = serverOptions();
    return new NetServerOptions(server).setSslEngineOptions(server.getSslEngineOptions());
  }

  private void onRawConnection(NetSocket accepted, SocketProtocol protocol) {
    Channel channel = SocketHandover.channel(accepted);
    if (channel.remoteAddress() == null) {
      return; // the client has disconnected; NIO reports this as null
    }
    if (tls != null || options.headerProxies() == null) { // with TLS, its handler has read a header
      admitRaw(accepted, protocol);
      return;
    }
    AcceptedConnection connection = AcceptedChannel.of(channel);
    accepted.closeHandler(gone -> loopState.handshakes().remove(connection));
    channel.pipeline().addFirst(new BehindProxyHeader(() -> admitRaw(accepted, protocol)));
    loopState.handshakes().add(connection, loopState.nowMs());
  }

  private void admitRaw(NetSocket accepted, SocketProtocol protocol) {
    RawRequest request = new RawRequest(accepted, handover);
    String address = addresses.of(request.connection(), request::headers);
    Credential credential = request.credential(options.credentials());
    Refusal refusal = admission.check(request, address);
    if (refusal == null) {
      RawConnection client =
          new RawConnection(
              loopState,
              address,
              false,
              connection -> protocol.newClient(protocolLoop, connection, credential));
      refusal = admission.admit(request, "", Map.of(), client);
    }
    if (refusal != null) {
      admission.refuse(request, address, refusal);
    }
  }

  private void onListening(int port) {
    // A header of the PROXY protocol precedes the request; Vert.x's pipeline reads it.
    if (epollSockets != null && tls == null && options.headerProxies() == null) {
      transport.serve(port, epollSockets, directUpgrades());
    }
    node.onListening(port, transport());
  }

  private DirectUpgrades directUpgrades() {
    return new DirectUpgrades(
        loopState,
        this::endpoint,
        Math.min(options.headerBytes(), MAX_DIRECT_BYTES),
        hsts.isEmpty() ? Map.of() : Map.of(HSTS, hsts));
  }

  /** Returns the endpoint that serves a request directly, or null. */
  private Consumer<HandshakeRequest> endpoint(UpgradeHead head) {
    if (options.credentials().readsParameters() && head.query() != null) {
      return null; // Vert.x decodes the URL
    }
    if (head.hasPath(WS)) {
      return request -> upgrade(request, handshake, this::admitSession);
    }
    return options.echo() && head.hasPath(ECHO)
        ? request -> upgrade(request, echoHandshake, this::admitEcho)
        : null;
  }

  private SocketAddress address() {
    return options.port() == 0
        ? SocketAddress.sharedRandomPort(1, options.host()) // the same random port for all loops
        : SocketAddress.inetSocketAddress(options.port(), options.host());
  }

  /** Event loop as the hub uses it. */
  private record Loop(EventLoop loop, EpollSockets epollSockets) implements ShardLoop {
    @Override
    public void execute(Runnable task) {
      loop.execute(task);
    }

    // Queued tasks can run for a second before the sockets are served; timers run after I/O.
    @Override
    public void executeAfterIo(Runnable task) {
      LoopTimers.schedule(loop, task, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public void executeLater(Runnable task, long delayMs) {
      LoopTimers.schedule(loop, task, delayMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public void endBatch() {
      if (epollSockets != null) {
        epollSockets.endBatch();
      }
    }
  }

  private AdmissionCheck admissionCheck() {
    if (tls != null) {
      return new HandshakeLimiter(node.admission(), this::isOverloaded, addresses);
    }
    return node.admission().handshakeLimit().isSet()
        ? new AcceptLimiter(node.admission(), addresses)
        : null;
  }

  private boolean isOverloaded() {
    return loopState.isOverloaded();
  }

  private boolean useIoUring() {
    return !"epoll".equals(options.transport());
  }

  private String transport() {
    return epollSockets == null ? "channels" : epollSockets.transport();
  }

  @Override
  public Future<?> stop() {
    loopState.stop();
    if (epollSockets != null) {
      transport.stopServing(epollSockets);
      loopState.handshakes().closeAll();
      epollSockets.close();
    }
    return Future.succeededFuture();
  }

  private HttpServerOptions serverOptions() {
    HttpServerOptions server =
        new HttpServerOptions()
            .setHttp2ClearTextEnabled(false)
            // All calls come from the event loop. The queue for calls from other threads would
            // take 4.7 KB per connection.
            .setStrictThreadMode(true)
            // HandshakeRules negotiates it. Vert.x's own handlers would take memory per
            // connection, and one throws on pipelined requests whose responses are not read.
            .setPerMessageWebSocketCompressionSupported(false)
            .setPerFrameWebSocketCompressionSupported(false)
            .setMaxHeaderSize(options.headerBytes())
            .setMaxInitialLineLength(options.headerBytes())
            .setTcpNoDelay(true)
            .setInitialSettings(
                new Http2Settings()
                    .setMaxConcurrentStreams(MAX_STREAMS)
                    .setMaxHeaderListSize(options.headerBytes()));
    server.setAcceptBacklog(BACKLOG);
    if (tls != null) {
      tls.secure(server, node);
    }
    if (options.sendBuffer() > 0) {
      server.setSendBufferSize(options.sendBuffer());
    }
    return server;
  }

  private void onConnection(HttpConnection accepted) {
    RequestWatch.add(SocketHandover.channel(accepted));
    if (tls != null) {
      return; // its handler has already added the connection
    }
    AcceptedConnection connection = AcceptedChannel.of(SocketHandover.channel(accepted));
    if (!loopState.handshakes().contains(connection)) { // else it was accepted without a channel
      loopState.handshakes().add(connection, loopState.nowMs());
    }
    accepted.closeHandler(gone -> loopState.handshakes().remove(connection));
  }

  /** Answers a malformed or too long request. Nothing behind it can be read. */
  private void onInvalidRequest(HttpServerRequest request) {
    Channel channel = SocketHandover.channel(request.connection());
    VertxRequest received = new VertxRequest(request, handover);
    if (!channel.isActive() || received.connection().source() == null) {
      return; // the client has disconnected within the request
    }
    if (RequestWatch.isDiscarding(channel)) {
      return;
    }
    RequestWatch.discard(channel);
    String address = addresses.of(received.connection(), received::headers);
    // The headers before the one that exceeds the limit are known; browsers send the cookies late.
    Refusal refusal = invalid(request).with(options.origins().readable(received.headers("Origin")));
    admission.count(received, address, refusal);
    Pages.refuse(request, refusal.with(Map.of("Connection", "close")));
    channel.eventLoop().schedule(() -> channel.close(), LINGER_MS, TimeUnit.MILLISECONDS);
  }

  private Refusal invalid(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    String key = LimitSettings.HANDSHAKE_BYTES.key();
    if (cause instanceof TooLongHttpLineException) {
      return Refusal.lineTooLong(key, options.headerBytes());
    }
    return cause instanceof TooLongHttpHeaderException
        ? Refusal.headersTooLarge(key, options.headerBytes())
        : Refusal.bad("the request is not valid HTTP/1.0 or HTTP/1.1");
  }

  private void onRequest(HttpServerRequest request) {
    Channel channel = SocketHandover.channel(request.connection());
    if (channel.remoteAddress() == null) {
      return; // the client has disconnected; NIO reports this as null
    }
    if (RequestWatch.isDiscarding(channel)) {
      return;
    }
    if (!channel.isWritable()) {
      // It pipelines requests without reading the responses, which would fill the memory.
      loopState.handshakes().reject(AcceptedChannel.of(channel), "unread");
      return;
    }
    if (!hsts.isEmpty()) {
      request.response().putHeader(HSTS, hsts);
    }
    serve(new VertxRequest(request, handover), request.path());
  }

  private void serve(VertxRequest received, String path) {
    HttpServerRequest request = received.request();
    if (WS.equals(path)) {
      upgrade(received, handshake, this::admitSession);
    } else if ("/stream".equals(path)) {
      streams.serve(received);
    } else if (options.echo() && ECHO.equals(path)) {
      upgrade(received, echoHandshake, this::admitEcho);
    } else if (node.protocols().ofOwnPath(path) != null) {
      SocketProtocol protocol = node.protocols().ofOwnPath(path);
      upgrade(
          received,
          protocolHandshakes.get(protocol),
          (client, address, accepted) -> admitProtocol(client, address, accepted, protocol));
    } else if (node.protocols().ofPath(path) != null) {
      serve(received, node.protocols().ofPath(path));
    } else if (options.clientFiles() && ClientFiles.matches(path)) {
      admission.answer(
          received, addresses, Map.of(), () -> node.clientFiles().serve(vertx, request));
    } else {
      admission.answer(received, addresses, Map.of(), () -> pages.serve(vertx, request));
    }
  }

  private void serve(VertxRequest received, HttpProtocol protocol) {
    String address = addresses.of(received.connection(), received::headers);
    HttpExchange exchange =
        new HttpExchange(received, address, options, admission, loopState, protocolLoop);
    Refusal refusal = admission.check(received, address);
    if (refusal == null) {
      protocol.serve(exchange);
    } else {
      protocol.refuse(exchange, refusal);
    }
  }

  /** Endpoint that admits a client with a valid handshake, or returns the refusal. */
  @FunctionalInterface
  private interface Endpoint {
    Refusal admit(HandshakeRequest request, String address, HandshakeRules.Accepted accepted);
  }

  private void upgrade(HandshakeRequest request, HandshakeRules rules, Endpoint endpoint) {
    String address = addresses.of(request.connection(), request::headers);
    Refusal refusal = admission.check(request, address);
    if (refusal == null) {
      refusal = upgrade(request, address, rules, endpoint);
    }
    if (refusal != null) {
      admission.refuse(
          request, address, refusal.with(options.origins().readable(request.headers("Origin"))));
    }
  }

  private Refusal upgrade(
      HandshakeRequest request, String address, HandshakeRules rules, Endpoint endpoint) {
    HandshakeRules.Result result =
        rules.check(request.method(), request.version(), request::headers);
    return result instanceof HandshakeRules.Accepted accepted
        ? endpoint.admit(request, address, accepted)
        : ((HandshakeRules.Refused) result).refusal();
  }

  private Refusal admitSession(
      HandshakeRequest request, String address, HandshakeRules.Accepted accepted) {
    Credential credential = request.credential(options.credentials());
    Refusal challenge = options.challenge().of(credential, request.query());
    if (challenge != null) {
      return challenge;
    }
    SocketProtocol protocol = node.protocols().ofSubprotocol(accepted.subprotocol());
    if (protocol != null) {
      return admitProtocol(request, address, accepted, protocol);
    }
    boolean binary = Encoding.BINARY_SUBPROTOCOL.equals(accepted.subprotocol());
    Encoding encoding = Encoding.of(binary, accepted.deflate());
    return admit(
        request,
        address,
        accepted,
        connection ->
            new Session(
                connection,
                shard,
                policy,
                features,
                encoding,
                accepted.takeover() ? new CompressionWindow() : null,
                credential));
  }

  private Refusal admitProtocol(
      HandshakeRequest request,
      String address,
      HandshakeRules.Accepted accepted,
      SocketProtocol protocol) {
    Credential credential = request.credential(options.credentials());
    return admit(
        request,
        address,
        accepted,
        connection ->
            protocol.newClient(protocolLoop, connection, accepted.subprotocol(), credential));
  }

  private Refusal admitEcho(
      HandshakeRequest request, String address, HandshakeRules.Accepted accepted) {
    return admit(
        request,
        address,
        accepted,
        connection ->
            new Echo(
                connection,
                PooledByteBufAllocator.DEFAULT,
                accepted.deflate() ? loopState.deflation() : null,
                loopState.limits().maxPendingBytes()));
  }

  private Refusal admit(
      HandshakeRequest request,
      String address,
      HandshakeRules.Accepted accepted,
      Function<Connection, ConnectionListener> listener) {
    WebSocketConnection client =
        new WebSocketConnection(loopState, address, accepted.deflate(), listener);
    return admission.admit(request, "101 Switching Protocols", accepted.headers(), client);
  }
}
