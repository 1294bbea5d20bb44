package io.sluice.gateway.config;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Range of IPv4 or IPv6 addresses with a common prefix (CIDR). Immutable, for any thread. */
public final class AddressRange {
  private static final Pattern LOOPBACK_V4 = Pattern.compile("127(\\.\\d{1,3}){3}");
  private static final Pattern LOOPBACK_V6 = Pattern.compile("\\[?(0*:)+0*1]?");

  private static final int NETWORK_BYTES = 8;

  private final byte[] first;
  private final int bits;

  private AddressRange(byte[] first, int bits) {
    this.first = first;
    this.bits = bits;
  }

  /** Returns the ranges of a validated setting. */
  public static List<AddressRange> listOf(Config config, Setting<List<String>> setting) {
    return config.get(setting).stream().map(AddressRange::parse).flatMap(Optional::stream).toList();
  }

  /** Returns whether one of the ranges contains the address. */
  public static boolean anyContains(List<AddressRange> ranges, InetAddress address) {
    for (AddressRange range : ranges) {
      if (range.contains(address)) {
        return true;
      }
    }
    return false;
  }

  /** Parses an address, or a range with a prefix length such as {@code 10.0.0.0/8}. */
  public static Optional<AddressRange> parse(String text) {
    int slash = text.indexOf('/');
    byte[] first = bytes(slash < 0 ? text : text.substring(0, slash));
    if (first == null) {
      return Optional.empty();
    }
    int maxBits = first.length * 8;
    int bits = slash < 0 ? maxBits : number(text.substring(slash + 1));
    return bits < 0 || bits > maxBits
        ? Optional.empty()
        : Optional.of(new AddressRange(first, bits));
  }

  /** Returns the name under which an address is counted: IPv6 clients are limited per /64. */
  public static String network(String address) {
    byte[] bytes =
        address.indexOf(':') < 0 ? null : NetUtil.createByteArrayFromIpAddressString(address);
    if (bytes == null) {
      return address;
    }
    Arrays.fill(bytes, NETWORK_BYTES, bytes.length, (byte) 0);
    return NetUtil.bytesToIpAddress(bytes) + "/64";
  }

  /** Parses an address without a DNS lookup; an IPv4-mapped IPv6 address becomes IPv4. */
  public static Optional<InetAddress> address(String text) {
    byte[] bytes = text.indexOf('%') < 0 ? NetUtil.createByteArrayFromIpAddressString(text) : null;
    try {
      return bytes == null ? Optional.empty() : Optional.of(InetAddress.getByAddress(bytes));
    } catch (UnknownHostException e) {
      throw new AssertionError("an address of " + bytes.length + " bytes", e);
    }
  }

  /**
   * Returns whether a host is a loopback address or {@code localhost}. The host is that of a
   * setting or of a {@code Host} header, without a port. Makes no DNS lookup.
   */
  public static boolean isLoopback(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    return name.equals("localhost")
        || LOOPBACK_V4.matcher(name).matches()
        || LOOPBACK_V6.matcher(name).matches();
  }

  private static byte[] bytes(String text) {
    return address(text).map(InetAddress::getAddress).orElse(null);
  }

  private static int number(String digits) {
    boolean plain = !digits.isEmpty() && digits.length() <= 3;
    return plain && digits.chars().allMatch(c -> c >= '0' && c <= '9')
        ? Integer.parseInt(digits)
        : -1;
  }

  private boolean contains(InetAddress address) {
    byte[] other = address.getAddress();
    int whole = bits / 8;
    if (other.length != first.length || !Arrays.equals(first, 0, whole, other, 0, whole)) {
      return false;
    }
    int rest = bits % 8;
    return rest == 0 || ((first[whole] ^ other[whole]) & 0xff) >> (8 - rest) == 0;
  }
}
