package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.internal;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.text;

import java.time.Duration;
import java.util.List;

/** Configuration keys of the connection to NATS. Constants only. */
public final class NatsSettings {
  public static final Setting<List<String>> SERVERS =
      list(
          "nats.servers",
          List.of(),
          "URLs of NATS servers, such as nats://nats.example.com:4222, or tls://… for TLS from a"
              + " server that requires it; the node connects to one of them.");
  public static final Setting<List<String>> TOPICS =
      list(
          "nats.topics",
          List.of(">"),
          "Patterns of the subjects that clients may use; all by default. Required with broker.url."
              + " Those that begin with $ are closed, except the keys of buckets below $KV.");
  public static final Setting<String> USER =
      text("nats.user", "", "User name for NATS; empty: none.");
  public static final Setting<String> PASSWORD =
      text("nats.password", "", "Password of nats.user.");
  public static final Setting<String> TOKEN =
      text("nats.token", "", "Token for NATS, instead of a user.");
  public static final Setting<String> CREDENTIALS_FILE =
      text(
          "nats.credentials-file",
          "",
          "File with the JWT and the NKey seed of the node, as nsc writes it, instead of a user"
              + " or token.");
  public static final Setting<String> TRUST =
      text(
          "nats.trust",
          "",
          "PEM file with the authorities of NATS servers with TLS; empty: those of the JDK.");

  /** Interval of searches for streams that store subjects of topics that had none. */
  public static final Setting<Duration> SEARCH_INTERVAL =
      internal("nats.search-interval", Duration.ofSeconds(15));

  /** Keys of this section, in the order of the documentation. */
  public static final List<Setting<?>> ALL =
      List.of(SERVERS, TOPICS, USER, PASSWORD, TOKEN, CREDENTIALS_FILE, TRUST);

  private NatsSettings() {}
}
