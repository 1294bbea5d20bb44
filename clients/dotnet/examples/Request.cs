using System;
using System.Threading.Tasks;
using Sluice;

/// <summary>Sends a request to a queue and prints the reply: mono Request.exe ws://localhost:8080/ws quotes EURUSD</summary>
public static class Request
{
    public static int Main(string[] arguments)
    {
        if (arguments.Length != 3)
        {
            Console.Error.WriteLine("usage: Request.exe URL QUEUE PAYLOAD");
            return 2;
        }
        RunAsync(arguments[0], arguments[1], arguments[2]).GetAwaiter().GetResult();
        return 0;
    }

    private static async Task RunAsync(string url, string queue, string payload)
    {
        using (SluiceClient client = SluiceClient.Connect(url))
        {
            try
            {
                Reply reply = await client.Queue(queue).RequestAsync(payload);
                Console.WriteLine("REPLY " + reply.Text);
            }
            catch (SluiceException e)
            {
                Console.WriteLine("REFUSED " + e.Code + " " + e.Message);
            }
        }
    }
}
