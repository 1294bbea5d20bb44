package io.sluice.gateway.broker.provider;

import io.netty.channel.ChannelFuture;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import jakarta.jms.JMSException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.api.core.client.ServerLocator;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnector;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyConnectorFactory;
import org.apache.activemq.artemis.spi.core.remoting.BufferHandler;
import org.apache.activemq.artemis.spi.core.remoting.ClientConnectionLifeCycleListener;
import org.apache.activemq.artemis.spi.core.remoting.ClientProtocolManager;
import org.apache.activemq.artemis.spi.core.remoting.Connection;
import org.apache.activemq.artemis.spi.core.remoting.Connector;

/**
 * Connectors that record why a broker cannot be reached, because the client's exception has no
 * cause. The client creates the factory by the name of its class. Stateless, for any thread.
 */
public final class ArtemisConnectors extends NettyConnectorFactory {
  /** Parameter of a connector with its last failure. */
  private static final String FAILURE = "sluice.failure";

  /** Creates the factory, for the client. */
  public ArtemisConnectors() {}

  /** Changes a connector of TCP so that it records its failures. */
  static void observe(TransportConfiguration connector) {
    if (connector.getFactoryClassName().equals(NettyConnectorFactory.class.getName())) {
      connector.setFactoryClassName(ArtemisConnectors.class.getName());
      connector.getParams().put(FAILURE, new AtomicReference<Throwable>());
    }
  }

  /** Records a failure of a locator whose connectors have recorded none. */
  static void onFailure(ServerLocator locator, Throwable failure) {
    failures(locator).forEach(each -> each.compareAndSet(null, failure));
  }

  /**
   * Replaces a failure of the client by the cause that its connectors have recorded, if any.
   *
   * @throws JMSException with that cause
   */
  static void explain(Exception failure, ServerLocator locator) throws JMSException {
    Optional<Throwable> cause =
        failures(locator).map(AtomicReference::get).filter(Objects::nonNull).findFirst();
    if (cause.isPresent()) {
      throw (JMSException) new JMSException(failure.getMessage()).initCause(cause.get());
    }
  }

  // Not from the factory, whose lock the thread that connects holds.
  @SuppressWarnings("unchecked")
  private static Stream<AtomicReference<Throwable>> failures(ServerLocator locator) {
    return Stream.of(locator.getStaticTransportConfigurations())
        .map(each -> (AtomicReference<Throwable>) each.getParams().get(FAILURE))
        .filter(Objects::nonNull);
  }

  @Override
  @SuppressWarnings("unchecked")
  public Connector createConnector(
      Map<String, Object> options,
      BufferHandler handler,
      ClientConnectionLifeCycleListener listener,
      Executor closer,
      Executor threads,
      ScheduledExecutorService timer,
      ClientProtocolManager protocol) {
    AtomicReference<Throwable> failure = (AtomicReference<Throwable>) options.remove(FAILURE);
    return new NettyConnector(options, handler, listener, closer, threads, timer, protocol) {
      @Override
      public Connection createConnection() {
        Attempt attempt = new Attempt();
        Connection connection = createConnection(attempt::begin);
        if (connection == null) {
          failure.set(attempt.cause());
        }
        return connection;
      }
    };
  }

  /** One connect of TCP and TLS. */
  private static final class Attempt {
    private ChannelFuture connect;
    private volatile Future<?> handshake;

    void begin(ChannelFuture connecting) {
      connect = connecting;
      // Runs before the end of a handshake, which uses the same thread.
      connecting.addListener(
          done -> {
            SslHandler tls = connecting.channel().pipeline().get(SslHandler.class);
            handshake = tls == null ? null : tls.handshakeFuture();
          });
    }

    /** Returns why the attempt has failed; null if it is unknown. */
    Throwable cause() {
      Future<?> tls = handshake;
      if (connect == null) {
        return null;
      }
      return connect.isSuccess() && tls != null ? tls.cause() : connect.cause();
    }
  }
}
