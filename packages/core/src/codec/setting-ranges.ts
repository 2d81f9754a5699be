/** Numbers that a provider takes of a setting: said once, for what writes a request and for what checks one. */

import type { Settings } from "../model/conversation.ts";
import type { Issue, Path } from "../model/issue.ts";

export type RangedSetting = "temperature" | "topP" | "topK" | "frequencyPenalty" | "presencePenalty" | "stopSequences";

/** Of a number between what it lies, of a list how many entries it has at most. */
export interface SettingRange {
  readonly least?: number;
  readonly most?: number;
}

export type SettingRanges = { readonly [name in RangedSetting]?: SettingRange };

/** What is taken, where that is said and when it was read. */
export interface RangeRow {
  readonly within: SettingRanges;
  readonly source: string;
  readonly date: string;
}

export interface OutOfRange {
  readonly path: Path;
  /** Goes on after the path: what was found and what to do. */
  readonly text: string;
  /** For the provider's own words. */
  readonly values: { readonly [name: string]: string | number };
}

/** The settings that are not taken so. */
export function outOfRange(settings: Settings | undefined, within: SettingRanges): readonly OutOfRange[] {
  const found: OutOfRange[] = [];
  for (const [name, { least, most }] of Object.entries(within) as [RangedSetting, SettingRange][]) {
    const value = settings?.[name];
    if (value === undefined) continue;
    const setting = name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
    const path = ["settings", name];
    if (typeof value !== "number") {
      const { length } = value;
      if (most !== undefined && length > most)
        found.push({
          path,
          text: `are ${length}, of at most ${most}. Leave some out.`,
          values: { setting, length, most },
        });
    } else if (value < (least ?? value) || value > (most ?? value)) {
      const range = most === undefined ? `at least ${least}` : `${least} to ${most}`;
      found.push({
        path,
        text: `is ${value}, and ${range} is taken. Set it so.`,
        values: { setting, ...(least !== undefined && { least }), ...(most !== undefined && { most }) },
      });
    }
  }
  return found;
}

/** The same as issues of a request that is written: it goes out as it was asked for, and the provider will refuse it. */
export const rangeIssues = (settings: Settings | undefined, row: RangeRow | undefined): readonly Issue[] =>
  row === undefined
    ? []
    : outOfRange(settings, row.within).map(({ path, text }) => ({
        code: "setting-ranges",
        severity: "warning",
        path,
        message: `\`${path.join(".")}\` ${text}`,
        rule: "setting-ranges",
        source: `${row.source}, ${row.date}`,
        repair: "fit-settings",
      }));
