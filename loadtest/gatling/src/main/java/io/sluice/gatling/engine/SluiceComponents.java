package io.sluice.gatling.engine;

import static io.gatling.javaapi.core.internal.Converters.toScalaFunction;

import io.gatling.core.CoreComponents;
import io.gatling.core.config.GatlingConfiguration;
import io.gatling.core.config.NettyConfiguration;
import io.gatling.core.protocol.Protocol;
import io.gatling.core.protocol.ProtocolComponents;
import io.gatling.core.protocol.ProtocolKey;
import io.gatling.core.session.Session;
import io.gatling.netty.util.Transports;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Function1;
import scala.runtime.BoxedUnit;

/** Parts of the protocol that all virtual users share. Immutable, for any thread. */
final class SluiceComponents implements ProtocolComponents {
  /** Key of the protocol in Gatling's registry. */
  static final ProtocolKey<SluiceProtocol, SluiceComponents> KEY = new Key();

  private static final Logger LOG = LoggerFactory.getLogger(SluiceComponents.class);

  private static final class Key implements ProtocolKey<SluiceProtocol, SluiceComponents> {
    /** Scala's signature has no type for the class of a subtype. */
    @Override
    @SuppressWarnings({"unchecked", "rawtypes"})
    public Class<Protocol> protocolClass() {
      return (Class) SluiceProtocol.class;
    }

    @Override
    public SluiceProtocol defaultProtocolValue(GatlingConfiguration configuration) {
      throw new IllegalStateException(
          "the simulation uses sluice(…) without its protocol: add sluice.url(…) to protocols(…)");
    }

    @Override
    public Function1<SluiceProtocol, SluiceComponents> newComponents(CoreComponents core) {
      Function<SluiceProtocol, SluiceComponents> create =
          protocol -> new SluiceComponents(protocol, core);
      return toScalaFunction(create);
    }
  }

  private final SluiceProtocol protocol;
  private final ResponseLog responses;
  private final UserConnector connector;

  private SluiceComponents(SluiceProtocol protocol, CoreComponents core) {
    NettyConfiguration netty = core.configuration().netty();
    this.protocol = protocol;
    this.responses =
        new ResponseLog(core.statsEngine(), core.clock(), protocol.maxLoggedPerSecond());
    this.connector =
        new UserConnector(
            protocol,
            Transports.newSocketChannelFactory(netty.useNativeTransport(), netty.useIoUring()));
    core.actorSystem()
        .registerOnTermination(
            () -> {
              reportSample();
              return BoxedUnit.UNIT;
            });
  }

  private void reportSample() {
    long skipped = responses.sampler().skipped();
    if (skipped > 0) {
      LOG.warn(
          "{} of {} messages are not in the report: maxLoggedPerSecond is {}",
          skipped,
          responses.sampler().total(),
          protocol.maxLoggedPerSecond());
    }
  }

  SluiceProtocol protocol() {
    return protocol;
  }

  ResponseLog responses() {
    return responses;
  }

  UserConnector connector() {
    return connector;
  }

  @Override
  public Function1<Session, Session> onStart() {
    return toScalaFunction(Function.identity());
  }

  @Override
  public Function1<Session, BoxedUnit> onExit() {
    Function<Session, BoxedUnit> end =
        session -> {
          VirtualUser user = VirtualUser.of(session);
          if (user != null) {
            user.close(session);
          }
          return BoxedUnit.UNIT;
        };
    return toScalaFunction(end);
  }
}
