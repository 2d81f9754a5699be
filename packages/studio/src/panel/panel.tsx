import { useMemo, useState } from "react";
import { formatPath, type Message, type Recipient } from "translogue";
import { LongText } from "../markdown/code-view.tsx";
import { formatBytes } from "../parts/file-view.tsx";
import { Choice } from "../shell/choice.tsx";
import { CopyButton } from "../shell/copy-button.tsx";
import { Icon } from "../shell/icon.tsx";
import { prefer, usePreferences } from "../shell/preferences.ts";
import { save } from "../shell/save.ts";
import { useWords } from "../shell/use-words.ts";
import { canonical } from "./canonical.ts";
import { type Conversion, formatOptions, type LossGroup } from "./conversion.ts";
import { paintJson } from "./json-paint.tsx";
import { useConversion } from "./use-conversion.ts";

interface PanelProps {
  readonly session: string;
  readonly messages: readonly Message[];
  readonly isLive: boolean;
  readonly onClose: () => void;
}

/** Characters: colours of a long text cost more than they are worth. */
const mostPainted = 300_000;

const recipients: readonly Recipient[] = ["client", "provider", "store"];

/** The conversation so far in any format, converted here: nothing leaves the browser. */
export function Panel({ session, messages, isLive, onClose }: PanelProps) {
  const words = useWords();
  const { format } = usePreferences();
  const [recipient, setRecipient] = useState<Recipient>("client");
  const ref = formatOptions.some(option => option.ref === format) ? format : canonical;
  const conversation = useMemo(() => ({ messages }), [messages]);
  const conversion = useConversion({ conversation, ref, recipient });
  return (
    <>
      <header>
        <h2>{words.formats}</h2>
        {isLive && <span className="badge live">{words.live}</span>}
        <button type="button" className="quiet close" onClick={onClose} aria-label={words.hideFormats}>
          <Icon name="close" />
        </button>
      </header>
      <div className="choices">
        <Choice
          label={words.format}
          value={ref}
          options={[[canonical, words.canonical], ...formatOptions.map(option => [option.ref, option.title] as const)]}
          onChoose={value => prefer("format", value)}
        />
        <Choice
          label={words.recipient}
          value={recipient}
          options={recipients.map(name => [name, words.recipients[name]] as const)}
          onChoose={value => setRecipient(value as Recipient)} // one of the options
          isDisabled={ref === canonical}
        />
      </div>
      {messages.length === 0 ? (
        <p className="none">{words.nothingYet}</p>
      ) : (
        conversion && <Converted conversion={conversion} name={`${session}.${ref.replace(":", ".")}`} />
      )}
    </>
  );
}

function Converted({ conversion, name }: { readonly conversion: Conversion; readonly name: string }) {
  const words = useWords();
  if ("problem" in conversion) {
    return (
      <section className="note failure">
        <h3>{words.cannotConvert}</h3>
        <p>{conversion.problem}</p>
      </section>
    );
  }
  const { text, losses, extension } = conversion;
  return (
    <>
      <Losses groups={losses} />
      <div className="value">
        <div className="bar">
          <span>{words.size(formatBytes(new Blob([text]).size))}</span>
          <CopyButton text={() => text} label={words.copy} isLabelled />
          <button type="button" className="quiet" onClick={() => save(text, `${name}.${extension}`)}>
            <Icon name="download" />
            <span>{words.download}</span>
          </button>
        </div>
        <LongText text={text} label={name} {...(text.length < mostPainted && { paint: paintJson })} />
      </div>
    </>
  );
}

function Losses({ groups }: { readonly groups: readonly LossGroup[] }) {
  const words = useWords();
  const count = groups.reduce((sum, { losses }) => sum + losses.length, 0);
  if (count === 0) {
    return (
      <p className="lossless">
        <Icon name="check" />
        {words.nothingLost}
      </p>
    );
  }
  const carried = groups.reduce((sum, group) => sum + group.carried, 0);
  return (
    <section className="losses">
      <h3>
        {words.lossCount(count)}
        {carried > 0 && <small>{words.lossesCarried(carried)}</small>}
      </h3>
      <ul>
        {groups.map(group => (
          <LossRow key={`${group.code} ${group.kind}`} group={group} />
        ))}
      </ul>
    </section>
  );
}

const pathsShown = 20;

function LossRow({ group: { code, kind, message, losses } }: { readonly group: LossGroup }) {
  const words = useWords();
  const more = losses.length - pathsShown;
  return (
    <li>
      <details>
        <summary>
          <Icon name="chevron" />
          <code>{code}</code>
          <span className="kind">{words.lossKinds[kind]}</span>
          <span className="count">{losses.length}</span>
        </summary>
        <p>{message}</p>
        <ul className="paths">
          {losses.slice(0, pathsShown).map((loss, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a list that is drawn anew as a whole
            <li key={index}>
              <code>{formatPath(loss.path)}</code>
            </li>
          ))}
          {more > 0 && <li>+ {more}</li>}
        </ul>
      </details>
    </li>
  );
}
