import { formatBytes } from "../parts/file-view.tsx";
import { Choice } from "../shell/choice.tsx";
import { setParameters } from "../shell/route.ts";
import { useWords } from "../shell/use-words.ts";
import type { Inspection, InspectionView } from "./inspection.ts";
import { useInspectorWords } from "./use-words.ts";
import type { Offer, Opened } from "./worker/protocol.ts";

interface ToolbarProps {
  readonly inspection: Inspection;
  readonly view: InspectionView;
  readonly opened: Opened;
  readonly offer: Offer;
}

/** What was opened, and as what it is read. */
export function Toolbar({ inspection, view, opened, offer }: ToolbarProps) {
  const words = useInspectorWords();
  const shell = useWords();
  const { format, dialect, candidates, values, value, isTidy, repairs } = opened;
  const sure = new Map(candidates.map(({ format: id, confidence }) => [id, confidence] as const).toReversed());
  const options = [
    ...offer.formats.map(({ id, title }) => [id, titleWith(title, sure.get(id))] as const),
    ["canonical", titleWith(shell.canonical, sure.get("canonical"))] as const,
  ];
  const dialects = offer.formats.find(({ id }) => id === format)?.dialects ?? [];
  const read = (ref: string): void => {
    setParameters({ format: ref });
    void inspection.again({ ref });
  };
  return (
    <div className="toolbar">
      <div className="given">
        <strong dir="auto">{view.name}</strong>
        <span>{formatBytes(view.size)}</span>
        <span>{words.shapes[opened.shape] ?? opened.shape}</span>
        {repairs > 0 && <span className="badge">{words.repaired}</span>}
      </div>
      <Choice label={words.readAs} value={format} options={options.toSorted(bySure(sure))} onChoose={read} />
      {dialects.length > 1 && (
        <Choice
          label={words.dialect}
          value={dialect ?? dialects[0] ?? ""}
          options={dialects.map(name => [name, name] as const)}
          onChoose={name => read(`${format}:${name}`)}
        />
      )}
      {values > 1 && (
        <label className="which">
          {words.whichValue(values)}
          <input
            type="number"
            min={1}
            max={values}
            value={value + 1}
            onChange={event => void inspection.again({ value: Number(event.target.value) - 1 })}
          />
        </label>
      )}
      {repairs === 0 && opened.container === "json" && (
        <label className="check">
          <input
            type="checkbox"
            checked={isTidy}
            onChange={event => void inspection.again({ isTidy: event.target.checked })}
          />
          {words.tidy}
        </label>
      )}
    </div>
  );
}

const titleWith = (title: string, confidence: number | undefined): string =>
  confidence === undefined ? title : `${title} · ${Math.round(confidence * 100)} %`;

type Option = readonly [id: string, title: string];

/** What it is likely to be comes first. */
const bySure =
  (sure: ReadonlyMap<string, number>) =>
  ([a]: Option, [b]: Option): number =>
    (sure.get(b) ?? -1) - (sure.get(a) ?? -1);
