package io.sluice.gateway.cli;

import io.sluice.gateway.StartCheck;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.cli.command.Configuration;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Server and node of the chat in {@code docs/tutorials}: its files with free ports. */
final class ChatTutorial implements AutoCloseable {
  private static final Path FILES = Path.of("..", "docs", "tutorials", "chat");
  private static final Path CLIENT = Path.of("..", "js-client", "dist", "sluice.global.js");
  private static final Pattern READY = Pattern.compile("Chat: (http://(localhost:\\d+)/)");

  /** Renewed after 8 s. Long enough to connect with a token on a slow machine. */
  private static final String TOKEN_SECONDS = "10";

  private final Process server;
  private final BufferedReader output;
  private final String address;
  private TestNode node;

  private ChatTutorial(Path folder) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("node", "server.mjs")
            .directory(folder.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("PORT", "0");
    builder.environment().put("TOKEN_SECONDS", TOKEN_SECONDS);
    server = builder.start();
    output = server.inputReader();
    address = output.readLine();
  }

  /**
   * @param folder an empty one
   */
  static ChatTutorial start(Path folder, String brokerUrl) throws IOException {
    Files.copy(FILES.resolve("server.mjs"), folder.resolve("server.mjs"));
    Files.copy(CLIENT, folder.resolve("sluice.global.js"));
    ChatTutorial chat = new ChatTutorial(folder);
    try {
      chat.startNode(folder, brokerUrl);
    } catch (IOException | RuntimeException | AssertionError e) {
      chat.close();
      throw e;
    }
    return chat;
  }

  /** Starts the node like {@code sluice run --config sluice.yaml}, with other ports. */
  private void startNode(Path folder, String brokerUrl) throws IOException {
    copy("sluice.yaml", folder, "localhost:3000", ready().group(2));
    Config config =
        new Configuration(folder.resolve("sluice.yaml"), StartCheck.CHECKS)
            .with(ServerSettings.PORT, 0, "--port")
            .with(AdminSettings.PORT, 0, "--admin-port")
            .with(BrokerSettings.URL, brokerUrl, "--broker")
            .validated();
    node = TestNode.start(config);
    node.awaitReady();
    copy("index.html", folder, "localhost:8080", "localhost:" + node.gateway().port());
    copy("chat.js", folder, "localhost:8080", "localhost:" + node.gateway().port());
  }

  private static void copy(String name, Path folder, String address, String replacement)
      throws IOException {
    String text = Files.readString(FILES.resolve(name));
    Files.writeString(folder.resolve(name), text.replace(address, replacement));
  }

  /** Returns the address of the page. */
  String address() {
    return ready().group(1);
  }

  private Matcher ready() {
    Matcher ready = READY.matcher(String.valueOf(address));
    if (!ready.matches()) {
      throw new AssertionError("the first line of server.mjs: " + address);
    }
    return ready;
  }

  @Override
  public void close() throws IOException {
    if (node != null) {
      node.close();
    }
    server.destroy();
    output.close();
  }
}
