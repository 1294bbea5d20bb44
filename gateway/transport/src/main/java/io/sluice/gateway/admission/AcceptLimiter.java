package io.sluice.gateway.admission;

import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.limits.Quota;
import io.sluice.gateway.socket.AcceptedConnection;

/**
 * Rate limit for TCP accepts per client address, without TLS. For the event loops of the port.
 *
 * <p>An accept is charged to the handshake rate of its address ({@link Verdict#CHARGED}), and the
 * first request is not charged again. Connections that never send a request count as well. Past the
 * rate, the connection is accepted and its request is rejected with a reason. Only past ten times
 * the rate, this check rejects the connection.
 *
 * <p>Addresses of trusted proxies are exempt: their requests are charged to the forwarded address.
 */
public final class AcceptLimiter implements AdmissionCheck {
  private final NodeAdmission node;
  private final ClientAddresses addresses;

  public AcceptLimiter(NodeAdmission node, ClientAddresses addresses) {
    this.node = node;
    this.addresses = addresses;
  }

  @Override
  public Verdict check(AcceptedConnection connection) {
    return addresses.beforeRequest(connection).map(this::check).orElse(Verdict.UNCHARGED);
  }

  private Verdict check(String address) {
    Quota quota = node.quotas().addresses().of(AddressRange.network(address));
    if (!quota.takeAccept()) {
      return Verdict.REJECTED;
    }
    return quota.takeHandshakeUnreported() ? Verdict.CHARGED : Verdict.UNCHARGED;
  }

  @Override
  public String cause() {
    return "too-many";
  }
}
