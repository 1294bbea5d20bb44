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

/**
 * Options of a JMS client that a broker's URL or a ConnectionFactory may have. The client must not
 * hide a loss from the node, reconnect by itself, or confirm what the broker has not accepted.
 * Immutable, for any thread.
 */
final class JmsClientOptions {
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

    /** Returns why a value is refused. */
    String why(String value) {
      return min > max || value.trim().matches("-?\\d{1,18}") ? why : "it is no integer";
    }
  }

  private static final String HIDES = "the client would reconnect and hide lost messages";
  private static final String UNCONFIRMED = "a publish would be confirmed before the broker has it";
  private static final String UNDETECTED = "a silent or lost broker would be detected too late";
  private static final String ELSEWHERE = "the client would choose or change its broker by itself";
  private static final String UNSETTLED = "settled messages could be lost, or returned unsettled";
  private static final String GROUPED = "it would replace the group of clients' messages";
  private static final String WITHIN = "it is a broker within the node";
  private static final String CLASSES = "messages could name classes to load";

  /**
   * Options of a failover: URL without which Classic's client would hide a loss: it would
   * reconnect, follow a broker that moves its clients, or take a forwarded copy for a repetition.
   */
  static final List<String> FAILOVER =
      List.of(
          "maxReconnectAttempts=0",
          "updateURIsSupported=false",
          "reconnectSupported=false",
          "jms.checkForDuplicates=false");

  /** Options of Artemis' client. */
  static final JmsClientOptions ARTEMIS =
      new JmsClientOptions("")
          .fixed(HIDES, "reconnectAttempts=0", "initialConnectAttempts=1")
          .fixed(ELSEWHERE, "failoverAttempts=0", "failoverOnInitialConnection=false", "ha=false")
          .fixed(UNCONFIRMED, "blockOnDurableSend=true", "blockOnNonDurableSend=true")
          .fixed(UNSETTLED, "preAcknowledge=false")
          .fixed("connections would share threads", "useGlobalPools=false")
          .fixed("files would remain in the temporary folder", "cacheLargeMessagesClient=false")
          .fixed("topics would have other names", "enable1xPrefixes=false")
          .fixed("two nodes could share a client ID unnoticed", "enableSharedClientID=false")
          .fixed(GROUPED, "autoGroup=false")
          .refused(GROUPED, "groupID")
          .refused("broker.client-id sets it", "clientID")
          .refused("it may drop messages", "incomingInterceptorList", "outgoingInterceptorList")
          .refused("it replaces the protocol of the client", "protocolManagerFactoryStr")
          .ranged(UNDETECTED, 1, MINUTE_MS, "clientFailureCheckPeriod")
          .ranged(UNDETECTED, 1, 5 * MINUTE_MS, "connectionTTL")
          .ranged(
              UNDETECTED,
              1,
              2 * MINUTE_MS,
              "callTimeout",
              "callFailoverTimeout",
              "connect-timeout-millis")
          .ranged(UNDETECTED, 1, 120, "handshake-timeout") // seconds
          .ranged("the client would buffer too much", 0, 64 << 20, "consumerWindowSize")
          .option(
              "confirmationWindowSize",
              "-1 or 1024 to " + INT,
              1024,
              INT,
              "publishes would be confirmed too early or one by one")
          .permitted(
              """
              blockOnAcknowledge cacheDestinations compressLargeMessage compressionLevel
              connectionLoadBalancingPolicyClassName consumerMaxRate
              deserializationAllowList deserializationBlackList deserializationDenyList
              deserializationWhiteList dupsOKBatchSize ignoreJTA initialMessagePacketSize
              maxRetryInterval minLargeMessageSize password passwordCodec producerMaxRate
              producerWindowSize retryInterval retryIntervalMultiplier
              scheduledThreadPoolMaxSize threadPoolMaxSize transactionBatchSize type
              useTopologyForLoadBalancing user
              """)
          .permitted(
              """
              activemq.passwordcodec activemq.usemaskedpassword activemqServerName batchDelay
              crcOptions crlPath enabledCipherSuites enabledProtocols forceSSLParameters host
              httpClientIdleScanPeriod httpClientIdleTime httpEnabled httpRequiresSessionId
              httpUpgradeEnabled httpUpgradeEndpoint keyPassword keyStoreAlias keyStorePassword
              keyStorePath keyStoreProvider keyStoreType localAddress localPort nioRemotingThreads
              ocspResponderURL port remotingThreads servletPath sniHost socksEnabled socksHost
              socksPassword socksPort socksRemoteDNS socksUsername socksVersion sslEnabled
              sslProvider tcpNoDelay tcpReceiveBufferSize tcpSendBufferSize trustAll
              trustManagerFactoryPlugin trustStorePassword trustStorePath trustStoreProvider
              trustStoreType useDefaultSslContext useEpoll useGlobalWorkerPool useKQueue useNio
              useNioGlobalWorkerPool useServlet verifyHost writeBufferHighWaterMark
              writeBufferLowWaterMark
              """)
          .withoutSchemes(ELSEWHERE, "udp", "jgroups")
          .withoutSchemes(WITHIN, "vm");

  /** Options of Classic's client. */
  static final JmsClientOptions CLASSIC =
      new JmsClientOptions("jms.")
          .fixed(HIDES, "maxReconnectAttempts=0", "startupMaxReconnectAttempts=1")
          .fixed(HIDES, "trackMessages=false")
          .fixed(ELSEWHERE, "backup=false", "priorityBackup=false")
          .fixed(ELSEWHERE, "updateURIsSupported=false", "reconnectSupported=false")
          .refused("its options would not be checked", "nestedExtraQueryOptions")
          .fixed(UNCONFIRMED, "jms.alwaysSyncSend=true", "jms.useAsyncSend=false")
          .ranged(UNDETECTED, 1, MINUTE_MS / 2, "jms.sendTimeout", "jms.connectResponseTimeout")
          .fixed(UNSETTLED, "jms.optimizeAcknowledge=false", "jms.transactedIndividualAck=false")
          .fixed(UNSETTLED, "jms.messagePrioritySupported=false")
          .fixed("messages would change their order", "jms.nonBlockingRedelivery=false")
          .fixed("the client would drop forwarded copies", "jms.checkForDuplicates=false")
          .fixed("only one of several consumers would receive", "jms.exclusiveConsumer=false")
          .fixed("one consumer would block the connection", "jms.alwaysSessionAsync=true")
          .fixed("sent messages would change", "jms.copyMessageOnSend=true")
          .fixed("messages would have no time", "jms.disableTimeStampsByDefault=false")
          .fixed("advisories need further permissions", "jms.watchTopicAdvisories=false")
          .fixed(CLASSES, "jms.trustAllPackages=false")
          .refused(CLASSES, "jms.trustedPackages")
          .refused("broker.client-id sets it", "jms.clientID")
          .refused("broker.url sets it", "jms.brokerURL")
          .fixed(
              "the broker would discard messages of a slow node untold",
              "jms.prefetchPolicy.maximumPendingMessageLimit=0")
          .ranged(
              "0 delivers nothing, and the client ignores more than 32767",
              1,
              32_767,
              "jms.prefetchPolicy.all",
              "jms.prefetchPolicy.topicPrefetch",
              "jms.prefetchPolicy.durableTopicPrefetch",
              "jms.prefetchPolicy.queueBrowserPrefetch")
          .fixed(UNDETECTED, "useInactivityMonitor=true", "useKeepAlive=true")
          .fixed(UNDETECTED, "ignoreRemoteWireFormat=false", "ignoreAllWireFormatInfo=false")
          .ranged(UNDETECTED, 1, 2 * MINUTE_MS, "connectionTimeout")
          .ranged(
              UNDETECTED,
              1,
              MINUTE_MS,
              "wireFormat.maxInactivityDuration",
              "wireFormat.maxInactivityDurationInitalDelay")
          .ranged(
              "a larger message would break the connection again and again",
              64 << 20,
              Long.MAX_VALUE,
              "wireFormat.maxFrameSize")
          .permitted(
              """
              backupPoolSize closeAsync connectAttemptTimeout daemon diffServ
              dynamicManagement initialDelayTime initialReconnectDelay ioBufferSize jmxPort
              keepAlive keepAliveResponseRequired logWriterName maxCacheSize maxReconnectDelay
              minmumWireFormatVersion priorityURIs randomize readCheckTime rebalanceUpdateURIs
              reconnectDelay reconnectDelayExponent soLinger soTimeout
              soWriteTimeout socketBufferSize stackSize startLogging tcpNoDelay timeout trace
              trackTransactionProducers typeOfService updateURIsURL
              useExponentialBackOff useLocalHost warnAfterReconnectAttempts writeCheckTime
              jms.auditDepth jms.auditMaximumProducerNumber
              jms.clientIDPrefix jms.closeTimeout jms.connectionIDPrefix
              jms.consumerExpiryCheckEnabled jms.consumerFailoverRedeliveryWaitPeriod
              jms.dispatchAsync jms.maxInflatedDataSizeRatio jms.maxThreadPoolSize
              jms.nestedMapAndListEnabled
              jms.objectMessageSerializationDefered jms.optimizeAcknowledgeTimeOut
              jms.optimizedAckScheduledAckInterval jms.optimizedMessageDispatch jms.password
              jms.prefetchPolicy.optimizeDurableTopicPrefetch jms.prefetchPolicy.queuePrefetch
              jms.producerWindowSize jms.requestTimeout jms.rmIdFromConnectionId
              jms.sendAcksAsync jms.statsEnabled jms.strictCompliance jms.useCompression
              jms.useDedicatedTaskRunner jms.useRetroactiveConsumer
              jms.useVirtualThreadTaskRunner jms.userName
              jms.warnAboutUnstartedConnectionTimeout jms.blobTransferPolicy.brokerUploadUrl
              jms.blobTransferPolicy.bufferSize jms.blobTransferPolicy.defaultUploadUrl
              jms.blobTransferPolicy.uploadUrl jms.redeliveryPolicy.backOffMultiplier
              jms.redeliveryPolicy.collisionAvoidancePercent
              jms.redeliveryPolicy.initialRedeliveryDelay jms.redeliveryPolicy.maximumRedeliveries
              jms.redeliveryPolicy.maximumRedeliveryDelay jms.redeliveryPolicy.preDispatchCheck
              jms.redeliveryPolicy.redeliveryDelay jms.redeliveryPolicy.useCollisionAvoidance
              jms.redeliveryPolicy.useExponentialBackOff socket. wireFormat.cacheEnabled wireFormat.cacheSize
              wireFormat.host wireFormat.includePlatformDetails wireFormat.maxFrameSizeEnabled
              wireFormat.platformDetails wireFormat.providerName wireFormat.providerVersion
              wireFormat.sizePrefixDisabled wireFormat.stackTraceEnabled
              wireFormat.tcpNoDelayEnabled wireFormat.tightEncodingEnabled wireFormat.version
              """)
          .withoutSchemes(ELSEWHERE, "discovery", "fanout", "masterslave", "mock", "multicast")
          .withoutSchemes(ELSEWHERE, "static")
          .withoutSchemes(WITHIN, "peer", "vm")
          .withoutSchemes("it loses messages", "udp");

  /** Options of Qpid JMS. */
  static final JmsClientOptions QPID =
      new JmsClientOptions("jms.")
          .fixed(UNCONFIRMED, "jms.forceAsyncSend=false")
          .refused(UNCONFIRMED, "jms.presettlePolicy.")
          .fixed(UNSETTLED, "jms.forceAsyncAcks=false")
          .fixed(
              "the client would reject redelivered messages",
              "jms.redeliveryPolicy.maxRedeliveries=-1")
          .fixed(
              "a consumer would receive nothing",
              "jms.receiveLocalOnly=false",
              "jms.receiveNoWaitLocalOnly=false")
          .fixed(
              "a consumer would withhold messages from others",
              "jms.prefetchPolicy.all=0",
              "jms.prefetchPolicy.queuePrefetch=0")
          .fixed(ELSEWHERE, "amqp.allowNonSecureRedirects=false")
          .refused("broker.client-id sets it", "jms.clientID")
          .refused("broker.url sets it", "jms.remoteURI")
          .ranged(UNDETECTED, 1, MINUTE_MS / 2, "jms.sendTimeout", "jms.requestTimeout")
          .ranged(
              UNDETECTED,
              1,
              2 * MINUTE_MS,
              "jms.connectTimeout",
              "jms.closeTimeout",
              "transport.connectTimeout")
          .ranged(UNDETECTED, 1, 5 * MINUTE_MS, "amqp.idleTimeout")
          .permitted(
              """
              amqp.anonymousFallbackCacheSize amqp.anonymousFallbackCacheTimeout amqp.channelMax
              amqp.drainTimeout amqp.maxFrameSize amqp.maxWriteBytesBeforeFlush amqp.saslLayer
              amqp.saslMechanisms amqp.saslOptions. amqp.sessionOutgoingWindow amqp.traceBytes
              amqp.traceFrames amqp.traceFramesPayloadLimit amqp.vhost
              jms.awaitClientID jms.clientIDPrefix jms.closeLinksThatFailOnReconnect
              jms.connectionIDPrefix jms.deserializationPolicy.allowList
              jms.deserializationPolicy.blackList jms.deserializationPolicy.denyList
              jms.deserializationPolicy.whiteList jms.forceSyncSend
              jms.localMessageExpiry jms.localMessagePriority jms.messageIDPolicy.messageIDType
              jms.password
              jms.populateJMSXUserID jms.prefetchPolicy.durableTopicPrefetch
              jms.prefetchPolicy.maxPrefetchSize jms.prefetchPolicy.queueBrowserPrefetch
              jms.prefetchPolicy.topicPrefetch jms.queuePrefix jms.redeliveryPolicy.outcome
              jms.topicPrefix jms.tracing jms.useDaemonThread jms.username
              jms.validatePropertyNames jms.validateSelector
              transport.contextProtocol transport.defaultSslPort transport.defaultTcpPort
              transport.disabledCipherSuites transport.disabledProtocols
              transport.enabledCipherSuites transport.enabledProtocols transport.keyAlias
              transport.keyStoreLocation transport.keyStorePassword transport.keyStoreType
              transport.localAddress transport.localPort transport.receiveBufferSize
              transport.sendBufferSize transport.sharedEventLoopThreads transport.soLinger
              transport.soTimeout transport.storeType transport.tcpKeepAlive transport.tcpNoDelay
              transport.traceBytes transport.trafficClass transport.trustAll
              transport.trustStoreLocation transport.trustStorePassword transport.trustStoreType
              transport.useEpoll transport.useKQueue transport.useOpenSSL transport.verifyHost
              transport.ws.compression transport.ws.httpHeader. transport.ws.maxFrameSize
              transport.ws.path
              """)
          .withoutSchemes(HIDES, "failover");

  /** Prefix of options that are properties of the ConnectionFactory. */
  private final String factoryPrefix;

  private final Map<String, Option> options = new LinkedHashMap<>();
  private final Map<String, String> refusedSchemes = new LinkedHashMap<>();

  private JmsClientOptions(String factoryPrefix) {
    this.factoryPrefix = factoryPrefix;
  }

  private JmsClientOptions option(String name, String values, long min, long max, String why) {
    options.putIfAbsent(name.toLowerCase(Locale.ROOT), new Option(name, values, min, max, why));
    return this;
  }

  private JmsClientOptions fixed(String why, String... pairs) {
    for (String pair : pairs) {
      int end = pair.indexOf('=');
      option(pair.substring(0, end), pair.substring(end + 1), 0, -1, why);
    }
    return this;
  }

  private JmsClientOptions refused(String why, String... names) {
    for (String name : names) {
      option(name, "none", 0, -1, why);
    }
    return this;
  }

  private JmsClientOptions ranged(String why, long min, long max, String... names) {
    String values = max == Long.MAX_VALUE ? min + " or more" : min + " to " + max;
    for (String name : names) {
      option(name, values, min, max, why);
    }
    return this;
  }

  /** Permits all values of options, whose names are separated by spaces. */
  private JmsClientOptions permitted(String names) {
    for (String name : names.strip().split("\\s+")) {
      option(name, "", 0, -1, "");
    }
    return this;
  }

  private JmsClientOptions withoutSchemes(String why, String... schemes) {
    for (String scheme : schemes) {
      refusedSchemes.put(scheme, why);
    }
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
  private static JmsClientOptions of(
      String provider, String factory, Map<String, String> properties) {
    return switch (provider) {
      case "artemis" -> ARTEMIS;
      case "classic" -> CLASSIC;
      case "amqp" -> QPID;
      case "factory" -> ofClass(factory);
      default -> ofClass(properties.getOrDefault("java.naming.factory.initial", ""));
    };
  }

  private static JmsClientOptions ofClass(String name) {
    if (name.startsWith("org.apache.activemq.artemis.")) {
      return ARTEMIS;
    }
    if (name.startsWith("org.apache.qpid.jms.")) {
      return QPID;
    }
    return name.startsWith("org.apache.activemq.") ? CLASSIC : null;
  }

  /**
   * Returns the problems of the URL, or of the properties of a ConnectionFactory or a JNDI
   * environment, if the options of its client are known.
   *
   * @param provider artemis, classic, amqp, factory or jndi
   * @param url URL of the broker, or null
   * @param factory class of the ConnectionFactory
   */
  static List<Problem> problems(
      String provider, String url, String factory, Map<String, String> properties) {
    JmsClientOptions client = of(provider, factory, properties);
    List<Problem> problems = new ArrayList<>();
    if (client == null) {
      return problems;
    }
    if (List.of("artemis", "classic", "amqp").contains(provider)) {
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

  // By default the client reconnects for ever, and to each broker that its broker names. Its
  // provider reports no interruption.
  private void checkPluggedFailover(String url, String entry, List<Problem> problems) {
    if (this != CLASSIC || !url.contains("failover:")) {
      return;
    }
    String named = url.toLowerCase(Locale.ROOT);
    for (String required : FAILOVER) {
      String name = required.substring(0, required.indexOf('='));
      if (!named.contains(name.toLowerCase(Locale.ROOT) + "=")) {
        String why = find(name).why();
        problems.add(
            new Problem(
                BrokerSettings.PROPERTIES, entry, "has no " + name + ", but " + why, required));
      }
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
        setting, entry, "has " + name + "=" + value + ", but " + option.why(value), expected);
  }

  private Option find(String name) {
    String key = name.toLowerCase(Locale.ROOT);
    Option exact = options.get(key);
    int end = key.lastIndexOf('.') + 1;
    return exact == null && end > 0 ? options.get(key.substring(0, end)) : exact;
  }
}
