package io.sluice.gateway.http;

import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.handshake.Origins;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import io.sluice.gateway.session.ProtocolContext;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Request to an open protocol, and the means to answer it. Bound to its event loop. */
public final class HttpExchange {
  private final VertxRequest received;
  private final String address;
  private final ClientPortOptions options;
  private final ClientAdmission admission;
  private final LoopState state;
  private final ProtocolLoop loop;

  /** Collects the response; null without {@link #collect}. */
  private ResponseConnection collecting;

  HttpExchange(
      VertxRequest received,
      String address,
      ClientPortOptions options,
      ClientAdmission admission,
      LoopState state,
      ProtocolLoop loop) {
    this.received = received;
    this.address = address;
    this.options = options;
    this.admission = admission;
    this.state = state;
    this.loop = loop;
  }

  /** Returns the request, whose handlers must be set before the protocol's call returns. */
  public HttpServerRequest request() {
    return received.request();
  }

  /** Returns the values of all lines of a header; with HTTP/2 its authority is the host. */
  public List<String> headers(String name) {
    return received.headers(name);
  }

  /** Returns the client's address behind any trusted proxy. */
  public String address() {
    return address;
  }

  /** Returns the credential of the request, or null. */
  public Credential credential() {
    return received.credential(options.credentials());
  }

  /** Returns the check of the origins of browsers. */
  public Origins origins() {
    return options.origins();
  }

  /** Returns the event loop. */
  public ProtocolContext loop() {
    return loop;
  }

  /**
   * Hands the connection over to a client, which writes the whole response, including its head. To
   * be called within the handler of the request or of its end.
   *
   * @param client creates the client; its {@code onOpen} begins the response
   * @return the refusal by a quota, which the caller answers; or null
   */
  public Refusal handOver(Function<Connection, ConnectionListener> client) {
    RawConnection connection = new RawConnection(state, address, true, client);
    return admission.admit(received, "", Map.of(), connection);
  }

  /**
   * Opens a session whose frames are collected for one response, which the client sends through
   * Vert.x; the connection remains. The session ends if the client disconnects before.
   *
   * @return the refusal by a quota, which the caller answers; or null
   */
  public Refusal collect(Function<Connection, ? extends ResponseClient> client) {
    ResponseConnection connection =
        new ResponseConnection(state, loop.eventLoop(), address, client);
    Refusal refusal = admission.admit(connection, () -> connection.begin(received.connection()));
    if (refusal == null) {
      collecting = connection;
      received.request().response().closeHandler(gone -> connection.abort());
    }
    return refusal;
  }

  /** Completes the response, whose status and headers are set. */
  public void end(Buffer body) {
    HttpServerResponse response = received.request().response();
    boolean isEmpty = body.length() == 0 || received.request().method() == HttpMethod.HEAD;
    Future<Void> sent = isEmpty ? response.end() : response.end(body);
    if (collecting != null) {
      collecting.onAnswered(sent);
    }
  }

  /** Returns the refusal of every client while the node drains or stops, or null. */
  public Refusal unavailable() {
    return admission.node.refusal();
  }

  /** Counts a refusal that the protocol answers. */
  public void count(Refusal refusal) {
    admission.count(received, address, refusal);
  }

  /**
   * Opens a session that outlives the request, on its event loop.
   *
   * @param output receives what the session sends
   * @return the refusal by a quota, which the caller answers; or null
   */
  public Refusal detach(
      SessionOutput output, Function<DetachedConnection, ConnectionListener> client) {
    DetachedConnection connection = new DetachedConnection(state, address, client);
    return admission.admit(connection, () -> connection.begin(loop.eventLoop(), output));
  }

  /** Suspends the timeout of the request's connection, until {@link #resume}: an answer waits. */
  public void suspend() {
    state.handshakes().suspend(received.connection());
  }

  /** Starts the timeout of the request's connection again. To be called once. */
  public void resume() {
    state.handshakes().resume(received.connection(), state.nowMs());
  }

  /** Answers with an error, and counts it. */
  public void refuse(Refusal refusal) {
    admission.refuse(received, address, refusal);
  }
}
