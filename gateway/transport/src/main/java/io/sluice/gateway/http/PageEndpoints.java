package io.sluice.gateway.http;

import io.sluice.gateway.handshake.Refusal;
import io.vertx.core.Context;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Endpoints below {@code /demo/}: {@code GET state}, and {@code POST} for each action. Actions are
 * accepted only over loopback, from pages of the demo's own nodes. For any event loop.
 */
final class PageEndpoints {
  static final String PREFIX = "/demo/";

  private static final String STATE = PREFIX + "state";
  private static final List<String> HOSTS = List.of("localhost", "127.0.0.1", "[::1]");

  /** Host names and addresses; other characters must not reach a response header. */
  private static final Pattern HOST =
      Pattern.compile("[A-Za-z0-9.-]{1,253}|\\[[0-9a-fA-F:.]{2,45}]");

  private final PageActions actions;

  PageEndpoints(PageActions actions) {
    this.actions = actions;
  }

  /** Answers a request whose path begins with {@link #PREFIX}. */
  void serve(Context context, HttpServerRequest request) {
    String origin = request.getHeader("Origin");
    if (isOwn(request, origin)) {
      request.response().putHeader("Access-Control-Allow-Origin", origin);
      request.response().putHeader("Vary", "Origin");
    }
    if (request.path().equals(STATE)) {
      state(context, request);
    } else if (request.method() != HttpMethod.POST) {
      Pages.refuse(request, Refusal.method("the method is not POST", "POST"));
    } else if (!isLoopback(request)) {
      Pages.refuse(
          request, Refusal.forbidden("the demo's controls are for clients on this machine"));
    } else if (!isOwn(request, origin)) {
      Pages.refuse(
          request,
          Refusal.forbidden("the demo's controls are for its own page; Origin: " + origin));
    } else {
      run(context, request);
    }
  }

  private void state(Context context, HttpServerRequest request) {
    actions
        .state(isLoopback(request))
        .thenAccept(
            json ->
                context.runOnContext(
                    here ->
                        request
                            .response()
                            .putHeader("Content-Type", "application/json")
                            .putHeader("Cache-Control", "no-store")
                            .end(json)));
  }

  private void run(Context context, HttpServerRequest request) {
    actions
        .run(request.path().substring(PREFIX.length()))
        .thenAccept(
            problem ->
                context.runOnContext(
                    here -> {
                      if (problem == null) {
                        request.response().putHeader("Content-Type", "text/plain").end("done\n");
                      } else {
                        Pages.refuse(request, Refusal.bad(problem));
                      }
                    }));
  }

  private static boolean isLoopback(HttpServerRequest request) {
    String address = request.remoteAddress().hostAddress();
    return address != null && new InetSocketAddress(address, 0).getAddress().isLoopbackAddress();
  }

  /** Returns whether an origin is that of a page that one of the demo's nodes serves. */
  private boolean isOwn(HttpServerRequest request, String origin) {
    String scheme = request.isSSL() ? "https://" : "http://";
    return origin != null
        && actions.ports().stream()
            .anyMatch(port -> HOSTS.stream().anyMatch(h -> origin.equals(scheme + h + ":" + port)));
  }

  /** Returns the sources to which a page may connect: this node and the others. */
  static String connectSources(HttpServerRequest request, List<Integer> ports) {
    String host = request.authority() == null ? "" : request.authority().host();
    if (!HOST.matcher(host).matches()) {
      return "'self'";
    }
    StringBuilder sources = new StringBuilder("'self'");
    String secure = request.isSSL() ? "s" : "";
    append(sources, "ws" + secure, host, request.authority().port());
    for (int port : ports) {
      if (port != request.authority().port()) {
        append(sources, "ws" + secure, host, port);
        append(sources, "http" + secure, host, port);
      }
    }
    return sources.toString();
  }

  private static void append(StringBuilder sources, String scheme, String host, int port) {
    sources.append(' ').append(scheme).append("://").append(host);
    if (port > 0) {
      sources.append(':').append(port);
    }
  }
}
