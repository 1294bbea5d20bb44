package io.sluice.gateway.admission;

import io.netty.channel.Channel;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.limits.Quota;
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
    String reached = reached();
    if (reached != null) {
      node.onLimit(reached);
      return Verdict.REFUSED;
    }
    Optional<String> address = addresses.certain(channel);
    if (address.isEmpty()) {
      return Verdict.UNKNOWN;
    }
    // Last, because what is refused anyway does not count.
    return node.quotas().addresses().hasRoom(ClientAddresses.name(address.get()))
            && node.takeHandshake(address.get())
        ? Verdict.COUNTED
        : Verdict.REFUSED;
  }

  @Override
  public String cause() {
    return "before-tls";
  }

  /** Returns the key of the limit that is in the way of every address, or null. */
  private String reached() {
    Quota quota = node.quotas().node();
    if (overloaded.getAsBoolean()) {
      return LimitSettings.OVERLOAD_LAG.key();
    }
    if (!quota.hasRoom()) {
      return LimitSettings.CONNECTIONS.key();
    }
    return quota.canTakeHandshake() ? null : LimitSettings.HANDSHAKE_RATE.key();
  }
}
