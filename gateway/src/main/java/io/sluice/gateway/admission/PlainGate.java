package io.sluice.gateway.admission;

import io.netty.channel.Channel;

/**
 * Counts plain connections for their address's rate when they come, so that those that never say
 * anything count as well; the first request is not counted once more. For the event loops of the
 * port.
 *
 * <p>Whoever is past the rate is told so in answer to its request. So connections are cut here only
 * past ten times the rate.
 */
public final class PlainGate implements Gate {
  private final AddressShares shares;
  private final ClientAddresses addresses;

  public PlainGate(AddressShares shares, ClientAddresses addresses) {
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
