package io.sluice.gateway;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Keeps the packages' one direction of imports, and each library in its place. */
@AnalyzeClasses(
    packages = "io.sluice.gateway",
    importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {
  private static final String ROOT = "io.sluice.gateway";

  @ArchTest
  static final ArchRule layersImportDownwards =
      layeredArchitecture()
          .consideringOnlyDependenciesInAnyPackage(ROOT + "..")
          .layer("cli")
          .definedBy(ROOT + ".cli..")
          .layer("root")
          .definedBy(ROOT)
          .layer("membership")
          .definedBy(ROOT + ".membership..")
          .layer("transport")
          .definedBy(ROOT + ".transport..")
          .layer("session")
          .definedBy(ROOT + ".session..")
          .layer("hub")
          .definedBy(ROOT + ".hub..")
          .layer("broker")
          .definedBy(ROOT + ".broker..")
          .layer("journal")
          .definedBy(ROOT + ".journal..")
          .layer("auth")
          .definedBy(ROOT + ".auth..")
          .layer("admin")
          .definedBy(ROOT + ".admin..")
          .layer("feed")
          .definedBy(ROOT + ".feed..")
          .layer("protocol")
          .definedBy(ROOT + ".protocol..")
          .layer("config")
          .definedBy(ROOT + ".config..")
          .layer("metrics")
          .definedBy(ROOT + ".metrics..")
          .whereLayer("cli")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("root")
          .mayOnlyBeAccessedByLayers("cli")
          .whereLayer("feed")
          .mayOnlyBeAccessedByLayers("cli")
          .whereLayer("membership")
          .mayOnlyBeAccessedByLayers("root")
          .whereLayer("transport")
          .mayOnlyBeAccessedByLayers("root", "cli", "membership")
          .whereLayer("admin")
          .mayOnlyBeAccessedByLayers("root")
          .whereLayer("session")
          .mayOnlyBeAccessedByLayers("root", "transport", "admin")
          .whereLayer("hub")
          .mayOnlyBeAccessedByLayers("root", "membership", "transport", "session", "admin")
          .whereLayer("broker")
          .mayOnlyBeAccessedByLayers("root", "session", "hub", "admin")
          .whereLayer("journal")
          .mayOnlyBeAccessedByLayers("root", "hub")
          .whereLayer("auth")
          .mayOnlyBeAccessedByLayers("root", "transport", "session", "admin");

  @ArchTest
  static final ArchRule baseImportsNoneOfOurs =
      noClasses()
          .that()
          .resideInAnyPackage(ROOT + ".protocol..", ROOT + ".config..", ROOT + ".metrics..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              ROOT,
              ROOT + ".cli..",
              ROOT + ".transport..",
              ROOT + ".session..",
              ROOT + ".hub..",
              ROOT + ".broker..",
              ROOT + ".journal..",
              ROOT + ".auth..",
              ROOT + ".admin..",
              ROOT + ".membership..",
              ROOT + ".feed..");

  @ArchTest
  static final ArchRule authImportsOnlyTheBase =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".auth..")
          .should()
          .dependOnClassesThat(
              resideInAPackage(ROOT + "..")
                  .and(
                      resideOutsideOfPackages(
                          ROOT + ".auth..",
                          ROOT + ".protocol..",
                          ROOT + ".config..",
                          ROOT + ".metrics..")));

  @ArchTest
  static final ArchRule journalImportsOnlyProtocol =
      noClasses()
          .that()
          .resideInAPackage(ROOT + ".journal..")
          .should()
          .dependOnClassesThat(
              resideInAPackage(ROOT + "..")
                  .and(resideOutsideOfPackages(ROOT + ".journal..", ROOT + ".protocol..")));

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
  static final ArchRule onlyTheMembershipSpeaksToTheCluster =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT, ROOT + ".membership..", ROOT + ".admin..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.sluice.cluster..", "org.jgroups..");

  @ArchTest
  static final ArchRule onlyTransportHandlesChannels =
      noClasses()
          .that()
          .resideOutsideOfPackage(ROOT + ".transport..")
          .and()
          .haveNameNotMatching(".*\\.AdminTlsEngine.*") // counts accepted connections
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.netty.channel..", "io.netty.handler..");

  @ArchTest
  static final ArchRule onlyTransportAndAdminServeHttp =
      noClasses()
          .that()
          .resideOutsideOfPackages(ROOT + ".transport..", ROOT + ".admin..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.vertx.core.http..", "io.vertx.core.net..");

  @ArchTest
  static final ArchRule onlyTheTakeoverKnowsVertxInternals =
      classes()
          .that()
          .resideInAPackage(ROOT + ".transport..")
          .and()
          .doNotHaveSimpleName("Takeover")
          .should()
          .onlyDependOnClassesThat()
          .resideOutsideOfPackages("io.vertx.core.impl..", "io.vertx.core.net.impl..");
}
