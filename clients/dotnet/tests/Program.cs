using System;
using System.Collections.Generic;
using System.IO;

namespace Sluice.Tests
{
    /// <summary>
    /// Runs the tests that need no node: Sluice.Client.Tests.exe docs/protocol/continuity.json;
    /// or those with a real one: Sluice.Client.Tests.exe --node ws://localhost:8080/ws
    /// </summary>
    public static class Program
    {
        private static readonly Action[] Tests =
        {
            UnitTests.ShouldNameTheInvalidMember,
            UnitTests.ShouldRequireAnObjectWithAType,
            UnitTests.ShouldKeepTextsThatLookLikeDates,
            UnitTests.ShouldMapCloseCodesToReactions,
            UnitTests.ShouldReadRetryAfter,
            UnitTests.ShouldDoubleTheDelayUpToTheMaximum,
            UnitTests.ShouldForgetTheOldestIdentity,
            UnitTests.ShouldEncodeAndDecodeEachKindOfPayload,
            UnitTests.ShouldNameTheInvalidOption,
            UnitTests.ShouldNameTheInvalidOptionOfAPublish,
            UnitTests.ShouldFollowOnlySafeRedirects
        };

        private static readonly Action<Scene>[] Scenes =
        {
            ClientTests.ShouldResumeByPositionAndDropDuplicates,
            ClientTests.ShouldResumeAfterACutConnection,
            ClientTests.ShouldReportGapsAndRefusals,
            ClientTests.ShouldRequestAgainAfterATemporaryRefusal,
            ClientTests.ShouldReconnectUnlessTheCloseCodeIsFinal,
            ClientTests.ShouldPassAnUnreadableFrame,
            ClientTests.ShouldTryTheNextAddressAfterAFailure,
            ClientTests.ShouldReconnectIfNoHelloArrivesInTime,
            ClientTests.ShouldReconnectIfNothingArrivesWithinTwoPingIntervals,
            ClientTests.ShouldFollowARedirectInsteadOfHello,
            ClientTests.ShouldRejectARedirectToAnInvalidAddress,
            ClientTests.ShouldMoveFromADrainingNodeWhenAllIsAnswered,
            ClientTests.ShouldKeepPublishesForTheNextNodeDuringAMove,
            ClientTests.ShouldLetHandlersPublishDuringAMove,
            ClientTests.ShouldIgnoreAddressesOfTheNodeIfRedirectsAreDisabled,
            ClientTests.ShouldUseOneNewTokenAfterExpiryAndThenStop,
            ClientTests.ShouldReportAFailureOfTheTokenSupplier,
            ClientTests.ShouldRefreshTheTokenBeforeItExpires,
            ClientTests.ShouldStopReadingWhileAHandlerIsSlow,
            ClientTests.ShouldReadAnswersWhileAHandlerWaitsForThem,
            ClientTests.ShouldContinueAfterAHandlerHasFailed,
            ClientTests.ShouldCallAFailingHandlerAfterTheReport,
            ClientTests.ShouldCallAFailingHandlerOfAConsumerAfterTheReport,
            ClientTests.ShouldEndASubscriptionAtTheNode,
            ClientTests.ShouldEndTheConnectionAfterAFrameOverTheLimit,
            CallTests.ShouldRepeatOnlyPublishesWithAnId,
            CallTests.ShouldSendPublishesInTheirOrder,
            CallTests.ShouldLimitUnansweredPublishesAndTheirTime,
            CallTests.ShouldCancelAPublish,
            CallTests.ShouldLimitTheTimeOfPublishesWhileTheNodeDoesNotRead,
            CallTests.ShouldReportRefusedPublishes,
            CallTests.ShouldSendRequests,
            CallTests.ShouldSettleByTheOutcomeOfTheHandler,
            CallTests.ShouldSettleManually,
            CallTests.ShouldAcknowledgeInATransaction,
            CallTests.ShouldForgetDeliveriesThatHaveReturned,
            CallTests.ShouldConsumeAgainAfterALostConnection,
            CallTests.ShouldLetAHandlerCloseItsConsumerAndTheClient
        };

        /// <summary>Returns 0 if all tests pass, otherwise 1.</summary>
        public static int Main(string[] arguments)
        {
            List<string> failures = new List<string>();
            if (arguments.Length == 2 && arguments[0] == "--node")
            {
                Run("node", () => NodeTests.Run(arguments[1]), failures);
                return Report(failures);
            }
            if (arguments.Length != 1)
            {
                Console.Error.WriteLine("usage: Sluice.Client.Tests.exe CONTINUITY_JSON | --node URL");
                return 2;
            }
            Run("scenarios", () => Console.WriteLine("SCENARIOS " + ContinuityTest.Run(arguments[0])), failures);
            string unreadable = Path.Combine(Path.GetDirectoryName(arguments[0]), "unreadable.json");
            Run("unreadable frames", () => UnreadableTest.Run(unreadable), failures);
            foreach (Action test in Tests)
            {
                Run(test.Method.Name, test, failures);
            }
            foreach (Action<Scene> test in Scenes)
            {
                Run(test.Method.Name, () => Play(test), failures);
            }
            return Report(failures);
        }

        private static int Report(List<string> failures)
        {
            Console.WriteLine(failures.Count == 0 ? "PASSED" : "FAILED " + string.Join(", ", failures));
            return failures.Count == 0 ? 0 : 1;
        }

        private static void Play(Action<Scene> test)
        {
            using (Scene scene = new Scene())
            {
                test(scene);
            }
        }

        private static void Run(string name, Action test, List<string> failures)
        {
            try
            {
                test();
            }
            catch (Exception e)
            {
                failures.Add(name);
                Console.WriteLine(name + ": " + e);
            }
        }
    }
}
