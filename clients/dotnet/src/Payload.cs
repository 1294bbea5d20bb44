using System;
using System.Linq;
using System.Text;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;
using Sluice.Internal;

namespace Sluice
{
    /// <summary>
    /// Content of a message: text, bytes, a JSON object (JMS MapMessage) or a JSON array (StreamMessage).
    /// Texts and byte arrays are converted implicitly.
    /// </summary>
    public sealed class Payload
    {
        private readonly string _text;
        private readonly byte[] _bytes;
        private readonly JContainer _json;

        private Payload(string text, byte[] bytes, JContainer json)
        {
            _text = text;
            _bytes = bytes;
            _json = json;
            if (text == null && bytes == null && json == null)
            {
                throw SluiceException.InvalidArgument("payload must not be null");
            }
        }

        /// <summary>Whether the content was published as bytes.</summary>
        public bool IsBytes => _bytes != null;

        /// <summary>Whether the content was published as a JSON object or array.</summary>
        public bool IsJson => _json != null;

        /// <summary>Content as text: that of bytes as UTF-8, that of an object or array as JSON.</summary>
        public string Text => _text ?? (_bytes != null ? Encoding.UTF8.GetString(_bytes) : _json.ToString(Formatting.None));

        /// <summary>Content as bytes: that of a text as UTF-8.</summary>
        public byte[] Bytes => _bytes ?? Encoding.UTF8.GetBytes(Text);

        /// <summary>Returns the content of a TextMessage.</summary>
        public static Payload FromText(string text)
        {
            return new Payload(text, null, null);
        }

        /// <summary>Returns the content of a BytesMessage.</summary>
        public static Payload FromBytes(byte[] bytes)
        {
            return new Payload(null, bytes, null);
        }

        /// <summary>Returns the content of a MapMessage; bytes among the values are supported.</summary>
        public static Payload FromJson(JObject members)
        {
            return new Payload(null, null, members);
        }

        /// <summary>Returns the content of a StreamMessage; bytes among the values are supported.</summary>
        public static Payload FromJson(JArray values)
        {
            return new Payload(null, null, values);
        }

        /// <summary>Converts a text.</summary>
        public static implicit operator Payload(string text)
        {
            return FromText(text);
        }

        /// <summary>Converts bytes.</summary>
        public static implicit operator Payload(byte[] bytes)
        {
            return FromBytes(bytes);
        }

        /// <summary>Returns the JSON value; text and bytes are parsed.</summary>
        /// <exception cref="JsonException">The content is not JSON.</exception>
        public JToken Json()
        {
            return _json ?? Frame.ReadToken(Text);
        }

        /// <inheritdoc/>
        public override string ToString()
        {
            return Text;
        }

        internal static Payload Of(Frame frame)
        {
            string encoding = frame.OptionalText("encoding");
            if (encoding == null)
            {
                return FromText(frame.Text("payload"));
            }
            if (encoding == "json" && frame.Members["payload"] is JContainer json)
            {
                return new Payload(null, null, json);
            }
            if (encoding != "base64")
            {
                throw frame.Wrong("encoding", "\"base64\" or \"json\" with an object or list as payload");
            }
            try
            {
                return FromBytes(Convert.FromBase64String(frame.Text("payload")));
            }
            catch (FormatException)
            {
                throw frame.Wrong("payload", "base64");
            }
        }

        internal void AddTo(JObject frame)
        {
            if (_text == null)
            {
                frame["encoding"] = IsBytes ? "base64" : "json";
            }
            frame["payload"] = _text ?? (IsBytes ? Convert.ToBase64String(_bytes) : Encode(_json));
        }

        private static JToken Encode(JContainer json)
        {
            JContainer copy = (JContainer)json.DeepClone();
            foreach (JValue value in copy.Descendants().OfType<JValue>().ToList())
            {
                if (value.Value is byte[] bytes)
                {
                    value.Replace(new JObject { ["base64"] = Convert.ToBase64String(bytes) });
                }
            }
            return copy;
        }
    }
}
