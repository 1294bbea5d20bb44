package io.sluice.helm;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.testkit.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Kubernetes API server with its store, but without controllers: it validates and stores objects
 * and runs no pods. Bound to the thread that starts it.
 */
final class ApiServer implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TOKEN = "operator";
  private static final Duration START = Duration.ofMinutes(3);
  private static final long EVERY_NS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Path folder;
  private final List<Process> processes = new ArrayList<>();
  private final URI address;
  private HttpClient http;

  private ApiServer(Path folder, int port) {
    this.folder = folder;
    this.address = URI.create("https://127.0.0.1:" + port);
  }

  /**
   * Starts an empty server.
   *
   * @param programs folder of the built programs
   * @param folder folder for its files
   */
  static ApiServer start(Path programs, Path folder) throws Exception {
    ApiServer server = new ApiServer(folder, FreePorts.one());
    try {
      server.startStore(programs, "http://127.0.0.1:" + FreePorts.one());
      return server;
    } catch (Exception | AssertionError e) {
      server.close();
      throw e;
    }
  }

  private void startStore(Path programs, String store) throws Exception {
    String peers = "http://127.0.0.1:" + FreePorts.one();
    start(
        programs.resolve("etcd"),
        "--data-dir=" + folder.resolve("store"),
        "--listen-client-urls=" + store,
        "--advertise-client-urls=" + store,
        "--listen-peer-urls=" + peers,
        "--initial-advertise-peer-urls=" + peers,
        "--initial-cluster=default=" + peers,
        "--log-level=error");
    KeyPair accounts = KeyPairGenerator.getInstance("RSA").generateKeyPair();
    Path tokens =
        Files.writeString(folder.resolve("tokens"), TOKEN + ",operator,1,system:masters\n");
    start(
        programs.resolve("kube-apiserver"),
        "--etcd-servers=" + store,
        "--bind-address=127.0.0.1",
        "--secure-port=" + address.getPort(),
        "--cert-dir=" + certificates(),
        "--token-auth-file=" + tokens,
        "--authorization-mode=RBAC",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--service-account-issuer=https://kubernetes.default.svc",
        "--service-account-key-file=" + pem("PUBLIC", accounts.getPublic().getEncoded()),
        "--service-account-signing-key-file=" + pem("PRIVATE", accounts.getPrivate().getEncoded()));
    await("its certificate", () -> Files.exists(certificate()));
    http = HttpClient.newBuilder().sslContext(trust()).build();
    await("it to be ready", () -> status("GET", "/readyz", "") == 200);
  }

  private void start(Path program, String... options) throws IOException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(options));
    Path log = folder.resolve(program.getFileName() + ".log");
    processes.add(
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start());
  }

  private Path certificates() {
    return folder.resolve("certificates");
  }

  private Path certificate() {
    return certificates().resolve("apiserver.crt");
  }

  private Path pem(String kind, byte[] key) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(key);
    String head = "-----BEGIN " + kind + " KEY-----\n";
    return Files.writeString(
        folder.resolve(kind), head + text + "\n-----END " + kind + " KEY-----\n");
  }

  private SSLContext trust() throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (var file = Files.newInputStream(certificate())) {
      int number = 0;
      for (var each : CertificateFactory.getInstance("X.509").generateCertificates(file)) {
        store.setCertificateEntry("" + number++, each);
      }
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private void await(String what, BooleanSupplier condition) throws IOException {
    long end = System.nanoTime() + START.toNanos();
    while (!condition.getAsBoolean()) {
      for (Process process : processes) {
        if (!process.isAlive() || System.nanoTime() > end) {
          throw new AssertionError("waited for " + what + "; " + logs());
        }
      }
      LockSupport.parkNanos(EVERY_NS);
    }
  }

  private String logs() throws IOException {
    StringBuilder logs = new StringBuilder();
    for (String name : List.of("etcd", "kube-apiserver")) {
      Path log = folder.resolve(name + ".log");
      logs.append(Files.exists(log) ? Files.readString(log) : "");
    }
    return logs.toString();
  }

  private HttpResponse<String> send(String method, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(address.resolve(path))
            .header("Authorization", "Bearer " + TOKEN)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
    return http.send(request, BodyHandlers.ofString(StandardCharsets.UTF_8));
  }

  /** Returns the status of the response, or 0 without a response. */
  private int status(String method, String path, String body) {
    try {
      return send(method, path, body).statusCode();
    } catch (IOException e) {
      return 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Returns the object at a path. */
  JsonNode get(String path) throws Exception {
    HttpResponse<String> answer = send("GET", path, "");
    if (answer.statusCode() != 200) {
      throw new AssertionError(path + ": " + answer.body());
    }
    return JSON.readTree(answer.body());
  }

  /** Creates an object at a path. */
  void create(String path, JsonNode object) throws Exception {
    HttpResponse<String> answer = send("POST", path, object.toString());
    if (answer.statusCode() != 201) {
      throw new AssertionError(path + ": " + answer.body());
    }
  }

  /** Creates a custom resource definition, and returns when the kind is available. */
  void define(JsonNode definition) throws Exception {
    create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    JsonNode spec = definition.get("spec");
    String group = "/apis/" + spec.get("group").asText() + "/";
    String version = spec.at("/versions/0/name").asText();
    String names = spec.at("/names/plural").asText();
    await(names, () -> status("GET", group + version + "/" + names, "") == 200);
  }

  /** Returns a kubeconfig for this server. */
  String kubeConfig() {
    return String.join(
        "\n",
        "apiVersion: v1",
        "kind: Config",
        "current-context: test",
        "contexts: [{name: test, context: {cluster: test, user: operator}}]",
        "users: [{name: operator, user: {token: " + TOKEN + "}}]",
        "clusters:",
        "  - name: test",
        "    cluster: {server: '" + address + "', certificate-authority: '" + certificate() + "'}",
        "");
  }

  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly); // an orderly stop takes a minute
    processes.forEach(process -> process.onExit().orTimeout(30, TimeUnit.SECONDS).join());
  }
}
