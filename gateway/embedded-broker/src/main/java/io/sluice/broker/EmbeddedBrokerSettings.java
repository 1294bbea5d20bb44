package io.sluice.broker;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.ClusterConnectionConfiguration;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.CoreAddressConfiguration;
import org.apache.activemq.artemis.core.config.HAPolicyConfiguration;
import org.apache.activemq.artemis.core.config.WildcardConfiguration;
import org.apache.activemq.artemis.core.config.ha.SharedStoreBackupPolicyConfiguration;
import org.apache.activemq.artemis.core.config.ha.SharedStorePrimaryPolicyConfiguration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptorFactory;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnectorFactory;
import org.apache.activemq.artemis.core.remoting.impl.netty.TransportConstants;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.core.settings.impl.DiskFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.PageFullMessagePolicy;

/** Configuration of the embedded broker, where it differs from Artemis' defaults. Immutable. */
record EmbeddedBrokerSettings(BrokerOptions options, Path folder) {
  static final String ACCEPTOR = "tcp";

  /** Queue of Artemis' default configuration. */
  private static final String DEAD_LETTERS = "DLQ";

  private static final String SELF = "self";
  private static final String PEER = "peer";

  /** Small, so that a test can publish more. */
  private static final long RETROACTIVE_MESSAGES = 5;

  private static final SimpleString LAST_VALUE_KEY = SimpleString.of("key");
  private static final int DISK_SCAN_MS = 1_000;
  private static final long MIB = 1024 * 1024;

  Configuration configuration() throws Exception {
    ConfigurationImpl configuration = new ConfigurationImpl();
    configuration.setName("sluice-embedded");
    secure(configuration);
    configuration.setJMXManagementEnabled(true);
    configuration.setWildCardConfiguration(
        new WildcardConfiguration().setDelimiter(options.separator()));
    // Disabled, because it would halt the broker of a machine that was suspended or swaps.
    configuration.setCriticalAnalyzer(false);
    configuration.addAcceptorConfiguration(acceptor());
    configuration.addAddressSetting("#", addressSettings());
    if (options.closed() != null) {
      AddressSettings closed =
          addressSettings().setAutoCreateAddresses(false).setAutoCreateQueues(false);
      configuration.addAddressSetting(options.closed() + ".#", closed);
    }
    if (options.retroactive() != null) {
      configuration.addAddressSetting(
          options.retroactive() + ".#",
          addressSettings().setRetroactiveMessageCount(RETROACTIVE_MESSAGES));
    }
    if (options.lastValue() != null) {
      configuration.addAddressSetting(
          options.lastValue() + ".#", addressSettings().setDefaultLastValueKey(LAST_VALUE_KEY));
    }
    if (options.attempts() > 0) {
      configuration.addAddressConfiguration(deadLetters());
    }
    store(configuration);
    return configuration;
  }

  private static CoreAddressConfiguration deadLetters() {
    return new CoreAddressConfiguration()
        .setName(DEAD_LETTERS)
        .addRoutingType(RoutingType.ANYCAST)
        .addQueueConfig(
            QueueConfiguration.of(DEAD_LETTERS)
                .setAddress(DEAD_LETTERS)
                .setRoutingType(RoutingType.ANYCAST));
  }

  private void secure(Configuration configuration) {
    configuration.setSecurityEnabled(options.guarded() != null || options.restricted() != null);
    if (options.restricted() != null) {
      configuration.putSecurityRoles("#", Set.of(OpenSecurity.ALL_PERMISSIONS));
      options
          .restricted()
          .grants()
          .forEach(
              (pattern, rights) ->
                  configuration.putSecurityRoles(
                      pattern, Set.of(OpenSecurity.ALL_PERMISSIONS, RestrictedUser.role(rights))));
    }
    if (options.guarded() != null) {
      configuration.putSecurityRoles("#", Set.of(OpenSecurity.ALL_PERMISSIONS));
      configuration.putSecurityRoles(options.guarded() + ".#", Set.of(OpenSecurity.READ_ONLY));
      configuration.addAddressConfiguration(
          new CoreAddressConfiguration()
              .setName(options.guarded())
              .addRoutingType(RoutingType.MULTICAST));
    }
  }

  private TransportConfiguration acceptor() {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put(TransportConstants.HOST_PROP_NAME, options.host());
    parameters.put(TransportConstants.PORT_PROP_NAME, options.port());
    if (options.keyStore() != null) {
      parameters.put(TransportConstants.SSL_ENABLED_PROP_NAME, true);
      parameters.put(TransportConstants.KEYSTORE_TYPE_PROP_NAME, "PKCS12");
      parameters.put(TransportConstants.KEYSTORE_PATH_PROP_NAME, options.keyStore().toString());
      parameters.put(TransportConstants.KEYSTORE_PASSWORD_PROP_NAME, options.keyStorePassword());
    }
    return new TransportConfiguration(NettyAcceptorFactory.class.getName(), parameters, ACCEPTOR);
  }

  private void store(Configuration configuration) {
    configuration.setPersistenceEnabled(options.data() != null);
    configuration.setJournalType(JournalType.NIO);
    configuration.setJournalFileSize((int) MIB);
    configuration.setJournalDirectory(folder.resolve("journal").toString());
    configuration.setBindingsDirectory(folder.resolve("bindings").toString());
    configuration.setPagingDirectory(folder.resolve("paging").toString());
    configuration.setLargeMessagesDirectory(folder.resolve("large-messages").toString());
    if (options.pair() == null) {
      // Without a timeout, a second broker on the same folder would wait for the lock forever
      // without a message.
      configuration.setJournalLockAcquisitionTimeout(5_000);
    } else {
      configuration.setHAPolicyConfiguration(pair());
      connectPeer(configuration);
    }
    // By default publishers are blocked once the disk is 90 % full; developers' disks often are.
    configuration.setMaxDiskUsage(options.diskLimit());
    configuration.setDiskScanPeriod(DISK_SCAN_MS);
  }

  /** Connects the pair, so that a backup is notified when the primary returns. */
  private void connectPeer(Configuration configuration) {
    configuration.addConnectorConfiguration(SELF, connector(SELF, options.port()));
    configuration.addConnectorConfiguration(PEER, connector(PEER, options.peer()));
    configuration.setClusterUser(PEER);
    configuration.setClusterPassword(PEER);
    configuration.addClusterConfiguration(
        new ClusterConnectionConfiguration()
            .setName("pair")
            .setConnectorName(SELF)
            .setStaticConnectors(List.of(PEER)));
  }

  private TransportConfiguration connector(String name, int port) {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put(TransportConstants.HOST_PROP_NAME, options.host());
    parameters.put(TransportConstants.PORT_PROP_NAME, port);
    return new TransportConfiguration(NettyConnectorFactory.class.getName(), parameters, name);
  }

  private HAPolicyConfiguration pair() {
    return switch (options.pair()) {
      case PRIMARY -> new SharedStorePrimaryPolicyConfiguration().setFailoverOnServerShutdown(true);
      case BACKUP ->
          new SharedStoreBackupPolicyConfiguration()
              .setAllowFailBack(true)
              .setFailoverOnServerShutdown(true);
    };
  }

  /**
   * Returns settings with which a slow subscriber does not block others. Messages beyond the
   * address' memory are paged to disk; beyond the disk limit a publish fails. No message is dropped
   * silently.
   */
  private AddressSettings addressSettings() {
    boolean isDefault = options.restricted() != null;
    return new AddressSettings()
        .setDefaultAddressRoutingType(RoutingType.MULTICAST)
        .setAutoCreateAddresses(true)
        .setAutoCreateQueues(true)
        // Deleting an address between a publisher's lookup and its send would fail the send.
        .setAutoDeleteAddresses(isDefault)
        .setAutoDeleteQueues(isDefault)
        .setEnableIngressTimestamp(true)
        // Repeated kills of a gateway must not discard messages of its durable subscriptions.
        .setMaxDeliveryAttempts(options.attempts())
        // Without these addresses the broker logs a warning for each new queue.
        .setDeadLetterAddress(
            SimpleString.of(options.attempts() > 0 ? DEAD_LETTERS : "dead-letters"))
        .setExpiryAddress(SimpleString.of("expired"))
        .setMaxSizeBytes(64 * MIB)
        .setPageSizeBytes((int) (4 * MIB))
        .setAddressFullMessagePolicy(AddressFullMessagePolicy.PAGE)
        .setPageLimitBytes(1024 * MIB)
        .setPageFullMessagePolicy(PageFullMessagePolicy.FAIL)
        .setDiskFullMessagePolicy(
            options.diskLimit() < 0 ? DiskFullMessagePolicy.FAIL : DiskFullMessagePolicy.BLOCK);
  }
}
