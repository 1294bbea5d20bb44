package io.sluice.gateway.config;

import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathBuilderException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/** Reasons of failed HTTP requests in words, without names of classes. Stateless. */
public final class RequestFailure {
  private RequestFailure() {}

  /** Returns the reason of a failure, for logs and messages. */
  public static String reason(Throwable failure) {
    if (has(failure, UnknownHostException.class)
        || has(failure, UnresolvedAddressException.class)) {
      return "the host name cannot be resolved";
    }
    if (has(failure, TimeoutException.class)
        || has(failure, SocketTimeoutException.class)
        || has(failure, HttpTimeoutException.class)) {
      return "no response in time";
    }
    if (has(failure, ConnectException.class)) {
      return "connection refused";
    }
    if (has(failure, CertPathBuilderException.class)) {
      return "its certificate is not issued by a trusted authority";
    }
    String message = message(failure);
    return has(failure, SSLException.class) ? "TLS failed: " + message : message;
  }

  private static boolean has(Throwable failure, Class<? extends Throwable> type) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (type.isInstance(cause)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the first message that does not repeat its cause. */
  private static String message(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null
        && (cause.getMessage() == null || cause.getMessage().equals(cause.getCause().toString()))) {
      cause = cause.getCause();
    }
    return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
  }
}
