using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using Newtonsoft.Json.Linq;
using Sluice.Internal;

namespace Sluice.Tests
{
    /// <summary>Tests of frames, close codes, backoff, payloads and options.</summary>
    internal static class UnitTests
    {
        internal static void ShouldNameTheInvalidMember()
        {
            Frame frame = Frame.Parse(
                "{\"type\":\"message\",\"offset\":\"7\",\"id\":\"xyz\",\"flag\":1,"
                    + "\"ref\":true,\"a\":{},\"big\":9223372036854775808}");
            Fails("message: offset must be an integer, not \"7\"", () => frame.Number("offset"));
            Fails("message: topic must be a string, not absent", () => frame.Text("topic"));
            Fails("message: flag must be a boolean, not 1", () => frame.Flag("flag"));
            Fails("message: ref must be an integer, not true", () => frame.OptionalNumber("ref"));
            Fails("message: id must be 16 hexadecimal digits, not \"xyz\"", () => frame.Id());
            Fails("message: a: b must be an integer, not absent", () => frame.Object("a").Number("b"));
            Fails("message: big must be an integer of 64 bits, not 9223372036854775808", () => frame.Number("big"));
        }

        private static void Fails(string message, Action call)
        {
            Check.Throws<BadFrameException>(message, call);
        }

        internal static void ShouldRequireAnObjectWithAType()
        {
            string deep = "{\"type\":" + new string('[', 100000);
            foreach (string text in new[] { "[]", "{}", "{", "{\"type\":1}", "{\"type\":\"a\"}{}", "", deep })
            {
                try
                {
                    Frame.Parse(text);
                }
                catch (BadFrameException)
                {
                    continue;
                }
                throw new InvalidOperationException("was accepted: " + text);
            }
        }

        internal static void ShouldKeepTextsThatLookLikeDates()
        {
            Frame frame = Frame.Parse("{\"type\":\"a\",\"payload\":\"2026-01-01T00:00:00Z\"}");
            Check.Equal("2026-01-01T00:00:00Z", Payload.Of(frame).Text);
        }

        internal static void ShouldMapCloseCodesToReactions()
        {
            Reaction(AfterClose.Retry, 1000, 1001, 1005, 1006, 1011, 1014, 4000, 4099);
            Reaction(AfterClose.RetryElsewhere, 4100, 4101, 4199);
            Reaction(AfterClose.DontRetry, 4200, 4201, 4203, 4204, 4205);
        }

        private static void Reaction(AfterClose expected, params int[] codes)
        {
            foreach (int code in codes)
            {
                Check.Equal(expected, CloseCodes.After(code));
            }
        }

        /// <summary>Socket of a platform that shows the headers of a refusal.</summary>
        private sealed class RefusedSocket
        {
            public IReadOnlyDictionary<string, IEnumerable<string>> HttpResponseHeaders =>
                new Dictionary<string, IEnumerable<string>> { ["retry-after"] = new[] { "7" } };
        }

        internal static void ShouldReadRetryAfter()
        {
            string[] headers = { "7", "0", "60", "61", "99999999999999999999", "-5", "2.5", "soon", "", null };
            int[] seconds = { 7, 0, 60, 60, 60, 0, 0, 0, 0, 0 };
            for (int i = 0; i < headers.Length; i++)
            {
                Check.Equal(TimeSpan.FromSeconds(seconds[i]), RetryAfter.Parse(headers[i]));
            }
            Check.Equal(TimeSpan.FromSeconds(7), RetryAfter.Of(new RefusedSocket(), new Exception("503")));
            Check.Equal(TimeSpan.Zero, RetryAfter.Of(new object(), new Exception("503", new WebException("no"))));
        }

        internal static void ShouldDoubleTheDelayUpToTheMaximum()
        {
            TimeSpan minimum = TimeSpan.FromSeconds(0.5);
            TimeSpan maximum = TimeSpan.FromSeconds(30);
            int[] failures = { 0, 1, 2, 3, 10000 };
            int[] bounds = { 500, 500, 1000, 2000, 30000 };
            for (int i = 0; i < bounds.Length; i++)
            {
                double longest = Enumerable.Range(0, 1000)
                    .Max(_ => CloseCodes.Backoff(failures[i], minimum, maximum).TotalMilliseconds);
                Check.True(longest <= bounds[i] && longest > bounds[i] / 2, bounds[i] + " as bound of " + longest);
            }
        }

        internal static void ShouldForgetTheOldestIdentity()
        {
            RecentIds ids = new RecentIds();
            Check.Sequence(
                new[] { "a", "b", "a", "c", "b", "a" }.Select(id => ids.Add(id, 2)), true, true, false, true, true, true);
        }

        internal static void ShouldEncodeAndDecodeEachKindOfPayload()
        {
            Check.Equal("{\"payload\":\"a\"}", Encoded("a"));
            Check.Equal("{\"encoding\":\"base64\",\"payload\":\"AQI=\"}", Encoded(new byte[] { 1, 2 }));
            JObject map = new JObject { ["a"] = 1, ["b"] = new byte[] { 3 } };
            Check.Equal(
                "{\"encoding\":\"json\",\"payload\":{\"a\":1,\"b\":{\"base64\":\"Aw==\"}}}",
                Encoded(Payload.FromJson(map)));
            Check.Equal(2, Decoded("{\"type\":\"a\",\"encoding\":\"base64\",\"payload\":\"AQI=\"}").Bytes.Length);
            Check.Equal("[1]", Decoded("{\"type\":\"a\",\"encoding\":\"json\",\"payload\":[1]}").Text);
            Fails(
                "a: payload must be base64, not \"?\"",
                () => Decoded("{\"type\":\"a\",\"encoding\":\"base64\",\"payload\":\"?\"}"));
            Fails(
                "a: encoding must be \"base64\" or \"json\" with an object or list as payload, not \"zip\"",
                () => Decoded("{\"type\":\"a\",\"encoding\":\"zip\",\"payload\":\"?\"}"));
        }

        private static string Encoded(Payload payload)
        {
            JObject frame = new JObject();
            payload.AddTo(frame);
            return frame.ToString(Newtonsoft.Json.Formatting.None);
        }

        private static Payload Decoded(string frame)
        {
            return Payload.Of(Frame.Parse(frame));
        }

        internal static void ShouldNameTheInvalidOption()
        {
            Refuses(
                "Urls must contain addresses like wss://example.com/ws, not \"\"",
                () => SluiceClient.Connect(new SluiceOptions()));
            Refuses(
                "Urls must contain addresses like wss://example.com/ws, not \"http://a\"",
                () => SluiceClient.Connect("http://a"));
            Refuses("MaxQueued must be at least 1, not 0", () => Connect(new SluiceOptions { MaxQueued = 0 }));
            Refuses("MaxPublishes must be at least 1, not 0", () => Connect(new SluiceOptions { MaxPublishes = 0 }));
            Refuses(
                "MaxFrameBytes must be at least 1, not -1",
                () => Connect(new SluiceOptions { MaxFrameBytes = -1 }));
            Refuses(
                "ConnectTimeout must be 1 ms to a day, not 00:00:00",
                () => Connect(new SluiceOptions { ConnectTimeout = TimeSpan.Zero }));
            Refuses(
                "MaxBackoff must be at least MinBackoff, not 00:00:00",
                () => Connect(new SluiceOptions { MaxBackoff = TimeSpan.Zero }));
            Refuses("Rate must be 0.001 to 1000, not 1001", () => new SubscribeOptions { Rate = 1001 }.ToMembers());
            Refuses("Where must not be blank", () => new SubscribeOptions { Where = " " }.ToMembers());
            Refuses("Credit must be at least 0, not -1", () => new ConsumeOptions { Credit = -1 }.ToMembers());
            Refuses("count must be 1 to 1000000, not 0", () => StartFrom.Last(0));
            Refuses("position: offset must be an integer, not absent", () => Position.Parse("{\"epoch\":\"e\"}"));
        }

        internal static void ShouldNameTheInvalidOptionOfAPublish()
        {
            Refuses(
                "id must have 1 to 128 characters, not 129",
                () => new PublishOptions { Id = new string('x', 129) }.ToMembers());
            Refuses("Priority must be 0 to 9, not 10", () => new PublishOptions { Priority = 10 }.ToMembers());
            Refuses(
                "TimeToLive must be at least 1 ms, not 00:00:00",
                () => new PublishOptions { TimeToLive = TimeSpan.Zero }.ToMembers());
            Refuses("option id is not available here", () => new PublishOptions { Id = "1" }.ToMembers("id"));
            Dictionary<string, object> properties = new Dictionary<string, object> { ["a"] = DateTime.MinValue };
            Refuses(
                "property a must be a string, number or boolean, not DateTime",
                () => new PublishOptions { Properties = properties }.ToMembers());
            Refuses("payload must not be null", () => Payload.FromText(null));
            Refuses("queue must not be empty", () => Destination.Queue(""));
        }

        private static void Connect(SluiceOptions options)
        {
            options.Urls.Add("ws://127.0.0.1:1/ws");
            SluiceClient.Connect(options).Dispose();
        }

        private static void Refuses(string message, Action call)
        {
            Check.Throws<SluiceException>(message, call);
        }

        internal static void ShouldFollowOnlySafeRedirects()
        {
            Check.True(Addresses.IsSafeRedirect("ws://a/ws", "wss://b/ws"), "upgrade");
            Check.True(Addresses.IsSafeRedirect("ws://a/ws", "ws://b/ws"), "same scheme");
            Check.True(!Addresses.IsSafeRedirect("wss://a/ws", "ws://b/ws"), "no downgrade");
            Check.True(!Addresses.IsSafeRedirect("ws://a/ws", "ws://b/ws#c"), "no fragment");
            Check.True(!Addresses.IsSafeRedirect("ws://a/ws", "https://b/ws"), "no other scheme");
        }
    }
}
