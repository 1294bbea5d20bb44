package io.sluice.gateway.admission;

import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.limits.Quota;
import io.sluice.gateway.socket.AcceptedConnection;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Rate limit and quotas applied before the TLS handshake. For the event loops of the port.
 *
 * <p>A TLS handshake costs more than all later steps of a connection. At this point no reason can
 * be sent. Plain connections are therefore checked by {@link AcceptLimiter} and by the responses to
 * their requests.
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
  public Verdict check(AcceptedConnection connection) {
    String exceeded = exceededKey();
    if (exceeded != null) {
      node.onLimit(exceeded);
      return Verdict.REJECTED;
    }
    Optional<String> address = addresses.beforeRequest(connection);
    if (address.isEmpty()) {
      return Verdict.UNCHARGED;
    }
    // Last, because connections rejected by other limits are not charged.
    return node.quotas().addresses().hasRoom(AddressRange.network(address.get()))
            && node.takeHandshake(address.get())
        ? Verdict.CHARGED
        : Verdict.REJECTED;
  }

  @Override
  public String cause() {
    return "before-tls";
  }

  /** Returns the key of the limit that rejects every address, or null. */
  private String exceededKey() {
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
