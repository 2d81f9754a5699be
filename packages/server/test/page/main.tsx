/** The chat page of the AI SDK's own documentation, as small as it goes: `useChat` against the server it comes from. */
import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, type UIMessage } from "ai";
import { type FormEvent, useState } from "react";
import { createRoot } from "react-dom/client";

const query = new URLSearchParams(location.search);
const id = query.get("chat") ?? "page";
const transport = new DefaultChatTransport({ api: "/api/v1/chat", headers: { "X-AI-SDK-Version": "7" } });

function Part({ part }: { readonly part: UIMessage["parts"][number] }) {
  if (part.type === "text") return <p>{part.text}</p>;
  if (part.type === "reasoning") return <em>{part.text}</em>;
  if (part.type !== "dynamic-tool") return null;
  const outcome = part.state === "output-available" ? JSON.stringify(part.output) : "";
  return <code>{`${part.toolName} ${JSON.stringify(part.input)} ${part.state} ${outcome}`}</code>;
}

function Page() {
  const { messages, sendMessage, stop, status, error } = useChat({ id, transport });
  const [words, setWords] = useState("");
  const send = (event: FormEvent) => {
    event.preventDefault();
    void sendMessage({ text: words });
    setWords("");
  };
  const stopForGood = () => {
    void stop();
    void fetch(`/api/v1/chat/${encodeURIComponent(id)}/stop`, { method: "POST" });
  };
  return (
    <>
      {messages.map(message => (
        <article key={message.id} aria-label={message.role}>
          {message.parts.map((part, index) => (
            // The parts of a message only grow: their places are their names.
            <Part key={index} part={part} />
          ))}
        </article>
      ))}
      <output>{status}</output>
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={send}>
        <input aria-label="Message" value={words} onChange={event => setWords(event.target.value)} />
        <button type="submit">Send</button>
      </form>
      <button type="button" onClick={() => void stop()}>
        Leave
      </button>
      <button type="button" onClick={stopForGood}>
        Stop
      </button>
    </>
  );
}

const root = document.getElementById("root");
if (root) createRoot(root).render(<Page />);
