using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Sluice.Tests
{
    /// <summary>Connections and subscriptions with a scripted node; DotnetClientIT uses real ones.</summary>
    internal static class ClientTests
    {
        internal static void ShouldResumeByPositionAndDropDuplicates(Scene scene)
        {
            Subscription subscription =
                scene.Connect().Subscribe("a", message => scene.Add(message.Text), scene.Recording());
            Session first = scene.Node.Welcome();
            Check.Equal(null, first.Subscribed(4)["from"]);
            first.Message(5);
            scene.Expect("Live", "5");
            string position = "{\"epoch\":\"e\",\"offset\":5,\"ids\":[\"0000000000000005\"],\"since\":7}";
            Check.Equal(position, subscription.Position.ToJson());
            first.Close(4000);
            Session second = scene.Node.Welcome();
            JObject subscribe = second.Subscribed(6, "{\"replay\":2,\"recovered\":true}");
            Check.Equal(JObject.Parse(position), subscribe["from"]);
            second.Message(5);
            second.Message(6);
            scene.Expect("Pending", "Live", "6");
        }

        internal static void ShouldResumeAfterACutConnection(Scene scene)
        {
            scene.Connect().Subscribe("a", message => scene.Add(message.Text), scene.Recording());
            Session first = scene.Node.Welcome();
            first.Subscribed(4);
            scene.Expect("Live");
            first.Cut();
            scene.Node.Welcome().Subscribed(0, "{\"recovered\":false}");
            scene.Expect("Pending", "gap not-recovered", "Live");
        }

        internal static void ShouldReportGapsAndRefusals(Scene scene)
        {
            scene.Connect().Subscribe("a", message => { }, scene.Recording(StartFrom.Snapshot));
            Session session = scene.Node.Welcome();
            JObject subscribe = session.Subscribed(4);
            Check.Equal("snapshot", (string)subscribe["from"]);
            session.SendText("{\"type\":\"gap\",\"topic\":\"a\",\"reason\":\"overload\",\"offset\":9,\"time\":8}");
            session.Refuse(subscribe, "forbidden");
            scene.Expect("Live", "gap overload", "refused forbidden", "Closed");
        }

        internal static void ShouldRequestAgainAfterATemporaryRefusal(Scene scene)
        {
            scene.Connect().Subscribe("a", message => { }, scene.Recording());
            Session session = scene.Node.Welcome();
            JObject subscribe = session.Receive("subscribe");
            session.Refuse(subscribe, "rate-limited");
            Check.True((long)session.Subscribed(0)["ref"] != (long)subscribe["ref"], "another ref");
            scene.Expect("refused rate-limited", "Refused", "Live");
        }

        internal static void ShouldReconnectUnlessTheCloseCodeIsFinal(Scene scene)
        {
            int[] final = { 4200, 4201, 4203, 4204, 4205 };
            int[] odd = { 999, 2000, 3000, 3999, 4099, 4100, 4101, 4199, 4299, 4999, 65535 };
            IEnumerable<int> codes = Enumerable.Range(1000, 16)
                .Concat(Enumerable.Range(4000, 7)).Concat(Enumerable.Range(4200, 7)).Concat(odd);
            foreach (int code in codes)
            {
                ManualResetEvent closed = new ManualResetEvent(false);
                SluiceClient client = scene.Connect(
                    options => options.OnState = state => Signal(state == ConnectionState.Closed, closed));
                scene.Node.Welcome().Close(code);
                if (final.Contains(code))
                {
                    Check.True(closed.WaitOne(ScriptedNode.TimeoutMs), "closed after " + code);
                }
                else
                {
                    scene.Node.Accept();
                    Check.True(client.State != ConnectionState.Closed, "open after " + code);
                }
                client.Dispose();
            }
        }

        private static void Signal(bool condition, ManualResetEvent reached)
        {
            if (condition)
            {
                reached.Set();
            }
        }

        internal static void ShouldPassAnUnreadableFrame(Scene scene)
        {
            scene.Connect().Subscribe("a", message => { }, scene.Recording());
            Session session = scene.Node.Welcome();
            session.Subscribed(4);
            session.SendText("{\"type\":\"message\",\"topic\":\"a\",\"offset\":\"5\",\"id\":\"0000000000000005\"}");
            scene.ExpectInAnyOrder("Live", "error bad-answer", "gap unreadable");
            session.Cut();
            JToken from = scene.Node.Welcome().Receive("subscribe")["from"];
            Check.Equal(5L, (long)from["offset"]);
            Check.Equal("0000000000000005", (string)from["ids"][0]);
        }

        internal static void ShouldTryTheNextAddressAfterAFailure(Scene scene)
        {
            SluiceClient client = scene.Connect(
                options => options.Urls = new List<string> { "ws://127.0.0.1:1/ws", scene.Node.Url });
            scene.Node.Welcome();
            scene.ExpectNothing();
            Check.True(client.LastFailure.StartsWith("1006 "), client.LastFailure + " as the failure");
        }

        internal static void ShouldReconnectIfNoHelloArrivesInTime(Scene scene)
        {
            scene.Connect(options => options.ConnectTimeout = TimeSpan.FromMilliseconds(300));
            scene.Node.Accept().Receive("connect");
            scene.Node.Welcome();
        }

        internal static void ShouldReconnectIfNothingArrivesWithinTwoPingIntervals(Scene scene)
        {
            scene.Connect();
            JObject hello = ScriptedNode.Hello;
            hello["pingInterval"] = 100;
            Session first = scene.Node.Welcome(hello);
            first.Receive("ping");
            scene.Node.Welcome();
        }

        internal static void ShouldFollowARedirectInsteadOfHello(Scene scene)
        {
            using (ScriptedNode other = new ScriptedNode())
            {
                scene.Connect();
                Session first = scene.Node.Accept();
                Check.Equal(null, first.Receive("connect")["redirected"]);
                first.Send(new JObject { ["type"] = "redirect", ["url"] = other.Url });
                Check.Equal(true, (bool)other.Accept().Receive("connect")["redirected"]);
            }
        }

        internal static void ShouldRejectARedirectToAnInvalidAddress(Scene scene)
        {
            scene.Connect();
            foreach (string url in new[] { "ws://127.0.0.1:99999/ws", "http://127.0.0.1/ws", "ws://a/ws#b" })
            {
                scene.Node.Accept().Send(new JObject { ["type"] = "redirect", ["url"] = url });
                scene.Expect("error bad-answer");
            }
            scene.Node.Welcome();
        }

        internal static void ShouldMoveFromADrainingNodeWhenAllIsAnswered(Scene scene)
        {
            using (ScriptedNode other = new ScriptedNode())
            {
                SluiceClient client = scene.Connect(options => options.OnState = state => scene.Add(state.ToString()));
                Session session = scene.Node.Welcome();
                Task publishing = client.PublishAsync("a", "1");
                JObject publish = session.Receive("publish");
                session.Send(new JObject { ["type"] = "draining", ["deadline"] = 9000000, ["url"] = other.Url });
                scene.Expect("Open", "Draining");
                session.Answer(publish, "published");
                Scene.Await(publishing);
                Check.Equal(1000, (int)session.Receive("closed")["code"]);
                Check.Equal(true, (bool)other.Accept().Receive("connect")["redirected"]);
                scene.Expect("Connecting");
            }
        }

        internal static void ShouldKeepPublishesForTheNextNodeDuringAMove(Scene scene)
        {
            using (ScriptedNode other = new ScriptedNode())
            {
                SluiceClient client = scene.Connect(options => options.OnState = state => scene.Add(state.ToString()));
                Session session = scene.Node.Welcome();
                Task first = client.PublishAsync("a", "1");
                JObject publish = session.Receive("publish");
                session.Send(new JObject { ["type"] = "redirect", ["url"] = other.Url });
                scene.Expect("Open", "Draining");
                Task second = client.PublishAsync("a", "2");
                session.Answer(publish, "published");
                Check.Equal(1000, (int)session.Receive("closed")["code"]);
                // The node has not answered the close frame yet.
                Task third = client.PublishAsync("a", "3");
                Session next = other.Welcome();
                next.Answer(next.Receive("publish"), "published");
                next.Answer(next.Receive("publish"), "published");
                Scene.Await(Task.WhenAll(first, second, third));
            }
        }

        internal static void ShouldLetHandlersPublishDuringAMove(Scene scene)
        {
            SluiceClient client = scene.Connect();
            SemaphoreSlim permits = new SemaphoreSlim(0);
            client.Queue("q").Consume(
                async delivery =>
                {
                    scene.Add(delivery.Text);
                    await permits.WaitAsync();
                    await client.PublishAsync("a", "1");
                });
            Session session = scene.Node.Welcome();
            session.Deliver((long)session.Receive("consume")["ref"], 1, "1");
            scene.Expect("1");
            session.Send(new JObject { ["type"] = "redirect", ["url"] = scene.Node.Url });
            session.Receive("credit");
            permits.Release();
            session.Answer(session.Receive("publish"), "published");
            session.Answer(session.Receive("ack"), "settled");
            session.Receive("closed");
            scene.Node.Welcome().Receive("consume");
        }

        internal static void ShouldIgnoreAddressesOfTheNodeIfRedirectsAreDisabled(Scene scene)
        {
            SluiceClient client = scene.Connect(options => options.FollowRedirects = false);
            Session session = scene.Node.Welcome();
            session.Send(new JObject { ["type"] = "redirect", ["url"] = "ws://127.0.0.1:1/ws" });
            Task publishing = client.PublishAsync("a", "1");
            session.Answer(session.Receive("publish"), "published");
            Scene.Await(publishing);
            session.Send(
                new JObject { ["type"] = "draining", ["deadline"] = 9000000, ["url"] = "ws://127.0.0.1:1/ws" });
            session.Receive("closed");
            scene.Node.Welcome();
            scene.ExpectNothing();
        }

        internal static void ShouldUseOneNewTokenAfterExpiryAndThenStop(Scene scene)
        {
            int tokens = 0;
            SluiceClient client = scene.Connect(options => options.Token = _ => Task.FromResult("t" + ++tokens));
            Task publishing = client.PublishAsync("a", "1");
            client.Subscribe("a", message => { }, scene.Recording());
            for (int i = 1; i <= 2; i++)
            {
                Session session = scene.Node.Accept();
                Check.Equal("t" + i, (string)session.Receive("connect")["token"]);
                session.Close(i == 1 ? 4201 : 4200);
            }
            Scene.Fails("closed", () => publishing);
            Scene.Fails("closed", () => client.PublishAsync("a", "2"));
            Check.Equal(ConnectionState.Closed, client.State);
        }

        internal static void ShouldReportAFailureOfTheTokenSupplier(Scene scene)
        {
            int tokens = 0;
            scene.Connect(
                options => options.Token =
                    _ => tokens++ == 0 ? throw new InvalidOperationException("no") : Task.FromResult("t"));
            scene.Node.Accept();
            scene.Expect("error no-token");
            Check.Equal("t", (string)scene.Node.Accept().Receive("connect")["token"]);
        }

        internal static void ShouldRefreshTheTokenBeforeItExpires(Scene scene)
        {
            scene.Connect(options => options.Token = _ => Task.FromResult("t"));
            JObject hello = ScriptedNode.Hello;
            hello["expires"] = 1100;
            Check.Equal("t", (string)scene.Node.Welcome(hello).Receive("refresh")["token"]);
        }

        internal static void ShouldStopReadingWhileAHandlerIsSlow(Scene scene)
        {
            SluiceClient client = scene.Connect(
                options =>
                {
                    options.MaxQueued = 2;
                    options.OnState = state => scene.Add(state.ToString());
                });
            SemaphoreSlim permits = new SemaphoreSlim(0);
            client.Subscribe(
                "a",
                async message =>
                {
                    scene.Add(message.Text);
                    await permits.WaitAsync();
                });
            Session session = scene.Node.Welcome();
            session.Subscribed(0);
            for (int offset = 1; offset <= 10; offset++)
            {
                session.Message(offset);
            }
            session.SendText("{\"type\":\"stale\"}");
            scene.Expect("Open", "1");
            for (int offset = 2; offset <= 7; offset++)
            {
                permits.Release();
                scene.Expect(offset.ToString());
            }
            // The frame after the messages is not read yet: three messages wait, the third for room.
            Check.Equal(ConnectionState.Open, client.State);
            permits.Release(10);
            scene.ExpectInAnyOrder("8", "9", "10", "Stale");
        }

        internal static void ShouldReadAnswersWhileAHandlerWaitsForThem(Scene scene)
        {
            SluiceClient client = scene.Connect(options => options.MaxQueued = 2);
            client.Subscribe(
                "a",
                async message =>
                {
                    await client.PublishAsync("b", message.Payload);
                    scene.Add(message.Text);
                });
            Session session = scene.Node.Welcome();
            session.Subscribed(0);
            for (int offset = 1; offset <= 20; offset++)
            {
                session.Message(offset);
            }
            for (int offset = 1; offset <= 20; offset++)
            {
                session.Answer(session.Receive("publish"), "published");
                scene.Expect(offset.ToString());
            }
        }

        internal static void ShouldContinueAfterAHandlerHasFailed(Scene scene)
        {
            Action<Message> handler = message => throw new InvalidOperationException(message.Text);
            scene.Connect().Subscribe("a", handler);
            Session session = scene.Node.Welcome();
            session.Subscribed(0);
            session.Message(1);
            session.Message(2);
            scene.Expect("error handler-failed", "error handler-failed");
        }

        internal static void ShouldCallAFailingHandlerAfterTheReport(Scene scene)
        {
            SemaphoreSlim permits = new SemaphoreSlim(0);
            SluiceClient client = scene.Connect(options => options.OnError = error => Report(scene, permits, error));
            client.Subscribe("a", message => Fail(scene, message.Text));
            Session session = scene.Node.Welcome();
            session.Subscribed(0);
            session.Message(1);
            session.Message(2);
            PublishAndRelease(client, session, permits);
            scene.Expect("1", "error handler-failed", "2", "error handler-failed");
        }

        internal static void ShouldCallAFailingHandlerOfAConsumerAfterTheReport(Scene scene)
        {
            SemaphoreSlim permits = new SemaphoreSlim(0);
            SluiceClient client = scene.Connect();
            client.Queue("q").Consume(
                delivery => Fail(scene, delivery.Text),
                new ConsumeOptions { ManualAck = true, OnError = error => Report(scene, permits, error) });
            Session session = scene.Node.Welcome();
            long reference = (long)session.Receive("consume")["ref"];
            session.Deliver(reference, 1, "1");
            session.Answer(session.Receive("release"), "settled");
            session.Deliver(reference, 2, "2");
            PublishAndRelease(client, session, permits);
            scene.Expect("1", "error handler-failed", "2", "error handler-failed");
        }

        private static void Fail(Scene scene, string text)
        {
            scene.Add(text);
            throw new InvalidOperationException(text);
        }

        private static void Report(Scene scene, SemaphoreSlim permits, SluiceException error)
        {
            permits.Wait(ScriptedNode.TimeoutMs);
            scene.Add("error " + error.Code);
        }

        /// <summary>Permits two reports after the client has read all frames that were sent.</summary>
        private static void PublishAndRelease(SluiceClient client, Session session, SemaphoreSlim permits)
        {
            Task publishing = client.PublishAsync("b", "1");
            session.Answer(session.Receive("publish"), "published");
            Scene.Await(publishing);
            permits.Release(2);
        }

        internal static void ShouldEndASubscriptionAtTheNode(Scene scene)
        {
            SluiceClient client = scene.Connect();
            Subscription subscription = client.Subscribe("a", message => { }, scene.Recording());
            Session session = scene.Node.Welcome();
            session.Subscribed(0);
            scene.Expect("Live");
            Check.Throws<SluiceException>("a subscription exists: a", () => client.Subscribe("a", message => { }));
            Scene.Await(subscription.CloseAsync());
            Check.Equal("a", (string)session.Receive("unsubscribe")["topic"]);
            scene.Expect("Closed");
            client.Subscribe("a", message => { });
            Check.Equal(null, session.Receive("subscribe")["from"]);
        }

        internal static void ShouldEndTheConnectionAfterAFrameOverTheLimit(Scene scene)
        {
            SluiceClient client = scene.Connect(options => options.MaxFrameBytes = 1000);
            client.Subscribe("a", message => scene.Add(message.Text), scene.Recording());
            Session session = scene.Node.Welcome();
            session.Subscribed(0);
            scene.Expect("Live");
            session.SendText("{\"type\":\"unknown\",\"x\":\"" + new string('x', 975) + "\"}");
            session.Message(1);
            scene.Expect("1");
            session.SendText("{\"type\":\"unknown\",\"x\":\"" + new string('x', 976) + "\"}");
            Check.Equal(1L, (long)scene.Node.Welcome().Receive("subscribe")["from"]["offset"]);
        }
    }
}
