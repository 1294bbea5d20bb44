package io.sluice.gateway.handshake;

import io.sluice.gateway.handshake.ExtensionOffers.Offer;
import io.sluice.gateway.handshake.ExtensionOffers.Parameter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Negotiation of permessage-deflate: RFC 7692, section 7.1. Stateless, for any thread.
 *
 * <p>The agreed parameters exclude context takeover of the client. That of the server is agreed
 * unless the client excludes it: docs/adr/0026.
 */
final class DeflateOffer {
  private static final String EXTENSION = "permessage-deflate";
  private static final String SERVER_NO_CONTEXT = "server_no_context_takeover";
  private static final String CLIENT_NO_CONTEXT = "client_no_context_takeover";
  private static final String SERVER_WINDOW = "server_max_window_bits";
  private static final String CLIENT_WINDOW = "client_max_window_bits";

  private DeflateOffer() {}

  /**
   * Agreed parameters.
   *
   * @param response value of the response header
   * @param takeover whether the client keeps the context of the server's messages
   */
  record Agreement(String response, boolean takeover) {}

  /** Returns the agreement on the first acceptable offer, or null if there is none. */
  static Agreement agree(List<Offer> offers) {
    for (Offer offer : offers) {
      if (offer.name().equals(EXTENSION) && isAcceptable(offer)) {
        return agreement(offer);
      }
    }
    return null;
  }

  private static Agreement agreement(Offer offer) {
    boolean takeover = !has(offer, SERVER_NO_CONTEXT);
    String response = takeover ? EXTENSION : EXTENSION + "; " + SERVER_NO_CONTEXT;
    response += "; " + CLIENT_NO_CONTEXT;
    if (has(offer, SERVER_WINDOW)) {
      response += "; " + SERVER_WINDOW + "=15";
    }
    return new Agreement(response, takeover);
  }

  private static boolean isAcceptable(Offer offer) {
    Set<String> seen = new HashSet<>();
    for (Parameter parameter : offer.parameters()) {
      if (!seen.add(parameter.name()) || !isAcceptable(parameter)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isAcceptable(Parameter parameter) {
    String value = parameter.value();
    return switch (parameter.name()) {
      case SERVER_NO_CONTEXT, CLIENT_NO_CONTEXT -> value == null;
      // The deflater's window has 15 bits; no other size is supported.
      case SERVER_WINDOW -> "15".equals(value);
      // The inflater accepts any window, so the response requires none of the client.
      case CLIENT_WINDOW -> value == null || isWindow(value);
      default -> false;
    };
  }

  private static boolean isWindow(String value) {
    return switch (value) {
      case "8", "9", "10", "11", "12", "13", "14", "15" -> true;
      default -> false;
    };
  }

  private static boolean has(Offer offer, String parameter) {
    return offer.parameters().stream().anyMatch(p -> p.name().equals(parameter));
  }
}
