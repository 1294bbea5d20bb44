package io.sluice.gateway.admin;

import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Route of the admin port: its path, its authorization and its methods. Immutable, for any thread.
 * docs/reference/admin-openapi.yaml describes the same routes.
 */
enum AdminRoute {
  LIVE("/health/live", Access.OPEN, HttpMethod.GET, HttpMethod.HEAD),
  READY("/health/ready", Access.OPEN, HttpMethod.GET, HttpMethod.HEAD),
  METRICS("/metrics", Access.METRICS, HttpMethod.GET, HttpMethod.HEAD),
  SESSIONS("/sessions", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD),
  PRESENCE("/presence", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD),
  REVOCATIONS("/revocations", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST),
  REVOCATION("/revocations/{kind}/{value}", Access.COMMAND, HttpMethod.DELETE),
  DURABLES("/durables", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD, HttpMethod.DELETE),
  CLUSTER("/cluster", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD),
  DRAIN("/drain", Access.COMMAND, HttpMethod.POST),
  REBALANCE("/rebalance", Access.COMMAND, HttpMethod.POST);

  /** Authorization that a route requires. */
  enum Access {
    /** None: health checks have no token. */
    OPEN,
    /** A token, unless metrics are open. */
    METRICS,
    /** A token, or a local client if no token is configured. */
    COMMAND
  }

  private final String path;
  private final Access access;
  private final List<HttpMethod> methods;

  AdminRoute(String path, Access access, HttpMethod... methods) {
    this.path = path;
    this.access = access;
    this.methods = List.of(methods);
  }

  /** Returns the path; names in braces are parameters. */
  String path() {
    return path;
  }

  Access access() {
    return access;
  }

  /** Returns the allowed methods. */
  List<HttpMethod> methods() {
    return methods;
  }

  /** Returns the route of a request's path, if there is one. */
  static Optional<AdminRoute> of(String path) {
    return Stream.of(values())
        .filter(route -> !route.hasParameters() && path.equals(route.path))
        .findFirst()
        .or(
            () ->
                path.startsWith(REVOCATIONS.path + "/")
                    ? Optional.of(REVOCATION)
                    : Optional.empty());
  }

  /** Returns the paths without parameters, for messages. */
  static String paths() {
    return Stream.of(values())
        .filter(route -> !route.hasParameters())
        .map(AdminRoute::path)
        .collect(Collectors.joining(", "));
  }

  private boolean hasParameters() {
    return path.contains("{");
  }
}
