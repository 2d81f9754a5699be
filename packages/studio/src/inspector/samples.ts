/** Histories to try the inspector with. */
export const samples = {
  /** For OpenAI's Chat: a call without a result, an id that another provider made too long, blank text. */
  history: JSON.stringify(
    {
      model: "gpt-5.4",
      messages: [
        { role: "system", content: "You answer briefly." },
        { role: "user", content: "What is the weather in Beijing, and what is 19 + 23?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: "call_weather",
              type: "function",
              function: { name: "get_weather", arguments: '{"city":"Beijing"}' },
            },
            { id: "call_sum", type: "function", function: { name: "add", arguments: '{"a":19,"b":23}' } },
          ],
        },
        { role: "tool", tool_call_id: "call_sum", content: "42" },
        { role: "tool", tool_call_id: "call_of_before", content: "Sunny, 21 °C" },
        { role: "assistant", content: "It is sunny in Beijing, and 19 + 23 = 42." },
        { role: "user", content: "And in Shanghai?" },
      ],
      tools: [
        {
          type: "function",
          function: {
            name: "get_weather",
            description: "The weather in a city.",
            parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
          },
        },
        {
          type: "function",
          function: {
            name: "add",
            description: "Adds two numbers.",
            parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
          },
        },
      ],
    },
    null,
    2,
  ),
  /** An answer as it came, with the milliseconds. */
  recording: recorded([
    [
      0,
      {
        type: "message_start",
        message: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "claude-sonnet-4-6",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 24, output_tokens: 1 },
        },
      },
    ],
    [40, { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } }],
    [
      60,
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "They want the weather " } },
    ],
    [
      190,
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "thinking_delta", thinking: "in Beijing. I look it up." },
      },
    ],
    [230, { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "c2lnbmF0dXJl" } }],
    [235, { type: "content_block_stop", index: 0 }],
    [1480, { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } }],
    [1500, { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Let me look " } }],
    [1540, { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "at the weather." } }],
    [1545, { type: "content_block_stop", index: 1 }],
    [
      1900,
      {
        type: "content_block_start",
        index: 2,
        content_block: { type: "tool_use", id: "toolu_1", name: "get_weather", input: {} },
      },
    ],
    [
      1920,
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"city": "Bei' } },
    ],
    [2010, { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: 'jing"}' } }],
    [2020, { type: "content_block_stop", index: 2 }],
    [
      2050,
      { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 61 } },
    ],
    [2055, { type: "message_stop" }],
  ]),
};

function recorded(events: readonly (readonly [time: number, event: object])[]): string {
  return events.map(([t, data]) => JSON.stringify({ t, data })).join("\n");
}
