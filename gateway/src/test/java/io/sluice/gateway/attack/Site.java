package io.sluice.gateway.attack;

import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TopicSettings;
import java.util.ArrayList;
import java.util.List;

/** The kinds of nodes that are attacked, by how they are configured. */
enum Site {
  /** Plain text, default limits of addresses. */
  OPEN(Target.Way.PLAIN, Target.addresses("127.0.2.", 8)),
  TLS(Target.Way.TLS, Target.addresses("127.0.2.", 8)),
  /** Behind a proxy that uses the PROXY protocol; attackers have the proxy's address. */
  PROXIED(Target.Way.PROXY, List.of("127.0.1.1")),
  /** With limits for each address; attackers have one. */
  GUARDED(Target.Way.PLAIN, List.of("127.0.2.1")),
  /** With few places for handshakes; attackers have one address. */
  NARROW(Target.Way.PLAIN, List.of("127.0.2.1")),
  /** With permission rules, which an operator changes all the time, and an audit log. */
  RULED(Target.Way.PLAIN, Target.addresses("127.0.2.", 8)),
  /** With opaque tokens; attackers have one address. */
  ISSUED(Target.Way.PLAIN, List.of("127.0.2.1"));

  private static final String HONEST = "127.0.1.";
  private static final int HONEST_ADDRESSES = 100;
  private static final int HANDSHAKES = 500;

  private final Target.Way way;
  private final List<String> attackers;

  Site(Target.Way way, List<String> attackers) {
    this.way = way;
    this.attackers = attackers;
  }

  /** This site's settings on top of others. */
  Config configure(Config config, Secrets secrets) {
    Config all =
        config
            .with(AuthSettings.ANONYMOUS, true)
            .with(AuthSettings.JWT_KEYS, List.of(secrets.tokenKey().toString()))
            .with(ServerSettings.ALLOWED_ORIGINS, List.of("https://app.example.com"))
            .with(TopicSettings.SUBSCRIBE_TOPICS, List.of("stocks.*", "bulk.*", "probe.*"))
            .with(TopicSettings.PUBLISH_TOPICS, List.of("chat.*"));
    return switch (this) {
      case OPEN -> all;
      case TLS ->
          all.with(ServerSettings.TLS_CERTIFICATE, secrets.certificate().certificate().toString())
              .with(ServerSettings.TLS_KEY, secrets.certificate().key().toString());
      case PROXIED ->
          all.with(ServerSettings.PROXY_PROTOCOL, true)
              .with(ServerSettings.TRUSTED_PROXIES, List.of(HONEST + "0/24"));
      case GUARDED ->
          all.with(LimitSettings.ADDRESS_CONNECTIONS, 20)
              .with(LimitSettings.ADDRESS_HANDSHAKE_RATE, 20);
      case NARROW ->
          all.with(LimitSettings.HANDSHAKES, HANDSHAKES).with(ServerSettings.EVENT_LOOPS, 2);
      case RULED ->
          issued(all, secrets)
              .with(TopicSettings.SUBSCRIBE_TOPICS, List.of(">"))
              .with(TopicSettings.PUBLISH_TOPICS, List.of(">"))
              .with(TopicSettings.QUEUES_SEND, List.of(">"))
              .with(TopicSettings.QUEUES_CONSUME, List.of(">"))
              .with(TopicSettings.QUEUES_BROWSE, List.of(">"))
              .with(TopicSettings.TOPICS_DURABLE, List.of("probe.>"))
              .with(TopicSettings.TOPICS_SHARED, List.of("probe.>"))
              .with(TopicSettings.PERMISSION_RULES, Users.rules(false))
              .with(AdminSettings.AUDIT_FILE, secrets.audit().toString());
      case ISSUED -> issued(all, secrets);
    };
  }

  private static Config issued(Config config, Secrets secrets) {
    return config
        .with(AuthSettings.INTROSPECTION_URL, secrets.issuer().introspectionUrl())
        .with(AuthSettings.INTROSPECTION_CLIENT_ID, "node")
        .with(AuthSettings.INTROSPECTION_CLIENT_SECRET, "secret-of-the-node");
  }

  /** Returns whether an operator changes rules during attacks. */
  boolean isReloaded() {
    return this == RULED;
  }

  /** The attacks on it. */
  List<Attack> attacks() {
    List<Attack> attacks = new ArrayList<>(List.of(Attack.values()));
    attacks.removeIf(attack -> attack.site() != this);
    return attacks;
  }

  /** Returns the target of attackers. */
  Target attackers(String host, int port) {
    return new Target(host, port, way, attackers, "");
  }

  /** Returns the target of honest clients. */
  Target honest(String host, int port, Tokens tokens) {
    String token =
        switch (this) {
          case RULED -> tokens.of(Users.READER);
          case ISSUED -> Users.OPAQUE + '#';
          default -> "";
        };
    return new Target(host, port, way, Target.addresses(HONEST, HONEST_ADDRESSES), token);
  }
}
