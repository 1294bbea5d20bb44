package io.sluice.gateway.admission;

import io.netty.channel.Channel;
import io.sluice.gateway.limits.Quota;

/**
 * Rate limit for TCP accepts per client address, without TLS. Connections that never send a request
 * count as well; the first request is not counted again. For the event loops of the port.
 *
 * <p>A request beyond the rate is refused with a reason. Connections are therefore closed here only
 * beyond ten times the rate.
 */
public final class AcceptLimiter implements AdmissionCheck {
  private final NodeAdmission node;
  private final ClientAddresses addresses;

  public AcceptLimiter(NodeAdmission node, ClientAddresses addresses) {
    this.node = node;
    this.addresses = addresses;
  }

  @Override
  public Verdict judge(Channel channel) {
    return addresses.certain(channel).map(this::judge).orElse(Verdict.UNKNOWN);
  }

  private Verdict judge(String address) {
    Quota quota = node.quotas().addresses().of(ClientAddresses.name(address));
    if (!quota.takeAccept()) {
      return Verdict.REFUSED;
    }
    return quota.takeHandshakeUnreported() ? Verdict.COUNTED : Verdict.UNKNOWN;
  }

  @Override
  public String cause() {
    return "too-many";
  }
}
