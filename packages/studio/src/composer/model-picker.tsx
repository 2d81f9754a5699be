import { useState } from "react";
import { prefer } from "../shell/preferences.ts";
import { useWords } from "../shell/use-words.ts";
import type { ModelList } from "./use-models.ts";

/** Which model answers next. */
export function ModelPicker({ models }: { readonly models: ModelList }) {
  const words = useWords();
  const { rows, chosen, isDemo, hasFailed } = models;
  const [provider, setProvider] = useState<string>();
  const isListed = rows.some(({ id }) => id === chosen);
  if (hasFailed && rows.length === 0) return <span className="picker">{words.noModels}</span>;
  const choose = (id: string): void => {
    setProvider(id.endsWith("/*") ? id.slice(0, -1) : undefined);
    if (!id.endsWith("/*")) prefer("model", id);
  };
  return (
    <span className="picker">
      <select
        aria-label={words.model}
        title={words.model}
        value={provider === undefined ? (chosen ?? "") : `${provider}*`}
        disabled={rows.length === 0}
        onChange={event => choose(event.target.value)}
      >
        {rows.length === 0 && <option value="">{words.defaultModel}</option>}
        {chosen !== undefined && !isListed && <option value={chosen}>{chosen}</option>}
        {rows.map(({ id, name }) => (
          <option key={id} value={id}>
            {name.endsWith("/*") ? `${name.slice(0, -1)}…` : name}
          </option>
        ))}
      </select>
      {provider !== undefined && <ModelName provider={provider} onDone={() => setProvider(undefined)} />}
      {isDemo && (
        <span className="badge" title={words.demoNote}>
          {words.demo}
        </span>
      )}
    </span>
  );
}

interface ModelNameProps {
  /** With its slash. */
  readonly provider: string;
  readonly onDone: () => void;
}

/** Any model of a provider goes: its name is typed. */
function ModelName({ provider, onDone }: ModelNameProps) {
  const words = useWords();
  const [name, setName] = useState("");
  const done = (): void => {
    if (name.trim() !== "") prefer("model", provider + name.trim());
    onDone();
  };
  return (
    <input
      value={name}
      aria-label={words.modelName}
      placeholder={words.modelName}
      // biome-ignore lint/a11y/noAutofocus: it opens where the person has just chosen
      autoFocus
      onChange={event => setName(event.target.value)}
      onBlur={done}
      onKeyDown={event => {
        if (event.key === "Escape") onDone();
        if (event.key !== "Enter") return;
        event.preventDefault();
        done();
      }}
    />
  );
}
