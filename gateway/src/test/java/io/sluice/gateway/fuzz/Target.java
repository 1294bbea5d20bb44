package io.sluice.gateway.fuzz;

import io.sluice.gateway.admin.RevocationOrderFuzz;
import io.sluice.gateway.admission.ForwardedFuzz;
import io.sluice.gateway.admission.ProxyHeaderFuzz;
import io.sluice.gateway.auth.IssuerAnswerFuzz;
import io.sluice.gateway.auth.KeyFileFuzz;
import io.sluice.gateway.auth.TokenFuzz;
import io.sluice.gateway.config.ConfigFileFuzz;
import io.sluice.gateway.handshake.HandshakeFuzz;
import io.sluice.gateway.http.CredentialsFuzz;
import io.sluice.gateway.http.RequestBodyFuzz;
import io.sluice.gateway.protocol.TopicFuzz;
import io.sluice.gateway.protocol.parser.ClientFrameFuzz;
import io.sluice.gateway.stomp.StompFuzz;
import io.sluice.gateway.tls.PemFileFuzz;
import io.sluice.gateway.websocket.FrameFuzz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Fuzzing targets: code of the gateway that reads untrusted input, each with its stored inputs. The
 * class of a target has the method that Jazzer calls. It accepts any bytes, and throws an exception
 * if the code handles them incorrectly.
 */
enum Target {
  FRAMES(FrameFuzz.class, FrameFuzz::fuzzerTestOneInput),
  CLIENT_FRAMES(ClientFrameFuzz.class, ClientFrameFuzz::fuzzerTestOneInput),
  TOPICS(TopicFuzz.class, TopicFuzz::fuzzerTestOneInput),
  HANDSHAKES(HandshakeFuzz.class, HandshakeFuzz::fuzzerTestOneInput),
  CREDENTIALS(CredentialsFuzz.class, CredentialsFuzz::fuzzerTestOneInput),
  REQUEST_BODIES(RequestBodyFuzz.class, RequestBodyFuzz::fuzzerTestOneInput),
  TOKENS(TokenFuzz.class, TokenFuzz::fuzzerTestOneInput),
  ISSUER_ANSWERS(IssuerAnswerFuzz.class, IssuerAnswerFuzz::fuzzerTestOneInput),
  FORWARDED(ForwardedFuzz.class, ForwardedFuzz::fuzzerTestOneInput),
  PROXY_HEADERS(ProxyHeaderFuzz.class, ProxyHeaderFuzz::fuzzerTestOneInput),
  REVOCATION_ORDERS(RevocationOrderFuzz.class, RevocationOrderFuzz::fuzzerTestOneInput),
  CONFIG_FILES(ConfigFileFuzz.class, ConfigFileFuzz::fuzzerTestOneInput),
  KEY_FILES(KeyFileFuzz.class, KeyFileFuzz::fuzzerTestOneInput),
  STOMP_FRAMES(StompFuzz.class, StompFuzz::fuzzerTestOneInput),
  PEM_FILES(PemFileFuzz.class, PemFileFuzz::fuzzerTestOneInput);

  private static final Path CORPORA = Path.of("src/test/resources/io/sluice/gateway/fuzz");

  private final Class<?> type;
  private final Consumer<byte[]> method;

  Target(Class<?> type, Consumer<byte[]> method) {
    this.type = type;
    this.method = method;
  }

  /** The name of the class that Jazzer loads. */
  String className() {
    return type.getName();
  }

  /** The name of its folders, such as {@code client-frames}. */
  String folder() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the folder of stored inputs, relative to the module. */
  Path corpus() {
    return CORPORA.resolve(folder());
  }

  /** Returns the inputs that were created or named by hand, each a file. */
  List<Path> kept() throws IOException {
    try (Stream<Path> files = Files.list(corpus())) {
      return files.sorted().toList();
    }
  }

  /**
   * The file with the inputs that only reach code which the others don't, in base64, a line each.
   */
  Path foundFile() {
    return CORPORA.resolve(folder() + ".found");
  }

  /** The inputs of that file; none if it is not there. */
  List<byte[]> found() throws IOException {
    return Files.exists(foundFile())
        ? Files.readAllLines(foundFile()).stream().map(Base64.getDecoder()::decode).toList()
        : List.of();
  }

  /** Runs the target on an input. */
  void run(byte[] input) {
    method.accept(input);
  }
}
