package io.sluice.gateway.stock;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** Stock clients of the open protocols. The module stock-clients contains their programs. */
enum StockClient {
  STOMPJS(Protocol.STOMP, url -> node("stompjs.mjs", url)),
  STOMPJS_SOCKJS(Protocol.STOMP, url -> node("stompjs.mjs", url, "websocket")),
  STOMPJS_XHR_STREAMING(Protocol.STOMP, url -> node("stompjs.mjs", url, "xhr-streaming")),
  STOMPJS_XHR_POLLING(Protocol.STOMP, url -> node("stompjs.mjs", url, "xhr-polling")),
  STOMP_PY(Protocol.STOMP, url -> python("stomppy.py", url)),
  SPRING(Protocol.STOMP, url -> java("SpringStomp", url)),
  SPRING_SOCKJS(Protocol.STOMP, url -> java("SpringStomp", url, "sockjs")),
  SPRING_XHR_STREAMING(Protocol.STOMP, url -> java("SpringStomp", url, "xhr-streaming")),
  MQTT_JS_3(Protocol.MQTT, url -> node("mqttjs.mjs", url, "3")),
  MQTT_JS_5(Protocol.MQTT, url -> node("mqttjs.mjs", url, "5")),
  PAHO_PYTHON_3(Protocol.MQTT, url -> python("pahopy.py", url, "3")),
  PAHO_PYTHON_5(Protocol.MQTT, url -> python("pahopy.py", url, "5")),
  PAHO_JAVA_3(Protocol.MQTT, url -> java("PahoV3", "ws://" + url + "/mqtt")),
  PAHO_JAVA_DURABLE(Protocol.MQTT, url -> java("PahoV3", "ws://" + url + "/mqtt", "durable")),
  PAHO_JAVA_5(Protocol.MQTT, url -> java("PahoV5", "ws://" + url + "/mqtt")),
  HIVEMQ(Protocol.MQTT, url -> java("HiveMq", "ws://" + url + "/mqtt")),
  EVENT_SOURCE(Protocol.SSE, url -> node("eventsource.mjs", url)),
  CURL(Protocol.SSE, url -> node("curl.mjs", url)),
  DURABLE_STREAMS(Protocol.DURABLE_STREAMS, url -> node("durable.mjs", url));

  private static final Path MODULE = Path.of("stock-clients");
  private static final Path PYTHON_PACKAGES = Path.of("target", "stock-python");

  /** Names of topics in a protocol. */
  enum Protocol {
    STOMP {
      @Override
      String topic(String name) {
        return "/topic/" + name;
      }

      @Override
      String wildcard(String prefix) {
        return "/topic/" + prefix + ".*";
      }
    },
    MQTT {
      @Override
      String topic(String name) {
        return name.replace('.', '/');
      }

      @Override
      String wildcard(String prefix) {
        return prefix.replace('.', '/') + "/+";
      }
    },
    SSE {
      @Override
      String topic(String name) {
        return name;
      }

      @Override
      String wildcard(String prefix) {
        return prefix + ".*";
      }
    },
    DURABLE_STREAMS {
      @Override
      String topic(String name) {
        return name;
      }

      /** Returns a topic: a stream has one. */
      @Override
      String wildcard(String prefix) {
        return prefix + ".a";
      }
    };

    /** Returns the name of a topic with dots between its levels. */
    abstract String topic(String name);

    /** Returns the pattern of all topics one level below a prefix. */
    abstract String wildcard(String prefix);

    /** Returns whether clients resume from the position of their last message. */
    boolean hasPositions() {
      return this != MQTT;
    }

    /** Returns whether clients can recognize messages that another node repeats. */
    boolean marksRepeats() {
      return this != DURABLE_STREAMS;
    }

    boolean hasQueues() {
      return this == STOMP;
    }
  }

  final Protocol protocol;
  private final Function<String, ProcessBuilder> program;

  StockClient(Protocol protocol, Function<String, ProcessBuilder> program) {
    this.protocol = protocol;
    this.program = program;
  }

  /** Starts the client with the address of a server, as host:port. */
  StockProcess start(String address) throws IOException {
    return new StockProcess(this, program.apply(address));
  }

  /** Returns the first level of its topics. */
  String prefix() {
    return name().toLowerCase().replace('_', '-');
  }

  private static ProcessBuilder node(String script, String... arguments) {
    return command(Stream.of("node", "" + MODULE.resolve("node").resolve(script)), arguments);
  }

  private static ProcessBuilder java(String program, String... arguments) {
    Path target = MODULE.resolve("target");
    try {
      String libraries = Files.readString(target.resolve("class-path.txt"));
      return command(
          Stream.of(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-XX:TieredStopAtLevel=1",
              "-XX:+UseSerialGC",
              "-cp",
              target.resolve("classes") + File.pathSeparator + libraries,
              "io.sluice.stock." + program),
          arguments);
    } catch (IOException e) {
      throw new AssertionError("build the module gateway/stock-clients first", e);
    }
  }

  private static ProcessBuilder python(String script, String... arguments) {
    // -B writes no bytecode to the folder of the sources.
    ProcessBuilder builder =
        command(
            Stream.of("python3", "-B", "" + MODULE.resolve("python").resolve(script)), arguments);
    builder.environment().put("PYTHONPATH", "" + PYTHON_PACKAGES.toAbsolutePath());
    return builder;
  }

  private static ProcessBuilder command(Stream<String> program, String... arguments) {
    List<String> command = new ArrayList<>(Stream.concat(program, Stream.of(arguments)).toList());
    return new ProcessBuilder(command);
  }

  /** Returns what is missing on this machine to run the client; empty: nothing. */
  String missing() throws IOException, InterruptedException {
    if (this == CURL && !succeeds("curl", "--version")) {
      return "curl is not on the PATH; install it";
    }
    boolean needsPython = this == STOMP_PY || this == PAHO_PYTHON_3 || this == PAHO_PYTHON_5;
    return needsPython ? missingPython() : "";
  }

  /** Installs the Python packages unless a former test has. */
  private static String missingPython() throws IOException, InterruptedException {
    Path wanted = MODULE.resolve("requirements.txt");
    Path installed = PYTHON_PACKAGES.resolve("requirements.txt");
    if (Files.exists(installed) && Files.mismatch(wanted, installed) < 0) {
      return "";
    }
    boolean isInstalled =
        succeeds(
            "python3",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--upgrade",
            "--target",
            "" + PYTHON_PACKAGES,
            "--requirement",
            "" + wanted);
    if (!isInstalled) {
      return "python3 3.9 or later with pip cannot install " + wanted + "; install both";
    }
    Files.copy(wanted, installed);
    return "";
  }

  private static boolean succeeds(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
