using System;
using System.Collections.Generic;
using Newtonsoft.Json.Linq;

namespace Sluice.Internal
{
    /// <summary>Conversions between members of frames and values of the application.</summary>
    internal static class Members
    {
        private static readonly IReadOnlyDictionary<string, object> None = new Dictionary<string, object>();

        internal static DateTimeOffset Time(Frame frame, string member)
        {
            try
            {
                return DateTimeOffset.FromUnixTimeMilliseconds(frame.Number(member));
            }
            catch (ArgumentOutOfRangeException)
            {
                throw frame.Wrong(member, "a time in milliseconds since 1970");
            }
        }

        internal static IReadOnlyDictionary<string, object> Properties(Frame frame)
        {
            Frame properties = frame.OptionalObject("properties");
            if (properties == null)
            {
                return None;
            }
            Dictionary<string, object> values = new Dictionary<string, object>();
            foreach (JProperty property in properties.Members.Properties())
            {
                values[property.Name] = property.Value is JValue value && value.Value != null
                    ? value.Value
                    : throw properties.Wrong(property.Name, "a string, number or boolean");
            }
            return values;
        }

        internal static void AddAll(JObject frame, JObject others)
        {
            foreach (JProperty property in others.Properties())
            {
                frame[property.Name] = property.Value;
            }
        }

        internal static SluiceException ErrorOf(Frame frame)
        {
            return new SluiceException(frame.Text("code"), frame.Text("message"));
        }
    }
}
