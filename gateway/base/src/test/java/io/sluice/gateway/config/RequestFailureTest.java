package io.sluice.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertPathBuilderException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class RequestFailureTest {
  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(new ConnectException(), "connection refused"),
        Arguments.of(
            new IOException("x", new ConnectException("Connection refused: /127.0.0.1:1")),
            "connection refused"),
        Arguments.of(
            caused(new HttpConnectTimeoutException("x"), new ConnectException("timed out")),
            "no response in time"),
        Arguments.of(new TimeoutException(), "no response in time"),
        Arguments.of(new UnknownHostException("x"), "the host name cannot be resolved"),
        Arguments.of(
            caused(new ConnectException(), new UnresolvedAddressException()),
            "the host name cannot be resolved"),
        Arguments.of(
            caused(new SSLHandshakeException("x"), new CertPathBuilderException("y")),
            "its certificate is not issued by a trusted authority"),
        Arguments.of(new SSLHandshakeException("no cipher"), "TLS failed: no cipher"),
        Arguments.of(
            new RuntimeException(new IOException("header is malformed")), "header is malformed"),
        Arguments.of(new IOException(), "IOException"));
  }

  private static Throwable caused(Throwable failure, Throwable cause) {
    return failure.initCause(cause);
  }

  @ParameterizedTest
  @MethodSource("failures")
  void shouldDescribeAFailureWithoutClassNames(Throwable failure, String reason) {
    assertThat(RequestFailure.reason(failure)).isEqualTo(reason);
  }
}
