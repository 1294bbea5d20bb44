using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Sluice.Internal
{
    /// <summary>Frame of the node, or an object within it. Accessors name a member of the wrong kind.</summary>
    internal sealed class Frame
    {
        private const int MaxShown = 80;
        private const int MaxDepth = 64;
        private static readonly Regex IdPattern = new Regex("\\A[0-9a-f]{16}\\z");

        internal Frame(JObject members)
        {
            Members = members;
            Kind = "frame";
            Kind = Text("type");
        }

        internal Frame(JObject members, string name)
        {
            Members = members;
            Kind = name;
        }

        internal JObject Members { get; }

        /// <summary>Type of the frame, or the name of the object.</summary>
        internal string Kind { get; }

        internal static Frame Parse(string text)
        {
            return new Frame(ParseObject(text, "frame"));
        }

        internal static JObject ParseObject(string text, string name)
        {
            try
            {
                if (ReadToken(text) is JObject members)
                {
                    return members;
                }
            }
            catch (JsonException e)
            {
                throw new BadFrameException(name + " is not JSON: " + e.Message, e);
            }
            throw new BadFrameException(name + " must be a JSON object, not " + Shorten(text));
        }

        /// <summary>Parses a JSON value, without the conversion of texts that look like dates.</summary>
        internal static JToken ReadToken(string text)
        {
            using (JsonTextReader reader = new JsonTextReader(new StringReader(text)))
            {
                reader.DateParseHandling = DateParseHandling.None;
                reader.MaxDepth = MaxDepth;
                JToken token = JToken.ReadFrom(reader);
                while (reader.Read())
                {
                    if (reader.TokenType != JsonToken.Comment)
                    {
                        throw new JsonReaderException("text follows the value");
                    }
                }
                return token;
            }
        }

        internal bool Has(string member)
        {
            return Members[member] != null;
        }

        internal string Text(string member)
        {
            return (string)Require(member, JTokenType.String, "a string");
        }

        internal string OptionalText(string member)
        {
            return Has(member) ? Text(member) : null;
        }

        internal long Number(string member)
        {
            JToken value = Require(member, JTokenType.Integer, "an integer");
            if (((JValue)value).Value is long number)
            {
                return number;
            }
            throw Wrong(member, "an integer of 64 bits");
        }

        internal long? OptionalNumber(string member)
        {
            return Has(member) ? Number(member) : (long?)null;
        }

        /// <summary>Returns a member that is an integer of 64 bits; null for anything else.</summary>
        internal long? Integer(string member)
        {
            return Members[member] is JValue value && value.Value is long number ? number : (long?)null;
        }

        internal bool Flag(string member)
        {
            return Has(member) && (bool)Require(member, JTokenType.Boolean, "a boolean");
        }

        internal Frame Object(string member)
        {
            JToken value = Require(member, JTokenType.Object, "an object");
            return new Frame((JObject)value, Kind + ": " + member);
        }

        internal Frame OptionalObject(string member)
        {
            return Has(member) ? Object(member) : null;
        }

        internal JArray List(string member)
        {
            return Has(member) ? (JArray)Require(member, JTokenType.Array, "a list") : new JArray();
        }

        internal string Id()
        {
            return ReadableId() ?? throw Wrong("id", "16 hexadecimal digits");
        }

        /// <summary>Returns the identities of a member <c>ids</c>; none if it is absent.</summary>
        internal List<string> Ids()
        {
            JArray ids = List("ids");
            if (!ids.All(id => id.Type == JTokenType.String && IdPattern.IsMatch((string)id)))
            {
                throw Wrong("ids", "a list of 16 hexadecimal digits each");
            }
            return ids.Select(id => (string)id).ToList();
        }

        /// <summary>Returns the identity of a message; null if it is absent or malformed.</summary>
        internal string ReadableId()
        {
            string id = Members["id"]?.Type == JTokenType.String ? (string)Members["id"] : "";
            return IdPattern.IsMatch(id) ? id : null;
        }

        /// <summary>Returns the error for a member that is not as expected.</summary>
        internal BadFrameException Wrong(string member, string expected)
        {
            string actual = Has(member) ? Shorten(Members[member].ToString(Formatting.None)) : "absent";
            return new BadFrameException(Kind + ": " + member + " must be " + expected + ", not " + actual);
        }

        private JToken Require(string member, JTokenType type, string expected)
        {
            JToken value = Members[member];
            return value != null && value.Type == type ? value : throw Wrong(member, expected);
        }

        private static string Shorten(string text)
        {
            return text.Length <= MaxShown ? text : text.Substring(0, MaxShown);
        }
    }
}
