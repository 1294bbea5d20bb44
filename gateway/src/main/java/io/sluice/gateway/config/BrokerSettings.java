package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.choice;
import static io.sluice.gateway.config.Setting.duration;
import static io.sluice.gateway.config.Setting.integer;
import static io.sluice.gateway.config.Setting.internal;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.map;
import static io.sluice.gateway.config.Setting.text;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Configuration keys of the connection to the message broker. Constants only. */
public final class BrokerSettings {
  private static final long KIB = 1024;
  private static final long MIB = 1024 * KIB;

  public static final Setting<String> URL =
      text("broker.url", null, "URL of the broker, in the form that its JMS client takes.");
  public static final Setting<String> PROVIDER =
      choice(
          "broker.provider",
          "artemis",
          List.of("artemis", "classic", "factory", "jndi"),
          "JMS client: Artemis, ActiveMQ Classic, a ConnectionFactory class, or a JNDI lookup.");
  public static final Setting<String> USER =
      text("broker.user", "", "User name for the broker; empty: none.");
  public static final Setting<String> PASSWORD =
      text("broker.password", "", "Password for the broker.");
  public static final Setting<String> USER_FILE =
      text(
          "broker.user-file",
          "",
          "File whose one line is the user name for the broker, read at each connect.");
  public static final Setting<String> PASSWORD_FILE =
      text(
          "broker.password-file",
          "",
          "File whose one line is the password for the broker, read at each connect.");
  public static final Setting<String> CLIENT_ID =
      text("broker.client-id", "", "JMS client id of the connection; empty: none is set.");
  public static final Setting<String> SITE =
      text(
          "broker.site",
          "",
          "Name of the brokers whose messages are the same, where clients may come from nodes of"
              + " others, such as a second site: they are told that they may have missed something."
              + " Empty: there are no others.");
  public static final Setting<Integer> CONNECTIONS =
      integer(
          "broker.connections",
          1,
          1,
          256,
          "Connections to the broker; topics are spread over them.");

  /** Time limit for one Artemis broker to accept a connection and send its topology. */
  public static final Setting<Duration> CONNECT_TIMEOUT =
      internal("broker.connect-timeout", ofSeconds(2));

  /** Most consumers opened at a time, and most closed at a time; each occupies a thread. */
  public static final Setting<Integer> OPEN_PARALLELISM = internal("broker.open-parallelism", 32);

  /** Time limit for opening or closing one consumer. */
  public static final Setting<Duration> OPEN_TIMEOUT =
      internal("broker.open-timeout", ofSeconds(30));

  public static final Setting<Duration> LINGER =
      duration(
          "broker.linger",
          ofSeconds(10),
          ofMillis(0),
          ofHours(24),
          "How long a topic's consumer stays after its last subscriber has left.");

  /** Upper bound of the first wait before a reconnect; it doubles with each failure. */
  public static final Setting<Duration> RECONNECT_MIN =
      internal("broker.reconnect-min", ofMillis(200));

  /** Upper bound of any wait before a reconnect; the wait is random between 0 and the bound. */
  public static final Setting<Duration> RECONNECT_MAX =
      internal("broker.reconnect-max", ofSeconds(10));

  /** Longest interval between two canaries of a connection; zero sends none. */
  public static final Setting<Duration> CANARY_INTERVAL =
      internal("broker.canary.interval", ofSeconds(2));

  public static final Setting<Duration> CANARY_PATIENCE =
      duration(
          "broker.canary.patience",
          ofSeconds(15),
          ofMillis(200),
          ofHours(3),
          "Time without a returning canary after which the broker is considered lost. The node sends"
              + " itself a canary over each connection in a quarter of this time, at most 2s.");

  /** Time for which a connection counts as congested after a message was late. */
  public static final Setting<Duration> CONGESTION_HOLD =
      internal("broker.congestion-hold", ofSeconds(10));

  public static final Setting<String> CANARY_PREFIX =
      text(
          "broker.canary.prefix",
          "sluice.canary",
          "First levels of the topics of canaries, the same for all nodes of a broker; clients can"
              + " neither subscribe nor publish below it. Empty: no canaries are sent, and a broker"
              + " that falls silent is not noticed.");
  public static final Setting<List<String>> FORWARD_PROPERTIES =
      list(
          "broker.forward-properties",
          List.of(),
          "JMS properties that travel with a message to the clients.");
  public static final Setting<List<String>> DURABLE =
      list(
          "broker.durable",
          List.of(),
          "Patterns of topics that the broker keeps for this node while it is away, as durable"
              + " subscriptions of broker.client-id; they and their topics survive restarts of node"
              + " and broker without a gap. Like history.warm otherwise; needs journal.folder.");
  public static final Setting<Map<String, String>> WILDCARDS =
      map(
          "broker.wildcards",
          "How provider factory or jndi spells wildcards: keys level, rest and separator. Levels of"
              + " topics can have none of their characters.");
  public static final Setting<String> CONNECTION_FACTORY =
      text(
          "broker.connection-factory",
          "",
          "Provider factory: class of the ConnectionFactory, with a public constructor without"
              + " arguments. Provider jndi: JNDI name of the ConnectionFactory; empty:"
              + " ConnectionFactory.");
  public static final Setting<Map<String, String>> PROPERTIES =
      map(
          "broker.properties",
          "Provider factory: bean properties of the ConnectionFactory. Provider jndi: environment of"
              + " the InitialContext, such as java.naming.factory.initial.");
  public static final Setting<String> JARS =
      text(
          "broker.jars",
          "",
          "Folder with the jars of provider factory or jndi; empty: the class path.");

  /** Most publishes of all clients that wait for the broker. */
  public static final Setting<Integer> PUBLISH_QUEUE = internal("broker.publish-queue", 10_000);

  /** Most bytes of the publishes that wait for the broker. */
  public static final Setting<Long> PUBLISH_QUEUE_BYTES =
      internal("broker.publish-queue-bytes", 64 * MIB);

  /** Confirmation of publishes: auto (asynchronous with Artemis and Classic), async or batch. */
  public static final Setting<String> PUBLISH_MODE = internal("broker.publish-mode", "auto");

  /** JMS sessions that send publishes; those of one client share a session. */
  public static final Setting<Integer> PUBLISH_SESSIONS = internal("broker.publish-sessions", 4);

  /** Most publishes that are sent and not confirmed yet, over all sessions. */
  public static final Setting<Integer> PUBLISH_IN_FLIGHT =
      internal("broker.publish-in-flight", 500);

  /** Most bytes of the publishes that are sent and not confirmed yet. */
  public static final Setting<Long> PUBLISH_IN_FLIGHT_BYTES =
      internal("broker.publish-in-flight-bytes", 16 * MIB);

  /** Destinations cached by each publishing session. */
  public static final Setting<Integer> PUBLISH_DESTINATIONS =
      internal("broker.publish-destinations", 1_000);

  /** Time limit for a publish to be sent, and for its confirmation. */
  public static final Setting<Duration> PUBLISH_TIMEOUT =
      internal("broker.publish-timeout", ofSeconds(30));

  /** Keys of this section, in the order of the documentation. */
  static final List<Setting<?>> ALL =
      List.of(
          URL,
          PROVIDER,
          USER,
          PASSWORD,
          USER_FILE,
          PASSWORD_FILE,
          CLIENT_ID,
          SITE,
          CONNECTIONS,
          LINGER,
          CANARY_PATIENCE,
          CANARY_PREFIX,
          FORWARD_PROPERTIES,
          DURABLE,
          WILDCARDS,
          CONNECTION_FACTORY,
          PROPERTIES,
          JARS);

  private BrokerSettings() {}
}
