package io.sluice.gateway.cli.doctor;

import io.sluice.gateway.cli.admin.Authorities;
import io.sluice.gateway.cli.command.CommandFailure;
import io.sluice.gateway.cli.command.Subcommand;
import io.sluice.gateway.cli.command.Termination;
import io.sluice.gateway.config.SettingFile;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command that subscribes once, as a client does. Used by the main thread only. */
@Command(
    name = "probe",
    header = "Connect to a gateway as a client and subscribe to a topic, as an end-to-end check.",
    description =
        "Opens a WebSocket, subscribes to the topic, waits for the confirmation and disconnects.",
    sortOptions = false,
    exitCodeList = {
      "0:a node has confirmed the subscription, so its consumer at the broker is active",
      "1:no node has confirmed the subscription",
      Subcommand.INVALID_COMMAND_LINE
    },
    footer =
        "  sluice probe --url wss://gateway.example.com/ws --topic stocks.7 --token-file token")
public final class ProbeCommand extends Subcommand {
  @Option(
      names = "--url",
      paramLabel = "URL",
      required = true,
      description = "URL for clients, such as wss://gateway.example.com/ws.")
  private URI url;

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      required = true,
      description = "Topic to subscribe to.")
  private String topic;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "File with a client's token; without it no token is sent.")
  private Path tokenFile;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      description = "PEM file with the authorities to trust instead of the JDK's.")
  private Path authorities;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "Timeout of the whole check (default: ${DEFAULT-VALUE}).")
  private int timeoutS;

  @Override
  public Integer call() throws InterruptedException {
    checkUse();
    Probe probe = new Probe(topic, tokenFile == null ? null : token());
    CompletableFuture<WebSocket> socket =
        client().newWebSocketBuilder().subprotocols("sluice.v1.json").buildAsync(url, probe);
    socket.exceptionally(e -> onConnectFailure(probe, e));
    try {
      String node = probe.node().get(timeoutS, TimeUnit.SECONDS);
      print(node + ": subscribed to " + topic);
      return Termination.OK;
    } catch (TimeoutException e) {
      throw new CommandFailure(
          url + ": " + probe.progress() + " within " + timeoutS + " s (--timeout)", e);
    } catch (ExecutionException e) {
      throw new CommandFailure(url + ": " + e.getCause().getMessage(), e);
    } finally {
      socket.thenAccept(WebSocket::abort);
    }
  }

  private void checkUse() {
    if (!"ws".equals(url.getScheme()) && !"wss".equals(url.getScheme()) || url.getHost() == null) {
      throw wrongUse(
          "--url " + url + " is not the URL of a gateway; expected a URL such as wss://host/ws");
    }
    if (timeoutS < 1) {
      throw wrongUse("--timeout " + timeoutS + " is too short; expected 1 or more");
    }
  }

  private static WebSocket onConnectFailure(Probe probe, Throwable e) {
    Throwable cause = e instanceof CompletionException ? e.getCause() : e;
    String reason =
        cause instanceof WebSocketHandshakeException rejection
            ? "the WebSocket handshake was refused with status "
                + rejection.getResponse().statusCode()
                + "; expected the endpoint of a node, such as /ws"
            : cause instanceof ConnectException
                ? "connection refused; expected a node that listens there (server.port)"
                : "cannot connect: " + cause;
    probe.node().completeExceptionally(new CommandFailure(reason, cause));
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
    if (authorities != null) {
      client.sslContext(Authorities.trust("--ca", authorities));
    }
    return client.build();
  }
}
