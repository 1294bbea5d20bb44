package io.sluice.testkit;

import io.sluice.testkit.TestAuthority.Issued;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.activemq.broker.Broker;
import org.apache.activemq.broker.BrokerFilter;
import org.apache.activemq.broker.BrokerPlugin;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.ConnectionContext;
import org.apache.activemq.broker.ProducerBrokerExchange;
import org.apache.activemq.broker.SslContext;
import org.apache.activemq.broker.TransportConnector;
import org.apache.activemq.broker.region.AbstractRegion;
import org.apache.activemq.broker.region.Destination;
import org.apache.activemq.broker.region.DestinationInterceptor;
import org.apache.activemq.broker.region.RegionBroker;
import org.apache.activemq.broker.region.Subscription;
import org.apache.activemq.broker.region.policy.AbortSlowConsumerStrategy;
import org.apache.activemq.broker.region.policy.ConstantPendingMessageLimitStrategy;
import org.apache.activemq.broker.region.policy.FixedCountSubscriptionRecoveryPolicy;
import org.apache.activemq.broker.region.policy.LastImageSubscriptionRecoveryPolicy;
import org.apache.activemq.broker.region.policy.PolicyEntry;
import org.apache.activemq.broker.region.policy.PolicyMap;
import org.apache.activemq.broker.region.policy.SubscriptionRecoveryPolicy;
import org.apache.activemq.broker.region.policy.VMPendingQueueMessageStoragePolicy;
import org.apache.activemq.broker.region.virtual.CompositeTopic;
import org.apache.activemq.broker.region.virtual.VirtualDestination;
import org.apache.activemq.broker.region.virtual.VirtualDestinationInterceptor;
import org.apache.activemq.command.ActiveMQDestination;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.command.ActiveMQTopic;
import org.apache.activemq.command.ConsumerControl;
import org.apache.activemq.command.ConsumerInfo;
import org.apache.activemq.command.Message;
import org.apache.activemq.security.AuthenticationUser;
import org.apache.activemq.security.SimpleAuthenticationPlugin;

/** ActiveMQ Classic broker in this JVM. For any thread. */
public final class ClassicBroker implements TestBroker {
  private final Set<String> failing = ConcurrentHashMap.newKeySet();
  private final Map<Refusal, String> refused = new ConcurrentHashMap<>();
  private final AtomicInteger refusals = new AtomicInteger();

  /** Name, also of the stored data; does not change with a restart. */
  private final String name = "classic-" + System.nanoTime();

  /** Folder of persistent messages; null: no persistence. */
  private final Path data;

  /** Policies of destinations; null: none. */
  private final PolicyMap policies;

  /** Null for plain TCP. */
  private final SslContext tls;

  /** Allowed users; empty: no authentication. */
  private final List<AuthenticationUser> users;

  private DestinationInterceptor[] interceptors;

  /** URI of a bridge to another broker; null: none. */
  private String bridge;

  private BrokerService service;
  private int port;

  private ClassicBroker(
      Path data, PolicyMap policies, SslContext tls, List<AuthenticationUser> users) {
    this.data = data;
    this.policies = policies;
    this.tls = tls;
    this.users = users;
  }

  /** Starts a broker without persistence on a free port. */
  public static ClassicBroker start() {
    return start(null, null);
  }

  /** Starts a broker with persistent messages in a folder on a free port. */
  public static ClassicBroker start(Path data) {
    return start(data, null);
  }

  /**
   * Starts a broker with a history: the latest five messages of topics below {@code retro}, the
   * last message of topics below {@code image}.
   */
  public static ClassicBroker startRetroactive() {
    return start(null, histories());
  }

  /**
   * Starts a broker that keeps ten pending messages for each consumer of a topic, and reports those
   * that it discards.
   */
  public static ClassicBroker startDiscarding() {
    ConstantPendingMessageLimitStrategy ten = new ConstantPendingMessageLimitStrategy();
    ten.setLimit(10);
    PolicyEntry entry = new PolicyEntry();
    entry.setTopic("few.>");
    entry.setPendingMessageLimitStrategy(ten);
    entry.setAdvisoryForDiscardingMessages(true);
    PolicyMap policies = new PolicyMap();
    policies.setPolicyEntries(List.of(entry));
    return start(null, policies);
  }

  /** Starts a broker that closes consumers of topics, or their connections, once they are slow. */
  public static ClassicBroker startAborting(boolean connections) {
    AbortSlowConsumerStrategy strategy = new AbortSlowConsumerStrategy();
    strategy.setAbortConnection(connections);
    strategy.setMaxSlowCount(connections ? -1 : 1);
    strategy.setMaxSlowDuration(connections ? 3_000 : 1);
    strategy.setCheckPeriod(connections ? 500 : 100);
    PolicyEntry entry = new PolicyEntry();
    entry.setTopic("few.>");
    entry.setSlowConsumerStrategy(strategy);
    PolicyMap policies = new PolicyMap();
    policies.setPolicyEntries(List.of(entry));
    return start(null, policies);
  }

  /**
   * Starts a broker without persistence whose destinations {@code full} block their senders once
   * they hold more than {@code bytes}.
   */
  public static ClassicBroker startLimited(long bytes) {
    PolicyMap policies = new PolicyMap();
    policies.setPolicyEntries(List.of(limited(new ActiveMQQueue("full"), bytes)));
    return start(null, policies);
  }

  private static PolicyEntry limited(ActiveMQDestination destination, long bytes) {
    PolicyEntry entry = new PolicyEntry();
    entry.setDestination(destination);
    entry.setMemoryLimit(bytes);
    entry.setPendingQueuePolicy(new VMPendingQueueMessageStoragePolicy());
    return entry;
  }

  /** Starts a broker without persistence with a bridge to another one, in both directions. */
  public static ClassicBroker startBridged(ClassicBroker other) {
    ClassicBroker broker = new ClassicBroker(null, null, null, List.of());
    broker.bridge = "static:(" + other.url() + ")?initialReconnectDelay=100&maxReconnectDelay=100";
    broker.launch();
    return broker;
  }

  /** Starts a broker with TLS and without persistence. */
  public static ClassicBroker startWithTls(Issued certificate) {
    ClassicBroker broker =
        new ClassicBroker(null, null, new SslContext(certificate.keys(), null, null), List.of());
    broker.launch();
    return broker;
  }

  /** Starts a broker without persistence that accepts one user only. */
  public static ClassicBroker startWithUser(String user, String password) {
    List<AuthenticationUser> users = List.of(new AuthenticationUser(user, password, ""));
    ClassicBroker broker = new ClassicBroker(null, null, null, users);
    broker.launch();
    return broker;
  }

  private static ClassicBroker start(Path data, PolicyMap policies) {
    ClassicBroker broker = new ClassicBroker(data, policies, null, List.of());
    broker.launch();
    return broker;
  }

  private void launch() {
    try {
      service = new BrokerService();
      service.setBrokerName(name);
      service.setPersistent(data != null);
      if (data != null) {
        service.setDataDirectoryFile(data.toFile());
      }
      service.setUseJmx(false);
      service.setUseShutdownHook(false);
      if (policies != null) {
        service.setDestinationPolicy(policies);
      }
      if (interceptors != null) {
        service.setDestinationInterceptors(interceptors);
      }
      service.setSslContext(tls);
      service.setPlugins(plugins());
      TransportConnector connector = service.addConnector(url());
      if (bridge != null) {
        service.addNetworkConnector(bridge).setDuplex(true);
      }
      service.start();
      service.waitUntilStarted();
      port = connector.getConnectUri().getPort();
    } catch (Exception e) {
      throw new AssertionError("ActiveMQ Classic did not start", e);
    }
  }

  private BrokerPlugin[] plugins() {
    return users.isEmpty()
        ? new BrokerPlugin[] {Refusals::new}
        : new BrokerPlugin[] {Refusals::new, new SimpleAuthenticationPlugin(users)};
  }

  private static PolicyMap histories() {
    FixedCountSubscriptionRecoveryPolicy five = new FixedCountSubscriptionRecoveryPolicy();
    five.setMaximumSize(5);
    PolicyMap policies = new PolicyMap();
    policies.setPolicyEntries(
        List.of(
            history("retro.>", five),
            history("image.>", new LastImageSubscriptionRecoveryPolicy())));
    return policies;
  }

  private static PolicyEntry history(String topics, SubscriptionRecoveryPolicy policy) {
    PolicyEntry entry = new PolicyEntry();
    entry.setTopic(topics);
    entry.setSubscriptionRecoveryPolicy(policy);
    return entry;
  }

  /** Starts a broker without persistence that forwards a topic's messages to other topics, too. */
  public static ClassicBroker startForwarding(String from, String... to) {
    ClassicBroker broker = new ClassicBroker(null, null, null, List.of());
    CompositeTopic forwarded = new CompositeTopic();
    forwarded.setName(from);
    forwarded.setForwardOnly(false);
    forwarded.setForwardTo(Stream.of(to).map(ActiveMQTopic::new).toList());
    VirtualDestinationInterceptor interceptor = new VirtualDestinationInterceptor();
    interceptor.setVirtualDestinations(new VirtualDestination[] {forwarded});
    broker.interceptors = new DestinationInterceptor[] {interceptor};
    broker.launch();
    return broker;
  }

  /** Makes the broker block senders of persistent messages, as if its store were full, or not. */
  public void fillStore(boolean full) {
    service.getSystemUsage().getStoreUsage().setLimit(full ? 1 : Long.MAX_VALUE);
  }

  /** Closes the consumers of a queue, as the broker does for those that are slow. */
  public void closeConsumers(String queue) {
    try {
      for (Subscription each : service.getDestination(new ActiveMQQueue(queue)).getConsumers()) {
        ConsumerControl control = new ConsumerControl();
        control.setConsumerId(each.getConsumerInfo().getConsumerId());
        control.setClose(true);
        each.getContext().getConnection().dispatchAsync(control);
      }
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Makes further consumers of a topic fail with an error that JMS does not define. */
  public void failConsumersOf(String topic) {
    failing.add(topic);
  }

  /** Makes the broker refuse consumers of missing queues. */
  public void createNoQueues() {
    RegionBroker regions = (RegionBroker) service.getRegionBroker();
    ((AbstractRegion) regions.getQueueRegion()).setAutoCreateDestinations(false);
  }

  /** Rejected operation. */
  public enum Refusal {
    CONSUMERS,
    MESSAGES,
    /** Messages are accepted and discarded. */
    SILENTLY
  }

  /** Rejects an operation for topics with this prefix only. */
  public void refuse(Refusal refusal, String prefix) {
    refused.put(refusal, prefix);
  }

  /** Returns the number of rejections. */
  public int refusals() {
    return refusals.get();
  }

  private boolean isRefused(Refusal refusal, ActiveMQDestination destination) {
    String prefix = refused.get(refusal);
    if (prefix == null || !destination.getPhysicalName().startsWith(prefix)) {
      return false;
    }
    refusals.incrementAndGet();
    return true;
  }

  /** Filter that rejects consumers and messages. */
  private final class Refusals extends BrokerFilter {
    Refusals(Broker next) {
      super(next);
    }

    @Override
    public Subscription addConsumer(ConnectionContext context, ConsumerInfo info) throws Exception {
      if (failing.contains(info.getDestination().getPhysicalName())) {
        throw new IllegalStateException("no room for one more consumer");
      }
      if (isRefused(Refusal.CONSUMERS, info.getDestination())) {
        throw new SecurityException("no right to read");
      }
      return super.addConsumer(context, info);
    }

    @Override
    public void send(ProducerBrokerExchange exchange, Message message) throws Exception {
      if (isRefused(Refusal.MESSAGES, message.getDestination())) {
        throw new SecurityException("no right to write");
      }
      if (!isRefused(Refusal.SILENTLY, message.getDestination())) {
        super.send(exchange, message);
      }
    }
  }

  @Override
  public String provider() {
    return "classic";
  }

  @Override
  public String url() {
    return (tls == null ? "tcp" : "ssl") + "://127.0.0.1:" + port;
  }

  @Override
  public void kill() {
    try {
      service.stop();
      service.waitUntilStopped();
    } catch (Exception e) {
      throw new AssertionError("ActiveMQ Classic did not stop", e);
    }
  }

  @Override
  public void restart() {
    launch();
  }

  @Override
  public int connections() {
    return service.getTransportConnectors().get(0).getConnections().size();
  }

  @Override
  public int consumers(String topic) {
    try {
      ActiveMQTopic name = new ActiveMQTopic(topic);
      return (int)
          List.copyOf(service.getRegionBroker().getDestinationMap().entrySet()).stream()
              .filter(entry -> entry.getKey().equals(name))
              .mapToLong(entry -> consumers(entry.getValue()))
              .sum();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public int messages(String queue) {
    Destination found = find(queue);
    return found == null ? 0 : (int) found.getDestinationStatistics().getMessages().getCount();
  }

  @Override
  public int queueConsumers(String queue) {
    Destination found = find(queue);
    return found == null ? 0 : (int) consumers(found);
  }

  private Destination find(String queue) {
    return service.getRegionBroker().getDestinationMap().get(new ActiveMQQueue(queue));
  }

  private static long consumers(Destination destination) {
    return destination.getConsumers().size();
  }

  @Override
  public void close() {
    kill();
  }
}
