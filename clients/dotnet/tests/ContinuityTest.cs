using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Newtonsoft.Json.Linq;
using Sluice.Internal;

namespace Sluice.Tests
{
    /// <summary>Plays the scenarios of docs/protocol/continuity.json.</summary>
    internal static class ContinuityTest
    {
        private const int MinScenarios = 40;

        internal static int Run(string file)
        {
            JArray scenarios = (JArray)Frame.ParseObject(File.ReadAllText(file), "scenarios")["scenarios"];
            Check.True(scenarios.Count > MinScenarios, "more than 40 scenarios in " + file);
            foreach (JToken scenario in scenarios)
            {
                try
                {
                    Play((JObject)scenario);
                }
                catch (Exception e)
                {
                    throw new InvalidOperationException("scenario \"" + scenario["name"] + "\": " + e.Message, e);
                }
            }
            return scenarios.Count;
        }

        private static void Play(JObject scenario)
        {
            Player player = new Player(Start(scenario["asks"]["from"]));
            foreach (JToken step in scenario["steps"])
            {
                player.Play(((JObject)step).Properties().Single());
            }
            player.RequireNoAction();
        }

        private static StartFrom Start(JToken from)
        {
            if (from == null || from.Type == JTokenType.String)
            {
                return (string)from == "snapshot" ? StartFrom.Snapshot : StartFrom.Now;
            }
            return from["last"] != null
                ? StartFrom.Last((int)from["last"])
                : StartFrom.At(Position.Parse(from.ToString()));
        }

        /// <summary>Records the actions of the client until the scenario expects them.</summary>
        private sealed class Player
        {
            private readonly Queue<JProperty> _actions = new Queue<JProperty>();
            private readonly Continuity _continuity;
            private long _overlap;

            internal Player(StartFrom from)
            {
                _continuity = new Continuity(from);
            }

            internal void Play(JProperty step)
            {
                switch (step.Name)
                {
                    case "position":
                        Check.Equal(step.Value, _continuity.Position?.ToMembers() ?? (JToken)JValue.CreateNull());
                        break;
                    case "subscribe":
                    case "gap":
                    case "deliver":
                    case "drop":
                        Check.True(_actions.Count > 0, "the client has performed " + step);
                        Check.Equal(step, (JToken)_actions.Dequeue());
                        break;
                    default:
                        RequireNoAction();
                        Apply(step);
                        break;
                }
            }

            internal void RequireNoAction()
            {
                Check.Sequence(_actions.Select(action => action.ToString()));
            }

            private void Apply(JProperty step)
            {
                if (step.Name == "connect")
                {
                    _overlap = (long)step.Value["overlap"];
                    JToken from = _continuity.Subscribe().Value;
                    Record("subscribe", from == null ? new JObject() : new JObject { ["from"] = from });
                }
                else if (step.Name == "receive")
                {
                    Receive(new Frame((JObject)step.Value));
                }
                else
                {
                    Check.Equal("disconnect", step.Name);
                }
            }

            private void Receive(Frame frame)
            {
                string reason = null;
                switch (frame.Kind)
                {
                    case "subscribed":
                        reason = _continuity.Subscribed(frame, _overlap);
                        break;
                    case "message":
                        Record(_continuity.Message(frame) ? "deliver" : "drop", frame.Id());
                        break;
                    case "gap":
                        reason = _continuity.Gap(frame);
                        break;
                    default:
                        _continuity.CaughtUp(frame.Number("time"));
                        break;
                }
                if (reason != null)
                {
                    Record("gap", reason);
                }
            }

            private void Record(string name, JToken value)
            {
                _actions.Enqueue(new JProperty(name, value));
            }
        }
    }
}
