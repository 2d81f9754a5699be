import { useCallback, useMemo, useState } from "react";
import { setParameters, useParameters } from "../shell/route.ts";
import { ConvertTab, type Output, rowAtPlace } from "./convert-tab.tsx";
import { FactsTab } from "./facts-tab.tsx";
import type { Inspection, InspectionView } from "./inspection.ts";
import { IssuesTab } from "./issues-tab.tsx";
import { type Light, SourceView } from "./source-view.tsx";
import { StreamTab } from "./stream-tab.tsx";
import { type Tab, Tabs } from "./tabs.tsx";
import { Toolbar } from "./toolbar.tsx";
import { TreeView } from "./tree-view.tsx";
import { useAnswer } from "./use-answer.ts";
import { useInspectorWords } from "./use-words.ts";
import type { IssueGroup } from "./worker/issues.ts";
import type { Offer, Opened, Written } from "./worker/protocol.ts";
import type { Row } from "./worker/rows.ts";
import type { StreamRow } from "./worker/stream-player.ts";

interface WorkbenchProps {
  readonly inspection: Inspection;
  readonly view: InspectionView;
  readonly opened: Opened;
  readonly offer: Offer;
}

type TabName = "stream" | "issues" | "convert" | "facts";
const tabNames: readonly TabName[] = ["stream", "issues", "convert", "facts"];
const panes = ["tree", "source", "report"] as const;
type Pane = (typeof panes)[number];

/** The tree, the source, and what can be said of them. */
export function Workbench({ inspection, view, opened, offer }: WorkbenchProps) {
  const words = useInspectorWords();
  const { rows, format } = opened;
  const { selected, reveals } = view;
  const [pane, setPane] = useState<Pane>("report");
  const report = useReport({ inspection, view, opened, offer });
  const { groups, faults, lights, shown, select } = report;
  const title = offer.formats.find(({ id }) => id === format)?.title ?? format;
  const messages = useMemo(() => rows.filter(({ kind }) => kind === "message").length, [rows]);
  const pick = (offset: number): void => {
    const places = rows.map(({ spans }) => spans);
    const row = rowAtPlace(places, offset);
    if (row !== undefined) select(row);
  };
  return (
    <>
      <p role="status" className="sr-only">
        {groups && words.opened(title, messages, countOf(groups))}
      </p>
      <Toolbar inspection={inspection} view={view} opened={opened} offer={offer} />
      <Panes pane={pane} onPane={setPane} />
      <div className="panes" data-pane={pane}>
        <section className="pane tree-pane" aria-label={words.panes.tree}>
          <TreeView rows={rows} selected={selected} reveals={reveals} faults={faults} onSelect={select} />
        </section>
        <section className="pane source-pane" aria-label={words.panes.source}>
          <SourceView text={opened.text} label={words.panes.source} {...{ lights, shown, reveals }} onPick={pick} />
        </section>
        <section className="pane report-pane" aria-label={words.panes.report}>
          <ReportTabs {...{ inspection, view, opened, offer }} report={report} />
        </section>
      </div>
    </>
  );
}

/** What the worker says of what is opened, and what of it is lit in the source. */
function useReport({ inspection, view: { selected }, opened, offer }: WorkbenchProps) {
  const parameters = useParameters();
  const { rows, stream } = opened;
  const tab = tabOf(parameters.get("tab"), stream !== undefined);
  const target = targetOf(parameters.get("target"), opened, offer);
  const [output, setOutput] = useState<Output>(() => firstOutput(opened, offer));
  const [event, setEvent] = useState<StreamRow>();
  const asked = { inspection, opened };
  const { answer: groups } = useAnswer(asked, "issues", target === undefined ? {} : { target });
  const { answer: written, isOld } = useAnswer(asked, "write", tab === "convert" ? { ...output } : undefined);
  const { answer: facts } = useAnswer(asked, "facts", tab === "facts" ? {} : undefined);
  const hasNode = tab === "facts" && selected !== undefined;
  const { answer: node, isOld: isOtherNode } = useAnswer(asked, "node", hasNode ? { row: selected } : undefined);
  const faults = useMemo(() => faultsOf(groups ?? []), [groups]);
  const place = useMemo(() => placeOf(rows, selected), [rows, selected]);
  const shown = useMemo(() => (tab === "stream" && event ? [event.from, event.to] : place), [tab, event, place]);
  const areLossesShown = tab === "convert" && !isOld;
  const lights = useMemo(
    (): readonly Light[] => [...(areLossesShown ? lostIn(written) : []), { look: "selected", spans: shown }],
    [areLossesShown, written, shown],
  );
  const select = useCallback(
    (row: number) => {
      setEvent(undefined);
      inspection.select(row);
    },
    [inspection],
  );
  const answers = { groups, written, facts, node: isOtherNode ? undefined : node };
  return { tab, target, output, setOutput, setEvent, faults, shown, lights, select, ...answers };
}

interface ReportTabsProps extends WorkbenchProps {
  readonly report: ReturnType<typeof useReport>;
}

function ReportTabs({ inspection, view, opened, offer, report }: ReportTabsProps) {
  const words = useInspectorWords();
  const { rows, stream } = opened;
  const { selected, reveals } = view;
  const { tab, target, output, setOutput, setEvent, groups, written, facts, node, select } = report;
  return (
    <Tabs<TabName>
      label={words.panes.report}
      tabs={tabsOf(words.tabs, groups, stream !== undefined)}
      chosen={tab}
      onChoose={name => setParameters({ tab: name })}
    >
      {tab === "stream" && stream && (
        <StreamTab inspection={inspection} opened={opened} events={stream} onEvent={setEvent} />
      )}
      {tab === "issues" && <IssuesTab {...{ inspection, opened, offer, target, groups }} onSelect={select} />}
      {tab === "convert" && (
        <ConvertTab
          {...{ offer, output, written, selected, reveals }}
          name={view.name}
          onOutput={setOutput}
          onSelect={select}
        />
      )}
      {tab === "facts" && <FactsTab {...{ facts, rows, selected, node }} onSelect={select} />}
    </Tabs>
  );
}

/** Where there is no room for three columns, one of them is chosen. */
function Panes({ pane, onPane }: { readonly pane: Pane; readonly onPane: (pane: Pane) => void }) {
  const words = useInspectorWords();
  return (
    <fieldset className="pane-choice">
      <legend className="sr-only">{words.show}</legend>
      <div className="segments">
        {panes.map(name => (
          <label key={name}>
            <input type="radio" name="pane" checked={name === pane} onChange={() => onPane(name)} />
            <span>{words.panes[name]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function tabOf(name: string | null, isStream: boolean): TabName {
  const found = tabNames.find(tab => tab === name);
  if (found === undefined || (found === "stream" && !isStream)) return isStream ? "stream" : "issues";
  return found;
}

function tabsOf(
  words: { readonly [name in TabName]: string },
  groups: readonly IssueGroup[] | undefined,
  isStream: boolean,
): readonly Tab<TabName>[] {
  const count = groups && countOf(groups);
  return tabNames
    .filter(name => isStream || name !== "stream")
    .map(name => ({ name, label: words[name], ...(name === "issues" && count !== undefined && { count }) }));
}

const countOf = (groups: readonly IssueGroup[]): number => groups.reduce((sum, group) => sum + group.count, 0);

/** The one of the address, else the endpoint that speaks the format. */
function targetOf(id: string | null, { format, dialect }: Opened, { targets }: Offer): string | undefined {
  if (id === "none") return undefined;
  const named = targets.find(target => target.id === id);
  if (named) return named.id;
  const speaking = targets.filter(target => target.format === format);
  return (speaking.find(target => target.dialect === dialect) ?? speaking[0])?.id;
}

/** Another format than the one that it is in. */
function firstOutput({ format }: Opened, { outputs }: Offer): Output {
  const ref = outputs.find(output => output.ref.split(":")[0] !== format)?.ref ?? "canonical";
  return { ref, recipient: "client", carry: false };
}

const severities = ["info", "warning", "error"];

/** The worst that is wrong with each row. */
function faultsOf(groups: readonly IssueGroup[]): ReadonlyMap<number, string> {
  const faults = new Map<number, string>();
  for (const { severity, spots } of groups) {
    for (const { row } of spots) {
      if (row === undefined) continue;
      const before = faults.get(row);
      if (before === undefined || severities.indexOf(before) < severities.indexOf(severity)) faults.set(row, severity);
    }
  }
  return faults;
}

/** Where a row stands; where it stands nowhere by itself, the nearest around it. */
function placeOf(rows: readonly Row[], selected: number | undefined): readonly number[] {
  for (let row = selected ?? -1; row >= 0; row = rows[row]?.above ?? -1) {
    const spans = rows[row]?.spans ?? [];
    if (spans.length > 0) return spans;
  }
  return [];
}

/** What does not come along, in the source. */
function lostIn(written: Written | undefined): readonly Light[] {
  if (!written || !("groups" in written)) return [];
  return written.groups.flatMap(({ lit, losses }) =>
    lit.map(({ source }, index): Light => ({ look: losses[index]?.carried ? "carried" : "lost", spans: source })),
  );
}
