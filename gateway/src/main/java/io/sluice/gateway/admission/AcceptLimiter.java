package io.sluice.gateway.admission;

import io.netty.channel.Channel;

/**
 * Rate limit for TCP accepts per client address, without TLS. Connections that never send a request
 * count as well; the first request is not counted again. For the event loops of the port.
 *
 * <p>A request beyond the rate is refused with a reason. Connections are therefore closed here only
 * beyond ten times the rate.
 */
public final class AcceptLimiter implements AdmissionCheck {
  private final AddressQuotas shares;
  private final ClientAddresses addresses;

  public AcceptLimiter(AddressQuotas shares, ClientAddresses addresses) {
    this.shares = shares;
    this.addresses = addresses;
  }

  @Override
  public Verdict judge(Channel channel) {
    return addresses.certain(channel).map(shares::open).orElse(Verdict.UNKNOWN);
  }

  @Override
  public String cause() {
    return "too-many";
  }
}
