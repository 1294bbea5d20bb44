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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Configuration keys of the connection to the message broker. Constants only. */
public final class BrokerSettings {
  private static final long KIB = 1024;
  private static final long MIB = 1024 * KIB;

  public static final Setting<String> URL =
      text("broker.url", null, "URL of the broker, in the syntax of its JMS client.");
  public static final Setting<String> PROVIDER =
      choice(
          "broker.provider",
          "artemis",
          List.of("artemis", "classic", "amqp", "factory", "jndi"),
          "JMS client: Artemis, ActiveMQ Classic, Qpid JMS for AMQP 1.0, a ConnectionFactory class,"
              + " or a JNDI lookup.");
  public static final Setting<String> USER =
      text("broker.user", "", "User name for the broker; empty: none.");
  public static final Setting<String> PASSWORD =
      text("broker.password", "", "Password for the broker.");
  public static final Setting<String> USER_FILE =
      text(
          "broker.user-file",
          "",
          "File with the user name for the broker in one line, read at each connect.");
  public static final Setting<String> PASSWORD_FILE =
      text(
          "broker.password-file",
          "",
          "File with the password for the broker in one line, read at each connect.");
  public static final Setting<String> CLIENT_ID =
      text("broker.client-id", "", "JMS client id of the connection; empty: no client id.");
  public static final Setting<String> SITE =
      text(
          "broker.site",
          "",
          "Name of the group of brokers that deliver the same messages. Clients that move from a"
              + " node of another group receive a gap. Empty: there is one group.");
  public static final Setting<Integer> CONNECTIONS =
      integer(
          "broker.connections",
          1,
          1,
          256,
          "Connections to the broker, over which topics are distributed.");

  /** Maximum number of consumers opened at a time, and of those closed; each uses a thread. */
  public static final Setting<Integer> OPEN_PARALLELISM = internal("broker.open-parallelism", 32);

  /** Timeout for opening or closing one consumer. */
  public static final Setting<Duration> OPEN_TIMEOUT =
      internal("broker.open-timeout", ofSeconds(30));

  public static final Setting<Duration> LINGER =
      duration(
          "broker.linger",
          ofSeconds(10),
          ofMillis(0),
          ofHours(24),
          "Time for which a topic's consumer remains after its last subscriber has left.");

  /** Maximum reconnect backoff; the actual delay is random between 0 and the bound. */
  public static final Setting<Duration> RECONNECT_MAX =
      internal("broker.reconnect-max", ofSeconds(10));

  /** Maximum interval between two canaries of a connection; zero: no canaries are sent. */
  public static final Setting<Duration> CANARY_INTERVAL =
      internal("broker.canary.interval", ofSeconds(2));

  public static final Setting<Duration> CANARY_TIMEOUT =
      duration(
          "broker.canary.timeout",
          ofSeconds(15),
          ofMillis(200),
          ofHours(3),
          "Time without a returned test message (canary) after which the broker is considered"
              + " lost.");

  /** Time for which a connection counts as congested after a message was late. */
  public static final Setting<Duration> CONGESTION_HOLD =
      internal("broker.congestion-hold", ofSeconds(10));

  public static final Setting<String> CANARY_PREFIX =
      text(
          "broker.canary.prefix",
          "sluice.canary",
          "First levels of the topics of canaries, equal on all nodes of a broker, closed to"
              + " clients. Empty: no canaries; a broker that stops responding is not detected.");
  public static final Setting<String> IDENTITY_PROPERTY =
      text(
          "broker.identity-property",
          "",
          "Message property with a unique id, for brokers that give copies of a message different"
              + " JMSMessageIDs. Every publisher must set it. Empty: JMSMessageID.");
  public static final Setting<List<String>> FORWARD_PROPERTIES =
      list("broker.forward-properties", List.of(), "JMS properties that are forwarded to clients.");
  public static final Setting<List<String>> DURABLE =
      list(
          "broker.durable",
          List.of(),
          "Patterns of topics with durable subscriptions of broker.client-id, which survive"
              + " restarts of node and broker. Otherwise as history.warm; requires"
              + " journal.folder.");
  public static final Setting<Map<String, String>> WILDCARDS =
      map(
          "broker.wildcards",
          "Wildcard syntax of provider amqp, factory or jndi: keys level (default *), rest (>,"
              + " amqp #) and separator (.). Levels of topics cannot contain these characters."
              + " With separator /, the broker's a/b is a.b.");
  public static final Setting<List<String>> INTERNAL_NAMES =
      list(
          "broker.internal-names",
          List.of(),
          "Patterns of reserved topics and queues that clients of provider amqp, factory or jndi may"
              + " use. Reserved are $… and names below activemq, ActiveMQ, SYSTEM, AMQ, amq, mq,"
              + " hornetq and qmf.");
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
          "Provider factory: bean properties of the ConnectionFactory. Provider jndi:"
              + " environment of the InitialContext, such as java.naming.factory.initial.");
  public static final Setting<String> JARS =
      text(
          "broker.jars",
          "",
          "Folder with the jars of provider factory or jndi; empty: the class path. For amqp: Qpid"
              + " JMS instead of the included one.");

  public static final Setting<List<String>> CAPABILITIES =
      list(
          "broker.capabilities",
          List.of(),
          "Further capabilities of provider amqp, factory or jndi, such as delay.");
  public static final Setting<String> REPORT =
      text(
          "broker.report",
          "",
          "Report of sluice provider-check for provider amqp, factory or jndi.");

  /** Maximum number of publishes of all clients that wait for the broker. */
  public static final Setting<Integer> PUBLISH_QUEUE = internal("broker.publish-queue", 10_000);

  /** Maximum bytes of the publishes that wait for the broker. */
  public static final Setting<Long> PUBLISH_QUEUE_BYTES =
      internal("broker.publish-queue-bytes", 64 * MIB);

  /**
   * Confirmation of publishes: auto (asynchronous with Artemis, Classic and AMQP), async or batch.
   */
  public static final Setting<String> PUBLISH_MODE = internal("broker.publish-mode", "auto");

  /** Number of JMS sessions for publishes; publishes of one client use the same session. */
  public static final Setting<Integer> PUBLISH_SESSIONS = internal("broker.publish-sessions", 4);

  /** Maximum number of unconfirmed publishes over all sessions. */
  public static final Setting<Integer> PUBLISH_IN_FLIGHT =
      internal("broker.publish-in-flight", 500);

  /** Timeout for sending a publish, and for its confirmation. */
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
          CANARY_TIMEOUT,
          CANARY_PREFIX,
          IDENTITY_PROPERTY,
          FORWARD_PROPERTIES,
          DURABLE,
          WILDCARDS,
          INTERNAL_NAMES,
          CONNECTION_FACTORY,
          PROPERTIES,
          JARS,
          CAPABILITIES,
          REPORT);

  private BrokerSettings() {}

  /** Returns the configured spelling of wildcards, with the defaults of the provider. */
  public static Map<String, String> wildcards(Config config) {
    Map<String, String> spelling = new HashMap<>();
    if (config.get(PROVIDER).equals("amqp")) {
      spelling.put("rest", "#"); // of Artemis and Broker-J
    }
    spelling.putAll(config.get(WILDCARDS));
    return spelling;
  }
}
