package io.sluice.gateway.admission;

import io.netty.channel.Channel;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.Setting;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Rate limit and quotas applied before the TLS handshake, which costs more than all that follows.
 * For the event loops of the port.
 *
 * <p>A reason cannot be sent at that moment, so plain connections are left to {@link AcceptLimiter}
 * and the answers to their requests.
 */
public final class HandshakeLimiter implements AdmissionCheck {
  private final NodeAdmission node;
  private final BooleanSupplier overloaded;
  private final ClientAddresses addresses;

  /**
   * @param overloaded whether the event loop is overloaded
   */
  public HandshakeLimiter(
      NodeAdmission node, BooleanSupplier overloaded, ClientAddresses addresses) {
    this.node = node;
    this.overloaded = overloaded;
    this.addresses = addresses;
  }

  @Override
  public Verdict judge(Channel channel) {
    Optional<Setting<?>> reached = reached();
    if (reached.isPresent()) {
      return refuse(reached.get());
    }
    Optional<String> address = addresses.certain(channel);
    if (address.isEmpty()) {
      return Verdict.UNKNOWN;
    }
    AddressQuotas shares = node.addresses();
    // Last, because what is refused anyway does not count.
    return shares.hasRoom(address.get()) && shares.takeHandshake(address.get())
        ? Verdict.COUNTED
        : Verdict.REFUSED;
  }

  @Override
  public String cause() {
    return "before-tls";
  }

  private Optional<Setting<?>> reached() {
    if (overloaded.getAsBoolean()) {
      return Optional.of(LimitSettings.OVERLOAD_LAG);
    }
    if (node.isFull()) {
      return Optional.of(LimitSettings.CONNECTIONS);
    }
    return node.hasHandshake() ? Optional.empty() : Optional.of(LimitSettings.HANDSHAKE_RATE);
  }

  private Verdict refuse(Setting<?> limit) {
    node.onLimit(limit.key());
    return Verdict.REFUSED;
  }
}
