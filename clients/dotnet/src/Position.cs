using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;
using Sluice.Internal;

namespace Sluice
{
    /// <summary>Position in the stream of a subscription, from which another client can resume.</summary>
    public sealed class Position
    {
        internal Position(string epoch, long offset, IReadOnlyList<string> ids, long? since, long? time)
        {
            Epoch = epoch;
            Offset = offset;
            Ids = ids;
            Since = since;
            Time = time;
        }

        internal string Epoch { get; }

        internal long Offset { get; }

        internal IReadOnlyList<string> Ids { get; }

        internal long? Since { get; }

        internal long? Time { get; }

        /// <summary>Reads a position that <see cref="ToJson"/> has written.</summary>
        /// <exception cref="SluiceException">A member is invalid; the message names it.</exception>
        public static Position Parse(string json)
        {
            try
            {
                return Of(new Frame(Frame.ParseObject(json ?? "", "position"), "position"));
            }
            catch (BadFrameException e)
            {
                throw SluiceException.InvalidArgument(e.Message);
            }
        }

        internal static Position Of(Frame frame)
        {
            List<string> ids = new List<string>();
            foreach (JToken id in frame.List("ids"))
            {
                ids.Add(id.Type == JTokenType.String ? (string)id : throw frame.Wrong("ids", "a list of strings"));
            }
            return new Position(
                frame.Text("epoch"),
                frame.Number("offset"),
                ids,
                frame.OptionalNumber("since"),
                frame.OptionalNumber("time"));
        }

        /// <summary>Returns the position as a JSON object, to be stored.</summary>
        public string ToJson()
        {
            return ToMembers().ToString(Formatting.None);
        }

        /// <inheritdoc/>
        public override string ToString()
        {
            return ToJson();
        }

        internal JObject ToMembers()
        {
            JObject members = new JObject { ["epoch"] = Epoch, ["offset"] = Offset };
            if (Ids.Count > 0)
            {
                members["ids"] = new JArray(Ids.Cast<object>().ToArray());
            }
            if (Since != null)
            {
                members["since"] = Since.Value;
            }
            if (Time != null)
            {
                members["time"] = Time.Value;
            }
            return members;
        }
    }
}
