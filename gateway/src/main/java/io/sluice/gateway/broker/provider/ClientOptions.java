package io.sluice.gateway.broker.provider;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Setting;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;

/**
 * Options of a JMS client that a broker's URL or a ConnectionFactory may have. The client must not
 * hide a loss from the node, reconnect by itself, or confirm what the broker has not accepted.
 * Immutable, for any thread.
 */
final class ClientOptions {
  private static final Pattern PAIR = Pattern.compile("[?&;]([^=&?;,()#]+)=([^&;,()#]*)");
  private static final Pattern SCHEME =
      Pattern.compile("(?<![A-Za-z0-9+.])([A-Za-z][A-Za-z+]*):(?=/|\\()");
  private static final long MINUTE_MS = 60_000;
  private static final long INT = Integer.MAX_VALUE;

  /**
   * Option of a client.
   *
   * @param name name as in the client's documentation
   * @param values allowed values in words; empty: all, "none": the option is refused
   * @param min minimum of an integer
   * @param max maximum of an integer
   * @param why consequence of other values; empty if all are allowed
   */
  record Option(String name, String values, long min, long max, String why) {
    boolean allows(String value) {
      if (values.isEmpty() || values.equals(value)) {
        return true;
      }
      if (min > max) {
        return false;
      }
      try {
        long number = Long.parseLong(value.trim());
        return number >= min && number <= max || values.startsWith(value.trim() + " or ");
      } catch (NumberFormatException e) {
        return false;
      }
    }

    boolean isRestricted() {
      return !values.isEmpty();
    }
  }

  private static final String HIDES = "the client would reconnect and hide lost messages";
  private static final String UNCONFIRMED = "a publish would be confirmed before the broker has it";
  private static final String UNDETECTED = "a silent or lost broker would be detected too late";
  private static final String ELSEWHERE = "the client would choose or change its broker by itself";
  private static final String UNSETTLED = "settled messages could be lost, or returned unsettled";

  /** Options of Artemis' client. */
  static final ClientOptions ARTEMIS =
      new ClientOptions("")
          .fixed("reconnectAttempts", "0", HIDES)
          .fixed("initialConnectAttempts", "1", HIDES)
          .fixed("failoverAttempts", "0", ELSEWHERE)
          .fixed("failoverOnInitialConnection", "false", ELSEWHERE)
          .fixed("ha", "false", ELSEWHERE)
          .fixed("blockOnDurableSend", "true", UNCONFIRMED)
          .fixed("blockOnNonDurableSend", "true", UNCONFIRMED)
          .fixed("preAcknowledge", "false", UNSETTLED)
          .fixed("useGlobalPools", "false", "connections would share threads")
          .fixed("cacheLargeMessagesClient", "false", "files would remain in the temporary folder")
          .fixed("enable1xPrefixes", "false", "topics would have other names")
          .fixed("enableSharedClientID", "false", "two nodes could share a client ID unnoticed")
          .fixed("autoGroup", "false", "it would replace the group of clients' messages")
          .refused("groupID", "it would replace the group of clients' messages")
          .refused("clientID", "broker.client-id sets it")
          .refused("incomingInterceptorList", "it may drop messages")
          .refused("outgoingInterceptorList", "it may drop messages")
          .refused("protocolManagerFactoryStr", "it replaces the protocol of the client")
          .ranged("clientFailureCheckPeriod", 1, MINUTE_MS, UNDETECTED)
          .ranged("connectionTTL", 1, 5 * MINUTE_MS, UNDETECTED)
          .ranged("callTimeout", 100, 2 * MINUTE_MS, UNDETECTED)
          .ranged("connect-timeout-millis", 1, 2 * MINUTE_MS, UNDETECTED)
          .ranged("consumerWindowSize", 0, 64 << 20, "the client would buffer without limit")
          .option("confirmationWindowSize", "-1 or 1024 to " + INT, 1024, INT, UNCONFIRMED)
          .permitted(
              "blockOnAcknowledge",
              "cacheDestinations",
              "callFailoverTimeout",
              "compressLargeMessage",
              "compressionLevel",
              "connectionLoadBalancingPolicyClassName",
              "consumerMaxRate",
              "deserializationAllowList",
              "deserializationBlackList",
              "deserializationDenyList",
              "deserializationWhiteList",
              "dupsOKBatchSize",
              "ignoreJTA",
              "initialMessagePacketSize",
              "maxRetryInterval",
              "minLargeMessageSize",
              "password",
              "passwordCodec",
              "producerMaxRate",
              "producerWindowSize",
              "retryInterval",
              "retryIntervalMultiplier",
              "scheduledThreadPoolMaxSize",
              "threadPoolMaxSize",
              "transactionBatchSize",
              "type",
              "useTopologyForLoadBalancing",
              "user")
          .permitted(
              TransportConstants.ALLOWABLE_CONNECTOR_KEYS.stream()
                  .filter(key -> !key.equals("connect-timeout-millis"))
                  .toArray(String[]::new))
          .withoutScheme("udp", ELSEWHERE)
          .withoutScheme("jgroups", ELSEWHERE)
          .withoutScheme("vm", "it is a broker within the node");

  /** Options of Classic's client. */
  static final ClientOptions CLASSIC =
      new ClientOptions("jms.")
          .fixed("maxReconnectAttempts", "0", HIDES)
          .fixed("startupMaxReconnectAttempts", "1", HIDES)
          .fixed("trackMessages", "false", HIDES)
          .fixed("backup", "false", ELSEWHERE)
          .fixed("priorityBackup", "false", ELSEWHERE)
          .refused("nestedExtraQueryOptions", "its options would not be checked")
          .fixed("jms.alwaysSyncSend", "true", UNCONFIRMED)
          .fixed("jms.useAsyncSend", "false", UNCONFIRMED)
          .fixed("jms.sendTimeout", "30000", UNDETECTED)
          .fixed("jms.connectResponseTimeout", "30000", UNDETECTED)
          .fixed("jms.optimizeAcknowledge", "false", UNSETTLED)
          .fixed("jms.transactedIndividualAck", "false", UNSETTLED)
          .fixed("jms.nonBlockingRedelivery", "false", "messages would change their order")
          .fixed("jms.exclusiveConsumer", "false", "only one of several consumers would receive")
          .fixed("jms.alwaysSessionAsync", "true", "one consumer would block the connection")
          .fixed("jms.copyMessageOnSend", "true", "sent messages would change")
          .fixed("jms.disableTimeStampsByDefault", "false", "messages would have no time")
          .fixed("jms.watchTopicAdvisories", "false", "advisories need further permissions")
          .fixed("jms.trustAllPackages", "false", "messages could name classes to load")
          .refused("jms.trustedPackages", "messages could name classes to load")
          .refused("jms.clientID", "broker.client-id sets it")
          .refused("jms.brokerURL", "broker.url sets it")
          .fixed(
              "jms.prefetchPolicy.maximumPendingMessageLimit",
              "0",
              "the broker would discard messages of a slow node untold")
          .ranged("jms.prefetchPolicy.all", 1, 32_767, "consumers would receive nothing")
          .ranged("jms.prefetchPolicy.topicPrefetch", 1, 32_767, "topics would receive nothing")
          .ranged(
              "jms.prefetchPolicy.durableTopicPrefetch", 1, 32_767, "topics would receive nothing")
          .ranged(
              "jms.prefetchPolicy.queueBrowserPrefetch", 1, 32_767, "a browse would find nothing")
          .fixed("useInactivityMonitor", "true", UNDETECTED)
          .fixed("useKeepAlive", "true", UNDETECTED)
          .fixed("ignoreRemoteWireFormat", "false", UNDETECTED)
          .fixed("ignoreAllWireFormatInfo", "false", UNDETECTED)
          .ranged("connectionTimeout", 1, 2 * MINUTE_MS, UNDETECTED)
          .ranged("wireFormat.maxInactivityDuration", 1_000, MINUTE_MS, UNDETECTED)
          .ranged("wireFormat.maxInactivityDurationInitalDelay", 1, MINUTE_MS, UNDETECTED)
          .ranged(
              "wireFormat.maxFrameSize",
              64 << 20,
              Long.MAX_VALUE,
              "a larger message would break the connection again and again")
          .permitted(
              "backupPoolSize",
              "closeAsync",
              "connectAttemptTimeout",
              "daemon",
              "diffServ",
              "dynamicManagement",
              "initialDelayTime",
              "initialReconnectDelay",
              "ioBufferSize",
              "jmxPort",
              "keepAlive",
              "keepAliveResponseRequired",
              "logWriterName",
              "maxCacheSize",
              "maxReconnectDelay",
              "minmumWireFormatVersion",
              "priorityURIs",
              "randomize",
              "readCheckTime",
              "rebalanceUpdateURIs",
              "reconnectDelay",
              "reconnectDelayExponent",
              "reconnectSupported",
              "soLinger",
              "soTimeout",
              "soWriteTimeout",
              "socketBufferSize",
              "stackSize",
              "startLogging",
              "tcpNoDelay",
              "timeout",
              "trace",
              "trackTransactionProducers",
              "typeOfService",
              "updateURIsSupported",
              "updateURIsURL",
              "useExponentialBackOff",
              "useLocalHost",
              "warnAfterReconnectAttempts",
              "writeCheckTime")
          .permitted(
              "jms.auditDepth",
              "jms.auditMaximumProducerNumber",
              "jms.checkForDuplicates",
              "jms.clientIDPrefix",
              "jms.closeTimeout",
              "jms.connectionIDPrefix",
              "jms.consumerExpiryCheckEnabled",
              "jms.consumerFailoverRedeliveryWaitPeriod",
              "jms.dispatchAsync",
              "jms.maxInflatedDataSizeRatio",
              "jms.maxThreadPoolSize",
              "jms.messagePrioritySupported",
              "jms.nestedMapAndListEnabled",
              "jms.objectMessageSerializationDefered",
              "jms.optimizeAcknowledgeTimeOut",
              "jms.optimizedAckScheduledAckInterval",
              "jms.optimizedMessageDispatch",
              "jms.password",
              "jms.prefetchPolicy.optimizeDurableTopicPrefetch",
              "jms.prefetchPolicy.queuePrefetch",
              "jms.producerWindowSize",
              "jms.requestTimeout",
              "jms.rmIdFromConnectionId",
              "jms.sendAcksAsync",
              "jms.statsEnabled",
              "jms.strictCompliance",
              "jms.useCompression",
              "jms.useDedicatedTaskRunner",
              "jms.useRetroactiveConsumer",
              "jms.useVirtualThreadTaskRunner",
              "jms.userName",
              "jms.warnAboutUnstartedConnectionTimeout")
          .permitted("jms.blobTransferPolicy.", "jms.redeliveryPolicy.", "socket.")
          .permitted(
              "wireFormat.cacheEnabled",
              "wireFormat.cacheSize",
              "wireFormat.host",
              "wireFormat.includePlatformDetails",
              "wireFormat.maxFrameSizeEnabled",
              "wireFormat.platformDetails",
              "wireFormat.providerName",
              "wireFormat.providerVersion",
              "wireFormat.sizePrefixDisabled",
              "wireFormat.stackTraceEnabled",
              "wireFormat.tcpNoDelayEnabled",
              "wireFormat.tightEncodingEnabled",
              "wireFormat.version")
          .withoutScheme("discovery", ELSEWHERE)
          .withoutScheme("fanout", ELSEWHERE)
          .withoutScheme("masterslave", ELSEWHERE)
          .withoutScheme("mock", ELSEWHERE)
          .withoutScheme("multicast", ELSEWHERE)
          .withoutScheme("peer", "it is a broker within the node")
          .withoutScheme("static", ELSEWHERE)
          .withoutScheme("udp", "it loses messages")
          .withoutScheme("vm", "it is a broker within the node");

  /** Prefix of options that are properties of the ConnectionFactory. */
  private final String factoryPrefix;

  private final Map<String, Option> options = new LinkedHashMap<>();
  private final Map<String, String> refusedSchemes = new LinkedHashMap<>();

  private ClientOptions(String factoryPrefix) {
    this.factoryPrefix = factoryPrefix;
  }

  private ClientOptions option(String name, String values, long min, long max, String why) {
    options.put(name.toLowerCase(Locale.ROOT), new Option(name, values, min, max, why));
    return this;
  }

  private ClientOptions fixed(String name, String value, String why) {
    return option(name, value, 0, -1, why);
  }

  private ClientOptions refused(String name, String why) {
    return option(name, "none", 0, -1, why);
  }

  private ClientOptions ranged(String name, long min, long max, String why) {
    String values = max == Long.MAX_VALUE ? min + " or more" : min + " to " + max;
    return option(name, values, min, max, why);
  }

  private ClientOptions permitted(String... names) {
    for (String name : names) {
      option(name, "", 0, -1, "");
    }
    return this;
  }

  private ClientOptions withoutScheme(String scheme, String why) {
    refusedSchemes.put(scheme, why);
    return this;
  }

  /** Returns all options, also those without restriction. */
  List<Option> all() {
    return List.copyOf(options.values());
  }

  /** Returns the URL schemes that are refused, with the reason. */
  Map<String, String> schemes() {
    return Map.copyOf(refusedSchemes);
  }

  /**
   * Option that the client must not have.
   *
   * @param setting configuration key that contains it
   * @param entry entry within the setting's map; empty if the setting is not a map
   * @param what description of the error
   * @param expected description of the allowed values
   */
  record Problem(Setting<?> setting, String entry, String what, String expected) {}

  /** Returns the options of a provider's client; null if they are unknown. */
  private static ClientOptions of(String provider, String factory, Map<String, String> properties) {
    return switch (provider) {
      case "artemis" -> ARTEMIS;
      case "classic" -> CLASSIC;
      case "factory" -> ofClass(factory);
      default -> ofClass(properties.getOrDefault("java.naming.factory.initial", ""));
    };
  }

  private static ClientOptions ofClass(String name) {
    if (name.startsWith("org.apache.activemq.artemis.")) {
      return ARTEMIS;
    }
    return name.startsWith("org.apache.activemq.") ? CLASSIC : null;
  }

  /**
   * Returns the problems of the URL, or of the properties of a ConnectionFactory or a JNDI
   * environment, if the options of its client are known.
   *
   * @param provider artemis, classic, factory or jndi
   * @param url URL of the broker, or null
   * @param factory class of the ConnectionFactory
   */
  static List<Problem> problems(
      String provider, String url, String factory, Map<String, String> properties) {
    ClientOptions client = of(provider, factory, properties);
    List<Problem> problems = new ArrayList<>();
    if (client == null) {
      return problems;
    }
    if (provider.equals("artemis") || provider.equals("classic")) {
      client.checkUrl(url == null ? "" : url, BrokerSettings.URL, "", problems);
      return problems;
    }
    properties.forEach(
        (name, value) -> {
          if (value.contains(":/") || value.contains(":(")) {
            client.checkUrl(value, BrokerSettings.PROPERTIES, name, problems);
            client.checkPluggedFailover(value, name, problems);
          } else if (provider.equals("factory")) {
            client.checkProperty(name, value, problems);
          }
        });
    return problems;
  }

  private void checkUrl(String url, Setting<?> setting, String entry, List<Problem> problems) {
    Matcher schemes = SCHEME.matcher(url.replaceAll("\\?[^,()#]*", ""));
    boolean first = true;
    while (schemes.find()) {
      String scheme = schemes.group(1).toLowerCase(Locale.ROOT);
      String why = !first && scheme.equals("failover") ? ELSEWHERE : refusedSchemes.get(scheme);
      if (why != null) {
        problems.add(new Problem(setting, entry, "has " + scheme + ":, but " + why, "other URLs"));
      }
      first = false;
    }
    Matcher pairs = PAIR.matcher(url);
    while (pairs.find()) {
      check(decoded(pairs.group(1)), decoded(pairs.group(2)), setting, entry, problems);
    }
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }

  // By default the client reconnects for ever. Its provider reports no interruption.
  private void checkPluggedFailover(String url, String entry, List<Problem> problems) {
    if (this == CLASSIC && url.contains("failover:") && !url.contains("axReconnectAttempts=")) {
      problems.add(
          new Problem(
              BrokerSettings.PROPERTIES,
              entry,
              "has no maxReconnectAttempts, but " + HIDES,
              "maxReconnectAttempts=0"));
    }
  }

  private void checkProperty(String name, String value, List<Problem> problems) {
    Option option = find(factoryPrefix + name);
    if (option != null && !option.allows(value)) {
      problems.add(problem(option, name, value, BrokerSettings.PROPERTIES, name));
    }
  }

  private void check(
      String name, String value, Setting<?> setting, String entry, List<Problem> problems) {
    String plain = name.startsWith("nested.") ? name.substring("nested.".length()) : name;
    Option option = find(plain);
    if (option == null) {
      problems.add(
          new Problem(
              setting, entry, "has the option " + name + ", which is unknown", "a known option"));
    } else if (!option.allows(value)) {
      problems.add(problem(option, name, value, setting, entry));
    }
  }

  private static Problem problem(
      Option option, String name, String value, Setting<?> setting, String entry) {
    String expected =
        option.values.equals("none")
            ? "no " + name
            : name + "=" + option.values + ", or no " + name;
    return new Problem(
        setting, entry, "has " + name + "=" + value + ", but " + option.why, expected);
  }

  private Option find(String name) {
    String key = name.toLowerCase(Locale.ROOT);
    Option exact = options.get(key);
    int end = key.lastIndexOf('.') + 1;
    return exact == null && end > 0 ? options.get(key.substring(0, end)) : exact;
  }
}
