import { type FormEvent, useId, useState } from "react";
import type { InputRequestPart } from "translogue";
import { useActions } from "../chat/actions.ts";
import { Link } from "../markdown/markdown.tsx";
import { Icon } from "../shell/icon.tsx";
import { useWords } from "../shell/use-words.ts";
import { type Field, fieldsOf, filledIn } from "./question-fields.ts";
import { isWeb } from "./text-view.tsx";

interface QuestionCardProps {
  readonly request: InputRequestPart;
  /** What was written so far, field by field. */
  readonly texts: readonly string[] | undefined;
  readonly onTexts: (texts: readonly string[]) => void;
}

/** A question that waits for a person, with a form for what it asks. */
export function QuestionCard(props: QuestionCardProps) {
  const { request } = props;
  const words = useWords();
  const title = useId();
  const { message, url, schema } = request;
  return (
    <article className="approval" aria-labelledby={title}>
      <h3 id={title}>
        <Icon name="help" />
        {words.inputRequest}
      </h3>
      {message !== undefined && <p>{message}</p>}
      {url !== undefined && isWeb(url) && (
        <p>
          <Link href={url}>{words.signIn}</Link>
        </p>
      )}
      {url !== undefined && schema === undefined ? <Visited request={request} /> : <AnswerForm {...props} />}
    </article>
  );
}

/** Whoever was sent to a page says that it is done. */
function Visited({ request }: { readonly request: InputRequestPart }) {
  const words = useWords();
  const { answer, isIdle } = useActions();
  return (
    <div className="buttons">
      <button type="button" className="primary" disabled={!isIdle} onClick={() => answer(request, true)}>
        {words.isDone}
      </button>
      <Decline request={request} />
    </div>
  );
}

function Decline({ request }: { readonly request: InputRequestPart }) {
  const words = useWords();
  const { answer, isIdle } = useActions();
  return (
    <button type="button" disabled={!isIdle} onClick={() => answer(request, undefined)}>
      {words.decline}
    </button>
  );
}

function AnswerForm({ request, texts: written, onTexts }: QuestionCardProps) {
  const words = useWords();
  const { answer, isIdle } = useActions();
  const fields = fieldsOf(request.schema);
  const texts = written ?? fields.map(({ initial }) => initial);
  const [wrong, setWrong] = useState<number>();
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const filled = filledIn(fields, texts);
    setWrong("wrong" in filled ? filled.wrong : undefined);
    if ("value" in filled) answer(request, filled.value);
  };
  return (
    <form className="question" onSubmit={send} noValidate>
      {fields.map((field, index) => (
        <FieldView
          key={field.name ?? ""}
          field={field}
          text={texts[index] ?? ""}
          isWrong={wrong === index}
          onText={text => onTexts(texts.map((each, at) => (at === index ? text : each)))}
        />
      ))}
      <div className="buttons">
        <button type="submit" className="primary" disabled={!isIdle}>
          {words.giveAnswer}
        </button>
        <Decline request={request} />
      </div>
    </form>
  );
}

interface FieldProps {
  readonly field: Field;
  readonly text: string;
  readonly isWrong: boolean;
  readonly onText: (text: string) => void;
}

function FieldView({ field, text, isWrong, onText }: FieldProps) {
  const words = useWords();
  const [id, about] = [useId(), useId()];
  const { label = words.yourAnswer, help, isRequired, kind } = field;
  const isDescribed = help !== undefined || isWrong;
  const own = {
    id,
    value: text,
    required: isRequired,
    "aria-invalid": isWrong,
    ...(isDescribed && { "aria-describedby": about }),
    onChange: (event: { readonly target: { readonly value: string } }) => onText(event.target.value),
  };
  return (
    <div className="field">
      <label htmlFor={id}>{isRequired ? label : words.mayBeLeftOut(label)}</label>
      {kind === "choice" || kind === "boolean" ? (
        <select {...own}>
          <option value="">{words.choose}</option>
          {choicesOf(field, words).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      ) : kind === "json" ? (
        <textarea {...own} rows={3} spellCheck={false} />
      ) : (
        <input {...own} type="text" inputMode={kind === "number" ? "decimal" : "text"} />
      )}
      {isDescribed && (
        <p id={about} role={isWrong ? "alert" : undefined}>
          {isWrong ? words.wrongInField[kind] : help}
        </p>
      )}
    </div>
  );
}

const choicesOf = (
  { kind, choices }: Field,
  words: { readonly yes: string; readonly no: string },
): readonly (readonly [value: string, label: string])[] =>
  kind === "boolean"
    ? [
        ["true", words.yes],
        ["false", words.no],
      ]
    : choices.map(({ label }, index) => [String(index), label]);
