package io.sluice.gateway.admin;

import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Route of the admin port: its path, its authorization and its methods. Immutable, for any thread.
 * docs/reference/admin-openapi.yaml describes the same routes.
 */
enum AdminRoute {
  LIVE("/health/live", Access.OPEN, HttpMethod.GET, HttpMethod.HEAD),
  READY("/health/ready", Access.OPEN, HttpMethod.GET, HttpMethod.HEAD),
  LOGIN("/login", Access.OPEN, HttpMethod.GET, HttpMethod.HEAD),
  METRICS("/metrics", Access.METRICS, HttpMethod.GET, HttpMethod.HEAD),
  PRESENCE("/presence", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD),
  REVOCATIONS("/revocations", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST),
  REVOCATION("/revocations/{kind}/{value}", Access.COMMAND, HttpMethod.DELETE),
  DURABLES("/durables", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD, HttpMethod.DELETE),
  TOPICS("/topics", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD),
  TAIL("/topics/{topic}/tail", Access.COMMAND, HttpMethod.GET),
  TOPIC("/topics/{topic}", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD),
  CLIENTS("/clients", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD),
  CLIENT("/clients/{session}", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD),
  DISCONNECT("/clients/{session}/disconnect", Access.COMMAND, HttpMethod.POST),
  REDIRECT("/clients/{session}/redirect", Access.COMMAND, HttpMethod.POST),
  TRACE("/clients/{session}/trace", Access.COMMAND, HttpMethod.POST),
  WHY("/why", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD),
  OVERVIEW("/overview", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD),
  AUDIT("/audit", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD),
  CONFIG("/config", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD),
  CLUSTER("/cluster", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD),
  DRAIN("/drain", Access.COMMAND, HttpMethod.POST),
  UNDRAIN("/undrain", Access.COMMAND, HttpMethod.POST),
  REBALANCE("/rebalance", Access.COMMAND, HttpMethod.POST),
  RELOAD("/reload", Access.COMMAND, HttpMethod.POST),
  LOGGERS("/loggers", Access.COMMAND, HttpMethod.GET, HttpMethod.HEAD, HttpMethod.PUT);

  /** Authorization that a route requires. */
  enum Access {
    /** None: health checks have no token, and the login page obtains one. */
    OPEN,
    /** A token, unless metrics are open. */
    METRICS,
    /** A token, or a local client if no token is configured. */
    COMMAND
  }

  private final String path;
  private final Access access;
  private final List<HttpMethod> methods;
  private final Pattern pattern;

  AdminRoute(String path, Access access, HttpMethod... methods) {
    this.path = path;
    this.access = access;
    this.methods = List.of(methods);
    this.pattern = pattern(path);
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

  /**
   * Returns the query parameters of requests that change something. Others are refused: a misspelt
   * one must not change more than was meant.
   */
  Set<String> parametersOfChanges() {
    return switch (this) {
      case DURABLES -> Set.of("principal", "topic", "name");
      case DISCONNECT, REDIRECT, TRACE -> Set.of("scope");
      case RELOAD -> Set.of("dryRun");
      default -> Set.of();
    };
  }

  /** Returns the route of a request's path, if there is one. */
  static Optional<AdminRoute> of(String path) {
    return Stream.of(values()).filter(route -> route.pattern.matcher(path).matches()).findFirst();
  }

  // The value of a revocation may contain slashes.
  private static Pattern pattern(String path) {
    String quoted = path.replaceAll("\\{value}", ".*").replaceAll("\\{[a-z]+}", "[^/]+");
    return Pattern.compile(quoted);
  }

  /** Returns the percent-encoded value of the first parameter of a path of this route. */
  String parameter(String requested) {
    String rest = requested.substring(path.indexOf('{'));
    int end = rest.indexOf('/');
    return end < 0 ? rest : rest.substring(0, end);
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
