package io.sluice.gateway.cli;

import io.sluice.gateway.config.SettingFile;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Subscribes once, as a client does, and says whether it worked. Used by the main thread only. */
@Command(
    name = "probe",
    header = "Connect to a gateway as a client and subscribe to a topic, to see whether it works.",
    description = "Exit code 0: a node has answered that the topic's consumer stands; 1: not.",
    sortOptions = false,
    mixinStandardHelpOptions = true,
    versionProvider = Version.class)
final class ProbeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--url",
      paramLabel = "URL",
      required = true,
      description = "Where clients connect, such as wss://gateway.example.com/ws.")
  private URI url;

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      required = true,
      description = "What to ask for.")
  private String topic;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File that holds a client's token; without it none is shown.")
  private Path tokenFile;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description = "PEM file with the authorities to trust, in the place of the JDK's.")
  private Path authorities;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "How long all of it may take (${DEFAULT-VALUE}).")
  private int timeoutS;

  @Override
  public Integer call() throws InterruptedException {
    checkUse();
    Probe probe = new Probe(topic, tokenFile == null ? null : token());
    CompletableFuture<WebSocket> socket =
        client().newWebSocketBuilder().subprotocols("sluice.v1.json").buildAsync(url, probe);
    socket.exceptionally(e -> refused(probe, e));
    try {
      String node = probe.node().get(timeoutS, TimeUnit.SECONDS);
      spec.commandLine().getOut().println(node + ": subscribed to " + topic);
      return Termination.OK;
    } catch (TimeoutException e) {
      throw new CommandFailure(url + ": " + probe.progress() + " within " + timeoutS + " s", e);
    } catch (ExecutionException e) {
      throw new CommandFailure(url + ": " + e.getCause().getMessage(), e);
    } finally {
      socket.thenAccept(WebSocket::abort);
    }
  }

  private void checkUse() {
    if (!"ws".equals(url.getScheme()) && !"wss".equals(url.getScheme()) || url.getHost() == null) {
      throw wrong("--url " + url + " is no address of a gateway; expected such as wss://host/ws");
    }
    if (timeoutS < 1) {
      throw wrong("--timeout " + timeoutS + " is too short; expected 1 or more");
    }
  }

  private ParameterException wrong(String why) {
    return new ParameterException(spec.commandLine(), why);
  }

  private static WebSocket refused(Probe probe, Throwable e) {
    Throwable cause = e instanceof CompletionException ? e.getCause() : e;
    String why =
        cause instanceof WebSocketHandshakeException refusal
            ? "refused with " + refusal.getResponse().statusCode()
            : "not reached: "
                + (cause instanceof ConnectException ? "nobody answers there" : cause);
    probe.node().completeExceptionally(new CommandFailure(why, cause));
    return null;
  }

  private String token() {
    try {
      return Files.readString(tokenFile).strip();
    } catch (IOException | InvalidPathException e) {
      throw new CommandFailure(
          "--token-file " + tokenFile + " cannot be read: " + SettingFile.reason(e), e);
    }
  }

  private HttpClient client() {
    HttpClient.Builder client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
    return authorities == null ? client.build() : client.sslContext(trust()).build();
  }

  private SSLContext trust() {
    try (InputStream in = Files.newInputStream(authorities)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("authority-" + store.size(), each);
      }
      if (store.size() == 0) {
        throw new CommandFailure("--ca " + authorities + " holds no PEM certificate");
      }
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new CommandFailure(
          "--ca " + authorities + " cannot be read: " + SettingFile.reason(e), e);
    }
  }
}
