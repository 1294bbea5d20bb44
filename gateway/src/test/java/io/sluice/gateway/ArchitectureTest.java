package io.sluice.gateway;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.ObjectCodec;
import com.fasterxml.jackson.core.TSFBuilder;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.domain.properties.HasOwner;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.sluice.testkit.PackageSizes;
import io.vertx.core.spi.json.JsonCodec;

/**
 * Tests of cycles between packages, and of the packages that may use a library. Maven tests the
 * import direction between modules: each has only those below it on its class path.
 */
@AnalyzeClasses(packages = "io.sluice.gateway", importOptions = MainClasses.class)
final class ArchitectureTest {
  private static final String ROOT = "io.sluice.gateway";

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("io.sluice.(**)").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule onlyJsonTextCreatesGenerators =
      noClasses()
          .that()
          .haveNameNotMatching(".*\\.JsonText")
          .should()
          .callMethodWhere(
              JavaCall.Predicates.target(HasName.Predicates.name("createGenerator"))
                  .and(
                      JavaCall.Predicates.target(
                          HasOwner.Predicates.With.owner(
                              JavaClass.Predicates.assignableTo(JsonFactory.class)))));

  /** A second factory could intern names of strangers, or read without bounds. */
  @ArchTest
  static final ArchRule onlyJsonReaderHasAFactory =
      noClasses()
          .that()
          .haveNameNotMatching(".*\\.value\\.(JsonReader|JsonText|VertxJson(\\$.*)?)")
          .should()
          .dependOnClassesThat(
              assignableTo(JsonFactory.class)
                  .or(assignableTo(TSFBuilder.class))
                  .or(assignableTo(ObjectCodec.class))
                  .or(assignableTo(JsonCodec.class))
                  .or(resideInAnyPackage("com.fasterxml.jackson.databind..", "org.jose4j.json..")));

  @ArchTest
  static final ArchRule onlyJsonReaderCreatesItsFactory =
      noClasses()
          .that()
          .haveNameNotMatching(".*\\.JsonReader")
          .should()
          .callMethodWhere(
              JavaCall.Predicates.target(HasName.Predicates.name("builder"))
                  .and(
                      JavaCall.Predicates.target(
                          HasOwner.Predicates.With.owner(assignableTo(JsonFactory.class)))))
          .orShould()
          .callConstructorWhere(
              JavaCall.Predicates.target(
                  HasOwner.Predicates.With.owner(assignableTo(JsonFactory.class))));

  @ArchTest
  static final ArchRule onlyTraceUsesOpenTelemetry =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + ".trace..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.opentelemetry..");

  @ArchTest
  static final ArchRule onlyMulticastUsesAeron =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + ".multicast..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.aeron..", "org.agrona..");

  @ArchTest
  static final ArchRule onlyTheJournalSpeaksSql =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + ".journal..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.sql..", "org.sqlite..");

  @ArchTest
  static final ArchRule onlyBrokerAndFeedSpeakJms =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT + ".broker..", ROOT + ".feed..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("jakarta.jms..", "org.apache.activemq..", "org.apache.artemis..");

  @ArchTest
  static final ArchRule theHubsBrokerHasNoJms =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".broker")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("jakarta.jms..", "org.apache.activemq..", "org.apache.artemis..");

  @ArchTest
  static final ArchRule onlyTheMembershipSpeaksToTheCluster =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT, ROOT + ".membership..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.sluice.cluster", "io.sluice.cluster.peer..", "org.jgroups..");

  @ArchTest
  static final ArchRule onlyTheClientsPortHandlesChannels =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              ROOT + ".http..", ROOT + ".admission..", ROOT + ".tls..", ROOT + ".socket..")
          .and()
          .haveNameNotMatching(".*\\.AdminTlsEngine.*") // counts accepted connections
          .and()
          .haveNameNotMatching(".*\\.ArtemisConnectors.*") // reads why Artemis' client failed
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.netty.channel..", "io.netty.handler..");

  @ArchTest
  static final ArchRule onlyTheClientsPortAndAdminServeHttp =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              ROOT + ".http..",
              ROOT + ".admission..",
              ROOT + ".tls..",
              ROOT + ".socket..",
              ROOT + ".admin..",
              ROOT + ".link..", // links between nodes
              ROOT + ".streams..", // requests to topics
              ROOT + ".stomp..", // description of the endpoint for SockJS
              ROOT + ".cli..") // the documentation site, and clients that train a node
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.vertx.core.http..", "io.vertx.core.net..");

  @ArchTest
  static final ArchRule onlyHandoverAndTransportUseVertxInternals =
      classes()
          .that()
          .resideInAnyPackage(
              ROOT + ".http..", ROOT + ".admission..", ROOT + ".tls..", ROOT + ".socket..")
          .and()
          .haveNameNotMatching(".*\\.(SocketHandover|ClientTransport(\\$.*)?)")
          .should()
          .onlyDependOnClassesThat()
          .resideOutsideOfPackages("io.vertx.core.impl..", "io.vertx.core.net.impl..");

  @ArchTest
  static final ArchRule onlyOptionsReadTheConfiguration =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT, ROOT + ".node", ROOT + ".cli..", ROOT + ".config..")
          .and()
          .haveNameNotMatching(".*(Options|Limits|Config|Rules)(\\$.*)?")
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName(ROOT + ".config.Config");

  @ArchTest
  static void noCycleWithinAPackageHasMoreThan5Files(JavaClasses classes) {
    assertThat(PackageSizes.cyclesAbove(classes, 5)).isEmpty();
  }
}
