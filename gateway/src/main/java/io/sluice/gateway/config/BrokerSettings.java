package io.sluice.gateway.config;

import static io.sluice.gateway.config.Setting.bytes;
import static io.sluice.gateway.config.Setting.choice;
import static io.sluice.gateway.config.Setting.duration;
import static io.sluice.gateway.config.Setting.integer;
import static io.sluice.gateway.config.Setting.list;
import static io.sluice.gateway.config.Setting.map;
import static io.sluice.gateway.config.Setting.text;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
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
  public static final Setting<Duration> CONNECT_TIMEOUT =
      duration(
          "broker.connect-timeout",
          ofSeconds(2),
          ofMillis(100),
          ofMinutes(5),
          "With provider artemis: how long one broker of the URL may take to accept a connection and"
              + " to send its topology; then the attempt has failed.");
  public static final Setting<Integer> OPEN_PARALLELISM =
      integer(
          "broker.open-parallelism",
          32,
          1,
          1024,
          "Consumers that the node opens at a time, and as many that it closes, each on a thread"
              + " that waits for the broker.");
  public static final Setting<Integer> CONSUMERS_PER_SESSION =
      integer(
          "broker.consumers-per-session",
          100,
          1,
          10_000,
          "With provider artemis and broker.acknowledge dups-ok: consumers that share a JMS session."
              + " Artemis creates the sessions of a connection one after the other.");
  public static final Setting<Duration> OPEN_TIMEOUT =
      duration(
          "broker.open-timeout",
          ofSeconds(30),
          ofMillis(100),
          ofMinutes(10),
          "How long opening one consumer may take. Then its topic is refused if the broker still"
              + " answers; otherwise the connection is considered lost.");
  public static final Setting<String> ACKNOWLEDGE =
      choice(
          "broker.acknowledge",
          "dups-ok",
          List.of("dups-ok", "auto"),
          "JMS acknowledge mode of the consumers.");
  public static final Setting<Duration> LINGER =
      duration(
          "broker.linger",
          ofSeconds(10),
          ofMillis(0),
          ofHours(24),
          "How long a topic's consumer stays after its last subscriber has left.");
  public static final Setting<Duration> RECONNECT_MIN =
      duration(
          "broker.reconnect-min",
          ofMillis(200),
          ofMillis(1),
          ofMinutes(10),
          "Upper bound of the first wait before a reconnect; it doubles with each failure.");
  public static final Setting<Duration> RECONNECT_MAX =
      duration(
          "broker.reconnect-max",
          ofSeconds(10),
          ofMillis(1),
          ofHours(1),
          "Upper bound of any wait before a reconnect; the wait is random between 0 and the bound.");
  public static final Setting<Duration> CANARY_INTERVAL =
      duration(
          "broker.canary.interval",
          ofSeconds(2),
          ofMillis(0),
          ofHours(1),
          "How often the node sends itself a message over each connection to the broker, so that it"
              + " knows that the broker still delivers; 0s: never, and a broker that falls silent"
              + " is not noticed.");
  public static final Setting<Duration> CANARY_PATIENCE =
      duration(
          "broker.canary.patience",
          ofSeconds(15),
          ofMillis(200),
          ofHours(3),
          "After this long without such a message coming back, the broker is taken for lost; twice"
              + " the interval at least.");
  public static final Setting<Duration> CONGESTION_HOLD =
      duration(
          "broker.congestion-hold",
          ofSeconds(10),
          Duration.ZERO,
          ofHours(1),
          "Time for which a connection counts as congested after a message was late by more than"
              + " resume.spread: a topic then needs a newer message for a proof of delivery. A"
              + " message that the broker has not numbered excludes its topic for as long.");
  public static final Setting<String> CANARY_PREFIX =
      text(
          "broker.canary.prefix",
          "sluice.canary",
          "First levels of the topics of these messages, the same for all nodes of a broker; clients"
              + " can neither subscribe nor publish below it.");
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
  public static final Setting<String> FACTORY_CLASS =
      text(
          "broker.factory.class",
          "",
          "Provider factory: the class of the ConnectionFactory, with a public constructor that"
              + " takes no argument.");
  public static final Setting<Map<String, String>> FACTORY_PROPERTIES =
      map(
          "broker.factory.properties",
          "Provider factory: bean properties to set on the ConnectionFactory.");
  public static final Setting<String> JNDI_CONNECTION_FACTORY =
      text(
          "broker.jndi.connection-factory",
          "ConnectionFactory",
          "Provider jndi: the name of the ConnectionFactory.");
  public static final Setting<Map<String, String>> JNDI_ENVIRONMENT =
      map(
          "broker.jndi.environment",
          "Provider jndi: the environment of the InitialContext, such as"
              + " java.naming.factory.initial.");
  public static final Setting<String> JARS =
      text(
          "broker.jars",
          "",
          "Folder with the jars of provider factory or jndi; empty: the class path.");
  public static final Setting<Integer> PUBLISH_QUEUE =
      integer(
          "broker.publish-queue",
          10_000,
          1,
          10_000_000,
          "Publishes of all clients that may wait for the broker; past it a publish is refused.");
  public static final Setting<Long> PUBLISH_QUEUE_BYTES =
      bytes(
          "broker.publish-queue-bytes",
          64 * MIB,
          MIB,
          1024 * MIB,
          "Bytes of the publishes that may wait for the broker, properties counted, each with 96 more;"
              + " past it as above.");
  public static final Setting<String> PUBLISH_MODE =
      choice(
          "broker.publish-mode",
          "auto",
          List.of("auto", "async", "batch"),
          "How publishes are sent: async confirms them by the JMS client's completion listener, batch"
              + " commits those that wait in one transaction. auto: async for artemis and classic,"
              + " otherwise batch. With providers factory and jndi choose async only if the client"
              + " calls the listener after the broker's confirmation (Artemis' client needs"
              + " confirmationWindowSize in its URL).");
  public static final Setting<Integer> PUBLISH_SESSIONS =
      integer(
          "broker.publish-sessions",
          4,
          1,
          64,
          "JMS sessions that send publishes, each on a thread; a client's publishes use one of them,"
              + " so that their order is kept.");
  public static final Setting<Integer> PUBLISH_IN_FLIGHT =
      integer(
          "broker.publish-in-flight",
          500,
          1,
          1_000_000,
          "Publishes that are sent and not confirmed by the broker yet, shared equally by"
              + " broker.publish-sessions; past it publishes wait in broker.publish-queue.");
  public static final Setting<Long> PUBLISH_IN_FLIGHT_BYTES =
      bytes(
          "broker.publish-in-flight-bytes",
          16 * MIB,
          KIB,
          1024 * MIB,
          "The same in bytes; a publish that is larger than a session's part is sent alone.");
  public static final Setting<Integer> PUBLISH_DESTINATIONS =
      integer(
          "broker.publish-destinations",
          1_000,
          1,
          1_000_000,
          "Topics that each publishing session remembers; with Artemis the first publish to another"
              + " topic costs two round trips.");
  public static final Setting<Duration> PUBLISH_TIMEOUT =
      duration(
          "broker.publish-timeout",
          ofSeconds(30),
          ofMillis(100),
          ofMinutes(10),
          "Time within which the broker has to confirm a publish; after it the publish is answered"
              + " with publish-failed, and its session is replaced. A publish that has waited as"
              + " long before it could be sent is answered with broker-unavailable.");

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
          CONNECT_TIMEOUT,
          OPEN_PARALLELISM,
          CONSUMERS_PER_SESSION,
          OPEN_TIMEOUT,
          ACKNOWLEDGE,
          LINGER,
          RECONNECT_MIN,
          RECONNECT_MAX,
          CANARY_INTERVAL,
          CANARY_PATIENCE,
          CONGESTION_HOLD,
          CANARY_PREFIX,
          FORWARD_PROPERTIES,
          DURABLE,
          WILDCARDS,
          FACTORY_CLASS,
          FACTORY_PROPERTIES,
          JNDI_CONNECTION_FACTORY,
          JNDI_ENVIRONMENT,
          JARS,
          PUBLISH_QUEUE,
          PUBLISH_QUEUE_BYTES,
          PUBLISH_MODE,
          PUBLISH_SESSIONS,
          PUBLISH_IN_FLIGHT,
          PUBLISH_IN_FLIGHT_BYTES,
          PUBLISH_DESTINATIONS,
          PUBLISH_TIMEOUT);

  private BrokerSettings() {}
}
